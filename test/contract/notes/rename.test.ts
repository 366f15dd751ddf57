import { chmodSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { rounds } from '../../support/effort.ts';
import { openMcp } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { vaultsNamed } from '../../support/vaults.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Every visible file and its bytes as text that loses none. */
function snapshot(vault: TestVault): Record<string, string> {
  return Object.fromEntries(vault.files().map((file) => [file, vault.readBytes(file).toString('latin1')]));
}

/** What a write leaves behind when it did not end. */
function leftovers(vault: TestVault): string[] {
  return ['.roux/journal', '.roux/tmp'].flatMap((folder) => (vault.exists(folder) ? vault.list(folder) : []));
}

const preload = fileURLToPath(new URL('killed-at-rename.mjs', import.meta.url));

/** So many notes that renaming takes a while. */
const MANY = 120;

/** A note and others that link to it, each in another form. */
function linkedVault(count: number): Record<string, string> {
  const forms = ['[[Old Name]]', '[[Old Name|shown]]', '![[Old Name#Part]]', '[text](Old%20Name.md)'];
  const linking = Array.from({ length: count }, (_, index) => [`n/note ${index}.md`, `before ${forms[index % forms.length]} after\n`]);
  return { 'Old Name.md': '# Part\n\n[[Old Name#Part]]\n', ...Object.fromEntries(linking) };
}

describe('renaming through the server', () => {
  it('S2-26 keeps line ends, BOMs, final bytes and everything that is no link', () =>
    withVault(
      {
        'Old Name.md': 'text\n',
        'crlf.md':
          "\ufeff---\r\nup: '[[Old Name]]' # why\r\nn: 0123\r\n---\r\n| a | b |\r\n|---|---|\r\n| [[Old Name\\|x]] | `[[Old Name]]` |  \r\n\r\nno end [[old name]]",
        '.obsidian/app.json': '{}',
        'prose.md': 'Old Name, [[Old Names]], [[Older]], \\[[Old Name]], $[[Old Name]]$\n',
        'nested.md': '> - [x [[Old Name]] y](u.md)\n>   %% [[Old Name]] %%\n\n[r]: <Old Name.md> "T"\n',
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          const prose = vault.read('prose.md');
          await ask('update_node', { id: 'Old Name', title: "It's $& new" });
          expect(vault.files()).toEqual(["It's $& new.md", 'crlf.md', 'nested.md', 'prose.md']);
          expect(vault.read('crlf.md')).toBe(
            "\ufeff---\r\nup: '[[It''s $& new]]' # why\r\nn: 0123\r\n---\r\n| a | b |\r\n|---|---|\r\n| [[It's $& new\\|x]] | `[[Old Name]]` |  \r\n\r\nno end [[It's $& new]]",
          );
          expect(vault.read('nested.md')).toBe(
            "> - [x [[It's $& new]] y](u.md)\n>   %% [[It's $& new]] %%\n\n[r]: <It's $& new.md> \"T\"\n",
          );
          expect(vault.read('prose.md')).toBe(prose);
        }),
    ));

  it('S2-27 W51 a rename that is refused in its last file changes none', () =>
    withVault({ ...linkedVault(6), 'n/hard.md': '[[Old Name]]\n' }, (vault) =>
      withServer(vault, async ({ refuse, ask }) => {
        await ask('get_node', { id: 'Old Name' });
        const before = snapshot(vault);
        for (const title of ['n/x|y.md', 'n/CON', '.hidden/', 'n/x/../y', `n/${'x'.repeat(300)}`, 'n\\a/b', 'a\nb']) {
          const { error } = await refuse('rename', { changes: [{ from: 'Old Name', to: title }] });
          expect(['INVALID_PARAMS', 'NODE_EXISTS'], title).toContain(error.code);
        }
        expect(snapshot(vault)).toEqual(before);
        expect(leftovers(vault)).toEqual([]);
      }),
    ));

  it('W21 W28 names in _warnings what it found and left alone', () =>
    withVault(
      {
        'Old Name.md': '',
        'list.md': '---\nup: [[Old Name]]\n---\n',
        'board.base': 'filters:\n  and:\n    - file.hasLink(link("Old Name"))\n',
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          const before = snapshot(vault);
          const renamed = await ask('update_node', { id: 'Old Name', title: 'New Name' });
          const warnings = renamed._warnings.join('\n');
          expect(warnings).toContain('list.md');
          expect(warnings).toContain('board.base');
          for (const file of ['list.md', 'board.base']) expect(vault.readBytes(file).toString('latin1')).toBe(before[file]);
        }),
    ));

  it('W41 a linking note that is not UTF-8 is refused by name, and nothing is written', () =>
    withVault({ ...linkedVault(3), 'bytes.md': Buffer.concat([Buffer.from('[[Old Name]] '), Buffer.from([0xff, 0xfe, 0x0a])]) }, (vault) =>
      withServer(vault, async ({ refuse }) => {
        const before = snapshot(vault);
        const { error } = await refuse('update_node', { id: 'Old Name', title: 'New Name' });
        expect(error.details.path).toBe('bytes.md');
        expect(snapshot(vault)).toEqual(before);
      }),
    ));

  it('W42 a person who saves linking notes while they are renamed loses no word', () =>
    withVault(linkedVault(MANY), (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('get_node', { id: 'Old Name' });
        const renaming = ask('update_node', { id: 'Old Name', title: 'New Name' });
        const saved: string[] = [];
        let isOver = false;
        const ended = renaming.finally(() => (isOver = true));
        await waitFor(() => {
          const file = `n/note ${(saved.length * 37) % MANY}.md`;
          if (!saved.includes(file)) {
            vault.write(file, `${vault.read(file)}typed ${saved.length}\n`);
            saved.push(file);
          }
          return isOver || saved.length === MANY;
        });
        await ended;
        expect(saved.length).toBeGreaterThan(0);
        const copies = vault.files().filter((file) => file.includes('.sync-conflict-'));
        for (const [index, file] of saved.entries()) {
          const texts = [file, ...copies.filter((copy) => copy.startsWith(file.slice(0, -3)))].map((name) => vault.read(name));
          expect(
            texts.some((text) => text.includes(`typed ${index}`)),
            file,
          ).toBe(true);
        }
        // Whoever saved the old link a moment after its rewriting still reaches the note, by its alias.
        for (const file of vault.files()) expect((await ask('get_node', { id: file }))._warnings ?? [], file).toEqual([]);
      }),
    ));

  it('W43 killed in the middle, the next server finds all of it done or none, and no leftovers', () =>
    withVault(linkedVault(MANY), async (vault) => {
      const old = snapshot(vault);
      for (const round of rounds(2)) {
        for (const [file, text] of Object.entries(old)) vault.write(file, Buffer.from(text, 'latin1'));
        if (vault.exists('New Name.md')) vault.remove('New Name.md');
        // Each round at another of its notes: in the middle, at the last, at the first.
        const done = (MANY / 2 + round * (MANY / 2 - 1)) % MANY;
        const session = await openMcp(vault, { preload, flags: ['--alone'], env: { TEST_KILLED_AT: String(done) } });
        await session.ask('get_node', { id: 'Old Name' });
        await session.call('update_node', { id: 'Old Name', title: 'New Name' }).catch(() => undefined);
        await session.close();
        expect(changedOf(vault, old), `round ${round}`).toBe(done);
        expect(leftovers(vault).length).toBeGreaterThan(0);
        await withServer(vault, async ({ ask }) => {
          await ask('create_node', { title: `after ${round}`, content: '' });
          const now = snapshot(vault);
          const linking = Object.entries(now).filter(([file]) => file.startsWith('n/'));
          expect(linking).toHaveLength(MANY);
          expect('Old Name.md' in now).toBe(!('New Name.md' in now));
          const renamed = linking.filter(([, text]) => /New(?: |%20)Name/.test(text)).length;
          expect(renamed).toBe('New Name.md' in now ? MANY : 0);
          expect(leftovers(vault)).toEqual([]);
        });
      }
    }));

  it('W45 links in trash and settings stay as they are, and so do other people’s hidden folders', () => {
    const hidden = {
      '.trash/old.md': '[[Old Name]]\n',
      '.obsidian/workspace.json': '{"file":"Old Name.md"}\n',
      '.git-notes/x.md': '[[Old Name]]\n',
    };
    return withVault({ ...linkedVault(3), ...hidden }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('update_node', { id: 'Old Name', title: 'New Name' });
        for (const [file, text] of Object.entries(hidden)) expect(vault.read(file)).toBe(text);
        expect(vault.read('n/note 0.md')).toBe('before [[New Name]] after\n');
      }),
    );
  });

  it('tells its progress when it is asked to, up to the end', () =>
    withVault(linkedVault(250), (vault) =>
      withServer(vault, async ({ client }) => {
        const steps: { progress: number; total?: number | undefined }[] = [];
        await client.callTool({ name: 'update_node', arguments: { id: 'Old Name', title: 'New Name' } }, undefined, {
          onprogress: ({ progress, total }) => void steps.push({ progress, total }),
        });
        expect(steps.length).toBeGreaterThan(1);
        expect(steps.every(({ progress }, index) => index === 0 || progress > (steps[index - 1]?.progress ?? 0))).toBe(true);
        expect(steps.at(-1)?.total).toBeGreaterThanOrEqual(250);
      }),
    ));

  describe.each(['shortest', 'relative', 'absolute'] as const)('in an Obsidian vault with %s links', (newLinkFormat) => {
    it.each([false, true])('writes rewritten links so, and keeps their kind (useMarkdownLinks %s)', (useMarkdownLinks) =>
      withVault(
        {
          '.obsidian/app.json': JSON.stringify({ newLinkFormat, useMarkdownLinks }),
          'a/Old Name.md': '',
          'b/wiki.md': '[[Old Name]] [[a/Old Name|x]]\n',
          'b/markdown.md': '[x](../a/Old%20Name.md)\n',
        },
        (vault) =>
          withServer(vault, async ({ ask }) => {
            await ask('update_node', { id: 'Old Name', title: 'New Name' });
            const to = { shortest: 'New Name', relative: '../a/New Name', absolute: 'a/New Name' }[newLinkFormat];
            expect(vault.read('b/wiki.md')).toBe(`[[${to}]] [[${to}|x]]\n`);
            expect(vault.read('b/markdown.md')).toBe(`[x](${to.replace(' ', '%20')}.md)\n`);
          }),
      ),
    );
  });
});

