import { describe, expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import { withServer } from '../support/program/mcp-server.ts';
import type { TestVault } from '../support/vault.ts';
import { withVault } from '../support/vault.ts';

/** Names that NTFS or HFS+ reads as a hidden folder, as another file or as a part of one. */
const DISGUISES = [
  '.git',
  '.GIT',
  'git~1',
  'GIT~1',
  'git~1.',
  'git~1::$INDEX_ALLOCATION',
  '.git ',
  '.git.',
  '.git::$INDEX_ALLOCATION',
  '.g\u200cit',
  '\u200c.git',
  '\ufeff.git',
  '\u202e.roux',
  'ROUX~1',
  'obsidi~1',
  'CLAUDE~1',
  'a:stream',
  'sub::$INDEX_ALLOCATION',
  'con',
];

/** Canaries: what lies in folders of such names, which another system would take for the hidden ones. */
const PLANTED = {
  'note.md': '---\nrev: 1\n---\nA note.\n',
  'sub/other.md': 'Other.\n',
  'a:b.md': 'A person called it so.\n',
  'git~1/hooks.md': 'canary\n',
  '\u200c.git/config.md': 'canary\n',
  'ROUX~1/history.md': 'canary\n',
};

function everything(vault: TestVault): Readonly<Record<string, string>> {
  return Object.fromEntries(vault.files().map((path) => [path, vault.read(path)]));
}

describe('names that another system reads as something else', () => {
  it('H-25 no tool writes, reads or moves anything by a disguise of .git, .roux or .obsidian, or into a stream', () =>
    withVault(PLANTED, (vault) =>
      withServer(vault, async ({ refuse, ask }) => {
        const before = everything(vault);
        for (const name of DISGUISES) {
          const refusals = [
            await refuse('create_node', { title: 'Probe', content: 'x', directory: name }),
            await refuse('create_node', { title: 'Probe', content: 'x', directory: `new/${name}/deep` }),
            await refuse('update_node', { id: 'note.md', directory: name }),
            await refuse('rename', { changes: [{ from: 'note.md', to: `${name}/note.md` }] }),
            await refuse('rename', { changes: [{ from: 'sub/', to: `${name}/` }] }),
          ];
          for (const { error } of refusals)
            expect(error, name).toMatchObject({ code: 'INVALID_PARAMS', message: expect.stringContaining('cannot') });
          expect(await ask('get_node', { id: `${name}/hooks.md` }), name).toBeNull();
          expect(everything(vault), name).toEqual(before);
        }
        for (const id of ['git~1/hooks.md', '\u200c.git/config.md', 'ROUX~1/history.md']) {
          expect(await ask('get_node', { id })).toBeNull();
          await refuse('update_node', { id, append: 'x' });
          expect(await ask('delete_node', { id })).toEqual({ deleted: false });
        }
        expect(JSON.stringify(await ask('list_nodes', {}))).not.toMatch(/hooks|config|history/);
        // What a title has of it goes into no file name.
        for (const title of ['git~1', '\u200c.git', '.git::$DATA', 'Plan: spring']) await ask('create_node', { title, content: 'x' });
        expect(vault.files().filter((path) => !(path in before))).toEqual(['git-1.md', 'git-data.md', 'git.md', 'plan-spring.md']);
        // What a person called so is read and edited.
        await ask('update_node', { id: 'a:b.md', append: 'And more.' });
        expect(vault.read('a:b.md')).toContain('And more.');
      }),
    ));

  it('H-25 commands refuse them too, and an import files nothing under them', () =>
    withVault(PLANTED, async (vault) => {
      const before = everything(vault);
      for (const name of ['git~1', '\u200c.git', 'ROUX~1', '.git::$INDEX_ALLOCATION', 'a:stream', 'CLAUDE~1']) {
        for (const args of [
          ['create', 'Probe', '-d', name],
          ['move', 'note.md', name],
          ['rename', 'sub/', `${name}/`],
        ]) {
          const { status, stderr } = await cli([...args, '--vault', vault.root]);
          expect(status, `${args.join(' ')}: ${stderr}`).not.toBe(0);
          expect(stderr).toContain('cannot');
        }
      }
      expect(everything(vault)).toEqual(before);
      const entity = (name: string) => JSON.stringify({ type: 'entity', name, entityType: name, observations: ['x'] });
      await cli(['import', '-', '--vault', vault.root], { stdin: ['git~1', '\u200c.git', '.git:x', 'ROUX~1'].map(entity).join('\n') });
      const made = vault.files().filter((path) => !(path in before));
      expect(made).toHaveLength(4);
      for (const path of made) expect(path).toMatch(/^memory\/[a-z0-9-]+\/[a-z0-9-]+\.md$/);
    }));
});
