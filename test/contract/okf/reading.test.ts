import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpInside } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { BUNDLE, bundleIn, UNDECLARED } from './bundle.ts';

/** The ids of the notes that a note links to. */
async function linksOf({ ask }: McpInside, id: string): Promise<readonly string[]> {
  const found: readonly { readonly id: string }[] = await ask('get_neighbors', { id, direction: 'out' });
  return found.map((each) => each.id).sort();
}

async function listed({ ask }: McpInside, args: Record<string, unknown> = {}): Promise<readonly string[]> {
  const { nodes }: { readonly nodes: readonly { readonly id: string }[] } = await ask('list_nodes', args);
  return nodes.map(({ id }) => id).sort();
}

const CONCEPTS = ['bean.md', 'beds/bean.md', 'beds/tomato.md', 'rules/water.md'];
const RESERVED = ['beds/index.md', 'index.md', 'log.md', 'rules/index.md'];

it('G-04 links of a bundle lead from its top or from their folder, and its index.md and log.md are in lists and search only on request', () =>
  withVault(BUNDLE, (vault) =>
    withServer(vault, async (session) => {
      const { ask } = session;
      // `bean.md` is the one beside it, and not the one at the top.
      expect(await linksOf(session, 'beds/tomato.md')).toEqual(['beds/bean.md', 'rules/water.md']);
      expect(await linksOf(session, 'beds/bean.md')).toEqual(['beds/tomato.md']);
      expect(await listed(session)).toEqual(CONCEPTS);
      expect(await listed(session, { reserved: true })).toEqual(RESERVED);
      const hits: readonly { readonly path: string }[] = await ask('search', { query: 'morning', mode: 'keyword' });
      expect(hits.map(({ path }) => path)).toEqual(['rules/water.md']);
      const reserved: readonly { readonly path: string }[] = await ask('search', { query: 'morning', reserved: true });
      expect(reserved.map(({ path }) => path)).toEqual(['rules/index.md']);
      const ghosts: { readonly nodes: readonly { readonly id: string }[] } = await ask('list_nodes', { ghosts: true });
      expect(ghosts.nodes.map(({ id }) => id)).toEqual(['/beds/pea.md']);
      expect((await ask('get_node', { id: 'beds/index.md' }))['content']).toContain('# Bed');
      expect(await ask('get_node', { id: 'beds/tomato.md' })).toMatchObject({
        type: 'Bed',
        _confirmed: { by: 'human:ana', at: '2026-05-01T08:00:00.000Z' },
        _stale: 'since 2026-06-01',
      });
    }),
  ));

it('G-04 a bundle in a folder of a vault, by okf_version or by the setting, changes nothing in the notes around it', () =>
  withVault(
    {
      '.rouxrc.json': JSON.stringify({ okf: { bundles: ['named'] } }),
      ...bundleIn('declared'),
      ...bundleIn('named', UNDECLARED),
      ...bundleIn('plain', UNDECLARED),
      'index.md': 'Home. [[log]] and [[plain/index]]\n',
      'log.md': 'Days. [[index]] [[tomato]] [rule](/named/rules/water.md)\n',
    },
    (vault) =>
      withServer(vault, async (session) => {
        const { ask } = session;
        for (const folder of ['declared', 'named'])
          expect(await linksOf(session, `${folder}/beds/tomato.md`), folder).toEqual([
            `${folder}/beds/bean.md`,
            `${folder}/rules/water.md`,
          ]);
        // An ordinary folder: `/…` is the top of the vault.
        expect(await linksOf(session, 'plain/bean.md')).toEqual([]);
        const all = await listed(session);
        expect(all.filter((path) => /(?:index|log)\.md$/.test(path))).toEqual([
          'index.md',
          'log.md',
          'plain/beds/index.md',
          'plain/index.md',
          'plain/log.md',
          'plain/rules/index.md',
        ]);
        expect(await linksOf(session, 'index.md')).toEqual(['log.md', 'plain/index.md']);
        expect(await linksOf(session, 'log.md')).toContain('index.md');
        // Once the plain folder is a bundle too, its files are reserved, without a restart.
        await ask('update_node', { id: 'plain/index.md', properties: { okf_version: '0.2' } });
        expect((await listed(session)).filter((path) => path.startsWith('plain/'))).toEqual(CONCEPTS.map((path) => `plain/${path}`));
        expect(await linksOf(session, 'plain/bean.md')).toEqual(['plain/beds/bean.md']);
        expect(await linksOf(session, 'index.md')).toEqual(['log.md']);
      }),
  ));