describe('renaming and moving by the command line', () => {
  it('rename prints the new path; with --dry-run the difference, and nothing is written', () =>
    withVault({ ...linkedVault(2), '.roux/.keep': '' }, async (vault) => {
      const before = snapshot(vault);
      const dry = await cli(['rename', 'Old Name', 'New Name', '--vault', vault.root, '--dry-run']);
      expect(dry.status).toBe(0);
      expect(dry.stdout).toContain('-before [[Old Name]] after');
      expect(dry.stdout).toContain('+before [[New Name]] after');
      expect(snapshot(vault)).toEqual(before);
      const done = await cli(['rename', 'Old Name', 'New Name', '--vault', vault.root]);
      expect({ status: done.status, path: done.stdout.trim() }).toEqual({ status: 0, path: 'New Name.md' });
      expect(vault.read('n/note 1.md')).toBe('before [[New Name|shown]] after\n');
    }));

  it('move moves a note, then a folder, and links by path follow', () =>
    withVault(
      { 'a/Note One.md': '[[b/Two]] [x](../b/Two.md)\n', 'b/Two.md': '[[a/Note One]] [y](../a/Note%20One.md)\n' },
      async (vault) => {
        expect((await cli(['move', 'Note One', 'c/Note.md', '--vault', vault.root])).stderr).toContain('"roux rename"');
        expect((await cli(['move', 'Note One', 'c/d', '--vault', vault.root])).status).toBe(0);
        expect(vault.files()).toEqual(['b/Two.md', 'c/d/Note One.md']);
        expect(vault.read('b/Two.md')).toBe('[[c/d/Note One]] [y](../c/d/Note%20One.md)\n');
        expect(vault.read('c/d/Note One.md')).toBe('[[b/Two]] [x](../../b/Two.md)\n');
        const moved = await cli(['move', 'c/', 'b', '--vault', vault.root, '--json']);
        expect(JSON.parse(moved.stdout)).toMatchObject({ from: 'c', to: 'b/c' });
        expect(vault.files()).toEqual(['b/Two.md', 'b/c/d/Note One.md']);
        expect(vault.read('b/Two.md')).toBe('[[c/d/Note One]] [y](./c/d/Note%20One.md)\n');
        const missing = await cli(['move', 'nowhere', 'b', '--vault', vault.root]);
        expect(missing.status).not.toBe(0);
      },
    ));
});

