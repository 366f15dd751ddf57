import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

describe('warnings', () => {
  it('S2-30 are on the node they concern, delivered once, and again when the cause comes back', () =>
    withVault({ 'a.md': '---\ntags: [t, T]\n---\n[[gone]] and [[also gone]]\n', 'b.md': '[[lost]]\n', 'c.md': '[[a]]' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('get_node', { id: 'c' });
        const first = await ask('get_node', { id: 'a' });
        expect(first._warnings.slice(0, 2)).toEqual(['Broken link: [[gone]]', 'Broken link: [[also gone]]']);
        expect(first._warnings[2]).toContain('Duplicate tag ignored: ');
        expect(await ask('get_node', { id: 'a' })).not.toHaveProperty('_warnings');
        // Not lost by calls about other notes, and found in lists too.
        expect((await ask('search', { query: 'lost' }))[0]._warnings).toEqual(['Broken link: [[lost]]']);
        vault.write('a.md', '[[gone]] and [[a newer one]]\n');
        expect((await ask('get_node', { id: 'a' }))._warnings).toEqual(['Broken link: [[a newer one]]']);
        vault.write('a.md', 'nothing\n');
        await ask('get_node', { id: 'a' });
        vault.write('a.md', '[[gone]]\n');
        expect((await ask('get_node', { id: 'a' }))._warnings).toEqual(['Broken link: [[gone]]']);
      }),
    ));

  it('S2-31 reach each client once', () =>
    withVault({ 'a.md': '[[gone]]\n' }, (vault) =>
      withServer(vault, (one) =>
        withServer(vault, async (two) => {
          for (const { ask } of [one, two]) {
            expect((await ask('get_node', { id: 'a' }))._warnings).toEqual(['Broken link: [[gone]]']);
            expect(await ask('get_node', { id: 'a' })).not.toHaveProperty('_warnings');
          }
        }),
      ),
    ));

  it('S2-32 a note whose frontmatter cannot be read is served with a warning, found, and never rewritten', () => {
    const broken = {
      'broken.md': '---\ntitle: [unclosed\n---\nbody apple\n',
      'tabs.md': '---\na:\n\tb: 1\n---\nbody apple\n',
      'bom.md': '\uFEFF---\r\ntitle: With BOM\r\n---\r\nbody apple\r\n',
      'huge.md': `---\n${Array.from({ length: 20_000 }, (_, index) => `key${index}: value`).join('\n')}\n---\nbody apple\n`,
      'double.md': '---\na: 1\na: 2\n---\nbody apple\n',
    };
    return withVault(broken, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const found = await ask('search', { query: 'apple' });
        expect(found.map((each: { id: string }) => each.id).sort()).toEqual(Object.keys(broken).sort());
        for (const id of ['broken', 'huge', 'double']) {
          const { error } = await refuse('update_node', { id, properties: { x: 1 } });
          expect(error.code, id).toBe('INVALID_FRONTMATTER');
        }
        expect((await ask('get_node', { id: 'With BOM' })).content).toBe('body apple\r\n');
        for (const [file, text] of Object.entries(broken)) expect(vault.read(file), file).toBe(text);
      }),
    );
  });
});

describe('following the disk', () => {
  it('S2-33 an edit in another program is seen within a second, an answer of our own write at once', () =>
    withVault({ 'a.md': 'before\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('search', { query: 'before' });
        vault.write('new.md', 'pineapple\n');
        await waitFor(async () => (await ask('search', { query: 'pineapple' })).length === 1, { what: 'the new note in search' });
        vault.write('a.md', 'after\n');
        expect((await ask('get_node', { id: 'a' })).content).toBe('after\n');
        await ask('create_node', { title: 'Mine', content: 'quince' });
        expect((await ask('search', { query: 'quince' })).map((each: { title: string }) => each.title)).toEqual(['Mine']);
      }),
    ));

  it('S2-34 saves by rename, deletions and moves end in what is on the disk', () =>
    withVault({ 'a.md': 'one\n', 'b.md': '[[a]]\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('get_node', { id: 'a' });
        vault.write('a.md.tmp', 'two\n');
        renameSync(vault.path('a.md.tmp'), vault.path('a.md'));
        await waitFor(async () => (await ask('search', { query: 'two' })).length === 1, { what: 'the saved text' });
        renameSync(vault.path('a.md'), vault.path('moved.md'));
        await waitFor(async () => (await ask('list_nodes', {})).nodes.some((each: { id: string }) => each.id === 'moved.md'), {
          what: 'the move',
        });
        vault.remove('b.md');
        await waitFor(async () => (await ask('list_nodes', {})).total === 1, { what: 'the deletion' });
        expect(await ask('get_node', { id: 'b' })).toBeNull();
      }),
    ));
});
