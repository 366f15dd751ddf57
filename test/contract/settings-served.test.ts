import { mkdirSync, renameSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config.ts';
import { createLiveConfig } from '../../src/system/settings-files/live-config.ts';
import { cliProcess } from '../support/program/cli.ts';
import { withMcp } from '../support/program/mcp-client.ts';
import { withServer } from '../support/program/mcp-server.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';

const notes = {
  '.rouxrc.json': '{}',
  'a.md': 'apple [[b]]\n',
  'b.md': 'apple\n',
  'private/p.md': 'apple [[b]]\n',
  'drafts/d.md': 'apple\n',
};

/** As programs save settings: a new file in place of the old one. */
function save(vault: TestVault, file: string, value: unknown): void {
  vault.write(`${file}.new`, typeof value === 'string' ? value : JSON.stringify(value));
  renameSync(vault.path(`${file}.new`), vault.path(file));
}

const pathsOf = (nodes: readonly { id: string }[]): readonly string[] => nodes.map(({ id }) => id).toSorted();

describe('item 23: settings that change while a vault is served', () => {
  it('userIgnoreFilters and ignore are followed by the next call, there and back, and nobody is said to have edited the notes', () =>
    withVault(notes, async (vault) => {
      await withServer(vault, async ({ ask, call }) => {
        const find = async () => pathsOf(await ask('search', { query: 'apple' }));
        const all = ['a.md', 'b.md', 'drafts/d.md', 'private/p.md'];
        expect(await find()).toEqual(all);
        mkdirSync(vault.path('.obsidian'));
        save(vault, '.obsidian/app.json', { userIgnoreFilters: ['private/'] });
        expect(await find()).toEqual(['a.md', 'b.md', 'drafts/d.md']);
        expect(pathsOf(await ask('get_neighbors', { id: 'b', direction: 'in' }))).toEqual(['a.md']);
        save(vault, '.rouxrc.json', { ignore: ['drafts/'] });
        expect(await find()).toEqual(['a.md', 'b.md']);
        save(vault, '.rouxrc.json', { ignore: ['b.md'] });
        vault.write('.obsidian/app.json', '{"userIgnoreFil');
        expect(await find()).toEqual(['a.md', 'drafts/d.md']);
        save(vault, '.rouxrc.json', { ignore: ['drafts/'] });
        // Half of a file, as one that is being saved may look, changes nothing; the whole one does.
        vault.write('.obsidian/app.json', '{"userIgnoreFilters": [');
        expect(await find()).toEqual(['a.md', 'b.md']);
        vault.write('.obsidian/app.json', '\uFEFF{"userIgnoreFilters": []}');
        expect(await find()).toEqual(['a.md', 'b.md', 'private/p.md']);
        vault.remove('.obsidian');
        save(vault, '.rouxrc.json', {});
        expect(await find()).toEqual(all);
        expect((await call('list_nodes', {})).texts).toHaveLength(1);
      });
      // Had it been taken for an edit, there would be a history.
      expect(vault.list('.roux').filter((name) => !name.startsWith('.'))).toEqual(['cache']);
    }));

  it('link settings and those of tools are followed by the next call', () =>
    withVault({ ...notes, '.obsidian/app.json': '{}', 'deep/er/b2.md': 'x\n', 'c.md': '[[b2]]\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse, call }) => {
        await ask('update_node', { id: 'b', title: 'b3' });
        expect(vault.read('a.md')).toContain('[[b3]]');
        save(vault, '.obsidian/app.json', { newLinkFormat: 'absolute' });
        await ask('update_node', { id: 'b2', title: 'b4' });
        expect(vault.read('c.md')).toContain('[[deep/er/b4]]');
        save(vault, '.rouxrc.json', {
          links: { format: 'relative' },
          filenames: 'title',
          tasks: { requireEvidence: true },
          writes: { blind: 'refuse' },
        });
        expect((await ask('create_node', { title: 'My Title' })).path).toBe('My Title.md');
        await ask('graph_open', { project: 'P' });
        const { created } = await ask('graph_plan', { project: 'P', nodes: [{ ref: 'x', summary: 'X' }] });
        expect(JSON.stringify(await refuse('graph_update', { updates: [{ node_id: created[0].id, resolved: true }] }))).toMatch(/evidence/);
        expect((await refuse('update_node', { id: 'drafts/d', content: 'new' })).error.code).toBe('CONFLICT');
        save(vault, '.rouxrc.json', {});
        expect((await call('graph_update', { updates: [{ node_id: created[0].id, resolved: true }] })).isError).toBe(false);
      }),
    ));

  it('what holds from the start on is named once, and what cannot be read leaves the settings as they were', () =>
    withVault(notes, (vault) =>
      withServer(vault, async ({ call, client }) => {
        const warnings = async (): Promise<string> => (await call('search', { query: 'apple' })).texts.slice(1).join('\n');
        expect(await warnings()).toBe('');
        save(vault, '.rouxrc.json', { toolsets: ['memory'], readOnly: true, tasks: { root: 'work' }, ignore: ['drafts/'] });
        const told = await warnings();
        expect(told).toContain('toolsets, readOnly, tasks.root changed in the settings while this server runs; restart it');
        expect(told).not.toContain('ignore');
        expect(await warnings()).toBe('');
        expect((await client.listTools()).tools.some(({ name }) => name === 'create_node')).toBe(true);
        // It holds as it was: the rest of the same file is followed.
        expect(pathsOf((await call('search', { query: 'apple' })).value)).not.toContain('drafts/d.md');
        await call('graph_open', { project: 'P' });
        expect(vault.exists('projects/p/p.md')).toBe(true);
        save(vault, '.rouxrc.json', '{"ignore": [');
        expect(await warnings()).toMatch(/\.rouxrc\.json is not valid JSON.*Until then the settings from before hold\./);
        expect(pathsOf((await call('search', { query: 'apple' })).value)).not.toContain('drafts/d.md');
        save(vault, '.rouxrc.json', { http: { port: 1 } });
        expect(await warnings()).toMatch(/http\.port.* may not be set by a vault/);
        save(vault, '.rouxrc.json', {});
        expect(await warnings()).toBe('');
        expect(pathsOf((await call('search', { query: 'apple' })).value)).toContain('drafts/d.md');
      }),
    ));

  it('a flag goes before what is written into a file meanwhile', () =>
    withVault(notes, (vault) =>
      withMcp(
        vault,
        async ({ ask }) => {
          save(vault, '.rouxrc.json', { ignore: ['drafts/'] });
          await ask('create_node', { title: 'New' });
          expect(pathsOf(await ask('search', { query: 'apple' }))).not.toContain('drafts/d.md');
          expect((await cliProcess(['history', 'new', '--vault', vault.root])).stdout).toContain('by ada');
        },
        { flags: ['--agent', 'ada'] },
      ),
    ));

  it('costs a look at each file and a call, and a reading only where one changed', () => {
    const [stamps, loads] = [{ count: 0 }, { count: 0 }];
    let stamp = 'first';
    const start = configSchema.parse({});
    const settings = createLiveConfig(start, {
      stamp: () => ((stamps.count += 1), stamp),
      load: () => ((loads.count += 1), configSchema.parse({ ignore: ['x'] })),
    });
    for (let call = 0; call < 10; call += 1) expect(settings().config).toBe(start);
    expect([stamps.count, loads.count]).toEqual([11, 0]);
    stamp = 'second';
    for (let call = 0; call < 10; call += 1) expect(settings().config.ignore).toEqual(['x']);
    expect([stamps.count, loads.count]).toEqual([21, 1]);
  });

  it('the file of settings itself is only read', () =>
    withVault(notes, (vault) =>
      withServer(vault, async ({ ask }) => {
        const before = statSync(vault.path('.rouxrc.json'), { bigint: true });
        await ask('search', { query: 'apple' });
        expect(statSync(vault.path('.rouxrc.json'), { bigint: true }).mtimeNs).toBe(before.mtimeNs);
      }),
    ));
});