describe.each(vaultsNamed('every-link', 'obsidian-help-en'))('on the vault $name', ({ root, isThere }) => {
  it.skipIf(!isThere)('renames its five most linked notes and moves a folder, and no link is lost nor an unrelated file touched', () =>
    withVault(root, async (vault) => {
      for (const file of vault.files()) chmodSync(vault.path(file), 0o644);
      const before = snapshot(vault);
      const unresolvedBefore = await unresolvedOf(vault);
      const renamed = new Map<string, string>();
      await withServer(vault, async ({ ask }) => {
        const hubs = (await ask('get_hubs', { limit: 5 })) as { id: string }[];
        expect(hubs).toHaveLength(5);
        for (const [index, { id }] of hubs.entries()) {
          const answer = await ask('update_node', { id, title: `Renamed (${index}) é` });
          renamed.set(id, answer.path);
        }
      });
      const folder =
        readdirSync(vault.root, { withFileTypes: true }).find((entry) => entry.isDirectory() && !entry.name.startsWith('.'))?.name ?? '';
      expect((await cli(['move', `${folder}/`, 'Moved', '--vault', vault.root])).status).toBe(0);
      expect(await unresolvedOf(vault)).toEqual(unresolvedBefore);

      const placeOf = (file: string): string => {
        const place = renamed.get(file) ?? file;
        return place.startsWith(`${folder}/`) ? `Moved/${place}` : place;
      };
      const after = snapshot(vault);
      expect(Object.keys(after).sort()).toEqual(Object.keys(before).map(placeOf).sort());
      for (const [file, text] of Object.entries(before)) {
        const now = after[placeOf(file)] ?? '';
        // Lines without a link stay byte for byte; a renamed note may gain an alias, also in a line that holds some.
        const hasLink = renamed.has(file) ? /\[\[|\]\(|^aliases:/ : /\[\[|\]\(|^\[[^\]]+\]: |"file":/;
        const kept = text.split('\n').filter((line) => !hasLink.test(line));
        const lines = new Set(now.split('\n'));
        const [was, is] = [text, now].map((each) => each.split('\n').length);
        expect(renamed.has(file) || is === was, file).toBe(true);
        expect(
          kept.filter((line) => !lines.has(line)),
          file,
        ).toEqual([]);
      }
    }),
  );
});

/** How many links lead nowhere, as a fresh server counts them. */
async function unresolvedOf(vault: TestVault): Promise<number> {
  const { stdout } = await cli(['unresolved', '--vault', vault.root, '--json']);
  return (JSON.parse(stdout) as unknown[]).length;
}

function changedOf(vault: TestVault, old: Readonly<Record<string, string>>): number {
  return Object.entries(old).filter(([file, text]) => file.startsWith('n/') && vault.readBytes(file).toString('latin1') !== text).length;
}
