import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { vaultsNamed } from '../../support/vaults.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { refused, renamed, withFiles } from './vault-files.ts';

describe('E-15 folders', () => {
  it('E-15 W34 every note and attachment moves, and all links follow, relative ones too', async () => {
    const files = {
      'a/N.md': '[[a/sub/M]] [x](sub/M.md) [up](../out.md) ![[./sub/i.png]]\n',
      'a/sub/M.md': '[[../N]] [y](../N.md) [[out]]\n',
      'a/sub/i.png': 'PNG',
      'a/b.canvas': '{"nodes":[{"id":"1","type":"file","file":"a/N.md"}]}',
      'out.md': '---\nup: "[[a/N]]"\n---\n[[a/sub/M|M]] [z](a/sub/i.png) [[M]]\n',
      'ab/k.md': '[[a/N]]\n',
    };
    const { after, answer } = await renamed(files, { 'a/': 'c/d/' });
    expect(after).toEqual({
      'c/d/N.md': '[[c/d/sub/M]] [x](sub/M.md) [up](../../out.md) ![[./sub/i.png]]\n',
      'c/d/sub/M.md': '[[../N]] [y](../N.md) [[out]]\n',
      'c/d/sub/i.png': 'PNG',
      'c/d/b.canvas': '{"nodes":[{"id":"1","type":"file","file":"c/d/N.md"}]}',
      'out.md': '---\nup: "[[c/d/N]]"\n---\n[[c/d/sub/M|M]] [z](c/d/sub/i.png) [[M]]\n',
      'ab/k.md': '[[c/d/N]]\n',
    });
    expect(answer.renamed).toEqual([{ from: 'a/', to: 'c/d/', files: 4 }]);
  });

  it('E-15 emptied folders go, one that still holds something stays', () =>
    withFiles({ 'a/deep/N.md': '', 'b/M.md': '', 'b/.keep': 'x' }, async ({ ask }, vault) => {
      await ask('rename', {
        changes: [
          { from: 'a/', to: 'c/' },
          { from: 'b/', to: 'd/' },
        ],
      });
      expect(vault.list('.').filter((name) => !name.startsWith('.'))).toEqual(['b', 'c', 'd']);
      expect(vault.list('b')).toEqual(['.keep']);
    }));

  it('E-15 merge puts two folders together, and overwrites no file', async () => {
    const files = { 'a/N.md': '[[a/M]]\n', 'a/M.md': '', 'b/K.md': '[[a/N]]\n' };
    const { after } = await renamed(files, { 'a/': 'b/' }, { merge: true });
    expect(after).toEqual({ 'b/N.md': '[[b/M]]\n', 'b/M.md': '', 'b/K.md': '[[b/N]]\n' });
    await withFiles({ 'a/N.md': 'A', 'a/M.md': '', 'b/n.md': 'B' }, async ({ refuse }, vault) => {
      const { error } = await refuse('rename', { changes: [{ from: 'a/', to: 'b/' }], merge: true });
      expect(error).toMatchObject({ code: 'NODE_EXISTS', message: expect.stringContaining('b/n.md is there already') });
      expect(vault.files().filter((file) => file.endsWith('.md'))).toEqual(['a/M.md', 'a/N.md', 'b/n.md']);
    });
  });

  it('E-15 a folder inside a folder, and a note in it, go where they are told', async () => {
    const files = { 'a/N.md': '', 'a/sub/M.md': '[[N]]\n', 'a/P.md': '', 'x.md': '[[a/N]] [[a/sub/M]] [[a/P]]\n' };
    const { after } = await renamed(files, { 'a/': 'b/', 'a/sub/': 'c/', 'a/N': 'New', 'a/P': 'q/P.md' });
    expect(after).toEqual({
      'b/New.md': '',
      'c/M.md': '[[New]]\n',
      'q/P.md': '',
      'x.md': '[[b/New]] [[c/M]] [[q/P]]\n',
    });
  });

  it('E-15 refuses to change the case of a folder alone, which many disks cannot tell from none', async () => {
    const error = await refused({ 'inbox/N.md': '', 'x.md': '[[inbox/N]]\n' }, { 'inbox/': 'Inbox/' });
    expect(error.message).toContain('Give it another name first');
  });

  it('E-15 the folder that holds the tasks stays where the setting says that it is', () =>
    withFiles({}, async ({ ask, refuse }) => {
      await ask('graph_open', { project: 'shed' });
      const { error } = await refuse('rename', { changes: [{ from: 'projects/', to: 'archive/' }] });
      expect(error.message).toContain('tasks.root');
    }));

  it('E-15 a base keeps its formulas: folders that it compares with follow, what it calls is named', async () => {
    const files = {
      'Places/Harbour.md': '',
      'w.base':
        'filters:\n  and:\n    - file.inFolder("Places")\n    - \'file.folder == "Places/Old"\'\n    # file.folder == "Places"\n    - "file.path != \\"Places/Harbour.md\\""\n    - status == "Places"\n',
    };
    const { after, answer } = await renamed(files, { 'Places/': 'Sites/' });
    expect(after['w.base']).toBe(files['w.base'].replace('Places/Old', 'Sites/Old').replace('Places/Harbour', 'Sites/Harbour'));
    expect(answer._warnings).toEqual(['w.base: a filter names inFolder("Places"); it was left alone. Change it by hand.']);
  });

  it('E-15 a base with a very long line is read once, each argument by those before it', async () => {
    const tags = Array.from({ length: 120_000 }, (_, at) => `"t${at}"`).join(', ');
    const files = {
      'a/N.md': '',
      'v.base': `filters: 'tags.containsAny("", ${tags}) && (inFolder( "a" ) || file.hasLink("x", "a/N") || file.folder != "a" || "a" + "/N.md")'\n`,
    };
    const { after, answer } = await renamed(files, { 'a/': 'b/' });
    expect(after['v.base']).toBe(files['v.base'].replace('file.folder != "a"', 'file.folder != "b"'));
    expect(answer._warnings.map((warning: string) => /names (.*?);/.exec(warning)?.[1])).toEqual(['inFolder("a")', 'hasLink("a/N")']);
  });

  it('E-15 a base goes with its folder, and names the new one', async () => {
    const files = { 'a/N.md': '', 'a/v.base': 'filters: \'file.folder == "a"\'\n', 'x.md': '![[v.base]]\n' };
    const { after } = await renamed(files, { 'a/': 'b/' });
    expect(after).toEqual({ 'b/N.md': '', 'b/v.base': 'filters: \'file.folder == "b"\'\n' });
  });

  it('E-15 refuses an empty folder name', async () => {
    expect((await refused({ 'a/N.md': '' }, { 'a/': '/' })).code).toBe('INVALID_PARAMS');
  });
});

describe.each(vaultsNamed('every-link', 'library', 'obsidian-help-en', 'kepano'))('E-15 in the vault $name', ({ root, isThere }) => {
  it.skipIf(!isThere)('every folder moves below another one, and no link leads elsewhere', () =>
    withVault(root, (vault) =>
      withServer(vault, async ({ ask }) => {
        for (const file of vault.files()) chmodSync(vault.path(file), 0o644);
        vault.write('.rouxrc.json', '{"links": {"format": "minimal"}}');
        // In the folder of templates, placeholders are no links.
        const targets = async (): Promise<string[]> => {
          const listed = await ask('list_nodes', { ghosts: true, limit: 200 });
          return (listed.nodes as { title: string }[]).map(({ title }) => title).filter((title) => !title.includes('{{'));
        };
        const before = await targets();
        const folders = [...new Set(vault.files().flatMap((file) => (file.includes('/') ? [file.split('/')[0] ?? ''] : [])))];
        await ask('rename', { changes: folders.map((from) => ({ from: `${from}/`, to: `All of it/${from}/` })) });
        for (const folder of folders) expect(vault.exists(folder), folder).toBe(false);
        expect(await targets()).toEqual(before);
      }),
    ),
  );
});