it('G-04 no name becomes ambiguous by the index.md and log.md files of a bundle', () =>
  withVault(
    { ...bundleIn('a'), ...bundleIn('b'), 'x.md': '[[index]] [[log]] [[tomato]]\n', 'notes/index.md': 'The only one.\n' },
    (vault) =>
      withServer(vault, async (session) => {
        expect(await linksOf(session, 'x.md')).toContain('notes/index.md');
        expect((await session.ask('get_node', { id: 'index' }))['id']).toBe('notes/index.md');
        expect((await session.ask('get_node', { id: 'a/index' }))['id']).toBe('a/index.md');
        const { stdout } = await cli(['doctor', '--json', '--vault', vault.root]);
        const { findings } = JSON.parse(stdout) as { findings: readonly { kind: string; message: string }[] };
        const ambiguous = findings.filter(({ kind }) => kind === 'ambiguous-link');
        expect(JSON.stringify(ambiguous)).toContain('tomato');
        expect(JSON.stringify(ambiguous)).not.toMatch(/index|log/);
      }),
  ));

it('G-04 a renamed concept is linked in the form of the format, and the index of its folder follows', () =>
  withVault(BUNDLE, (vault) =>
    withServer(vault, async ({ ask }) => {
      await ask('rename', { changes: [{ from: 'beds/tomato.md', to: 'rules/' }] });
      expect(vault.read('beds/index.md')).toContain('[Tomatoes](../rules/tomato.md)');
      expect(vault.read('beds/bean.md')).toContain('[tomatoes](../rules/tomato.md)');
      expect(vault.read('log.md')).toContain('[Tomatoes](/rules/tomato.md)');
      expect(vault.read('rules/tomato.md')).toContain('[the rule](/rules/water.md)');
      expect(vault.read('rules/tomato.md')).toContain('[beans](../beds/bean.md)');
    }),
  ));

it('G-04 a bundle whose folder is renamed stays whole: its own links stay as they are, and those into it follow', () =>
  withVault({ ...bundleIn('k'), 'home.md': '[[k/beds/tomato]] [rule](/k/rules/water.md)\n' }, (vault) =>
    withServer(vault, async (session) => {
      await session.ask('rename', { changes: [{ from: 'k/', to: 'garden/' }] });
      for (const [path, text] of Object.entries(BUNDLE)) expect(vault.read(`garden/${path}`), path).toBe(text);
      expect(vault.read('home.md')).toBe('[[garden/beds/tomato]] [rule](/garden/rules/water.md)\n');
      expect(await linksOf(session, 'garden/beds/tomato.md')).toEqual(['garden/beds/bean.md', 'garden/rules/water.md']);
    }),
  ));

it('G-04 a bundle is the same after a warm start, and when the setting that names it is gone', () =>
  withVault(
    { '.rouxrc.json': '{"okf": {"bundles": ["named"]}}', ...bundleIn('named', UNDECLARED), ...bundleIn('declared') },
    async (vault) => {
      const look = () =>
        withServer(vault, async (session) => ({
          all: (await listed(session)).length,
          named: await linksOf(session, 'named/bean.md'),
          declared: await linksOf(session, 'declared/bean.md'),
        }));
      const bundles = { all: 8, named: ['named/beds/bean.md'], declared: ['declared/beds/bean.md'] };
      expect([await look(), await look()]).toEqual([bundles, bundles]);
      vault.write('.rouxrc.json', '{}');
      expect(await look()).toEqual({ ...bundles, all: 12, named: [] });
    },
  ));
