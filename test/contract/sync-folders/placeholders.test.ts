import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { openMcp } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const FILES = {
  'a/Note.md': '---\ntags: [kept]\n---\n# Note\nThe beech hedge. See [[Other]].\n',
  'Other.md': '[[Note]] and ![[pic.png]]\n',
  'pic.png': 'px',
};

/** Does what iCloud Drive of older systems does, or Nextcloud with virtual files, to a file that it keeps elsewhere. */
function evict(vault: TestVault, path: string, placeholder: string): void {
  vault.write(placeholder, 'bplist00');
  vault.remove(path);
}

const PLACEHOLDERS = [
  ['of iCloud Drive', 'a/.Note.md.icloud', '.pic.png.icloud'],
  ['of Nextcloud', 'a/Note.md.nextcloud', 'pic.png.nextcloud'],
  ['of ownCloud', 'a/Note.md.owncloud', 'pic.png.owncloud'],
] as const;

describe('O-10 placeholders of files that a sync service keeps elsewhere', () => {
  it.each(PLACEHOLDERS)('O-10 %s: no deletion while a server runs, at its next start, and for what has no cache', (_of, note, pic) =>
    withVault(FILES, async (vault) => {
      const sees = async ({ ask, refuse }: McpSession): Promise<void> => {
        expect((await ask('get_neighbors', { id: 'Other.md' })).map(({ id }: { id: string }) => id)).toContain('a/Note.md');
        expect(JSON.stringify(await ask('search_by_tags', { tags: ['kept'] }))).toContain('a/Note.md');
        expect((await refuse('get_node', { id: 'a/Note.md' })).error).toMatchObject({
          code: 'IO_ERROR',
          message: expect.stringMatching(/^a\/Note\.md is online-only: .*Keep Downloaded/) as string,
        });
        expect((await refuse('update_node', { id: 'a/Note.md', content: 'over it' })).error.message).toContain('online-only');
        expect((await refuse('delete_node', { id: 'a/Note.md' })).error.message).toContain('online-only');
        expect((await refuse('rename', { changes: [{ from: 'a/Note.md', to: 'Notiz' }] })).error.message).toContain('online-only');
        expect((await refuse('create_node', { title: 'Note', directory: 'a' })).error.message).toContain('a/Note.md already');
        expect(vault.exists('a/Note.md')).toBe(false);
        const { counts, findings } = await ask('vault_health', { rebuild: true });
        expect(counts).toEqual({ vault: 1 });
        expect(findings[0].message).toMatch(/^1 note is online-only: .*a\/Note\.md/);
      };
      const first = await openMcp(vault);
      try {
        await first.ask('get_node', { id: 'a/Note.md' });
        await first.ask('create_node', { title: 'Later' });
        evict(vault, 'a/Note.md', note);
        evict(vault, 'pic.png', pic);
        await waitFor(async () => (await first.ask('vault_health', {})).counts.vault === 1, { what: 'the eviction' });
        await sees(first);
      } finally {
        await first.close();
      }
      const second = await openMcp(vault);
      try {
        await sees(second);
        // It is back.
        vault.write('a/Note.md', FILES['a/Note.md'].replace('beech', 'yew'));
        vault.remove(note);
        await waitFor(async () => (await second.ask('vault_health', {})).counts.vault === undefined, { what: 'the download' });
        expect((await second.ask('get_node', { id: 'a/Note.md' })).content).toContain('yew');
        expect((await cli(['history', 'a/Note.md', '--vault', vault.root])).stdout).not.toMatch(/delete|remove/);
      } finally {
        await second.close();
      }
    }),
  );

  it('O-10 a note that was never read is told, and a name is not taken from it', () =>
    withVault({ 'Other.md': '[[Note]]', '.Note.md.icloud': 'bplist00' }, async (vault) => {
      const { stdout } = await cli(['doctor', '--vault', vault.root]);
      expect(stdout).toContain('1 note is online-only: a sync service keeps its content elsewhere (Note.md)');
      // Links lead to it, and it is not called missing.
      expect(stdout).not.toContain('leads nowhere');
      expect((await cli(['links', 'Other', '--vault', vault.root])).stdout).toContain('Note.md');
      for (const command of ['get', 'links', 'backlinks'])
        expect((await cli([command, 'Note', '--vault', vault.root])).stderr, command).toContain('Note.md is online-only');
      for (const line of [
        ['append', 'Note', 'x'],
        ['rename', 'Note', 'Y'],
        ['delete', 'Note'],
        ['update', 'Note', '--set', '{"a": 1}'],
      ])
        expect((await cli([...line, '--vault', vault.root])).stderr, line[0]).toContain('online-only');
      expect(vault.files()).toEqual(['Other.md']);
      const created = await cli(['create', 'Note', '--vault', vault.root]);
      expect(created.stderr).toContain('Note.md exists already, but is online-only');
      renameSync(vault.path('.Note.md.icloud'), vault.path('Note.md'));
      expect((await cli(['get', 'Note', '--vault', vault.root])).stdout).toContain('bplist00');
    }));

  it('O-10 one that was never read is there at the next start too, comes with its content, and goes when it is deleted elsewhere', () =>
    withVault({ 'Other.md': '[[Note]] [[Third]]', '.Note.md.icloud': 'bplist00', '.Third.md.icloud': 'bplist00' }, async (vault) => {
      const unresolved = async ({ ask }: McpSession): Promise<unknown> => (await ask('vault_health', {})).counts['unresolved-link'];
      for (let start = 0; start < 2; start++) {
        const session = await openMcp(vault);
        try {
          await session.ask('create_node', { title: `Written ${start}` });
          expect(await unresolved(session)).toBeUndefined();
        } finally {
          await session.close();
        }
      }
      // One was downloaded while nothing ran.
      vault.write('Note.md', '# Note\n#here\n');
      vault.remove('.Note.md.icloud');
      const last = await openMcp(vault);
      try {
        expect((await last.ask('get_node', { id: 'Note' })).content).toContain('#here');
        expect(await unresolved(last)).toBeUndefined();
        vault.remove('.Third.md.icloud');
        await waitFor(async () => (await unresolved(last)) === 1, { what: 'the deletion' });
        expect((await last.ask('vault_health', { rebuild: true })).counts).toEqual({ 'unresolved-link': 1 });
      } finally {
        await last.close();
      }
    }));

  it('O-10 names that stand for something hidden, or for nothing, are no placeholders', () =>
    withVault({ 'a.md': '[[.secret]]', '.icloud': 'x', '..env.icloud': 'x', '.nextcloud': 'x', '.roux.icloud': 'x' }, async (vault) => {
      expect((await cli(['doctor', '--vault', vault.root])).stdout).not.toContain('online-only');
    }));
});
