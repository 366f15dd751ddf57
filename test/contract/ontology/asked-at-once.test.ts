import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const flags = ['--toolsets', 'vault,ontology'];

const ONTOLOGY = `---
type: ontology
node_types: [Person, Company, Config]
connection_types:
  - name: WORKS_AT
    from_types: [Person]
    to_types: [Company]
    single: true # one at a time
    colour: red
  - name: KNOWS
    from_types: [Person]
    to_types: [Person]
---
What we know.
`;

const NOTES = {
  'ontology.md': ONTOLOGY,
  'people/Alice.md': '---\ntype: Person\nage: 41\n---\nAlice likes tea.\n',
  'people/Bo.md': '---\ntype: Person\n---\nBo likes coffee, and [[Alice]].\n',
  'firms/Acme.md': '---\ntype: Company\n---\nMakes tea.\n',
};

const withTypes = (run: (session: McpSession, vault: TestVault) => Promise<void>): Promise<void> =>
  withVault(NOTES, (vault) => withServer(vault, (session) => run(session, vault), { flags }));

/** Alice works at Acme, and Bo knows her. */
async function connect(ask: McpSession['ask']): Promise<{ readonly works: string; readonly knows: string }> {
  const make = async (type: string, from: string, to: string, properties = {}): Promise<string> =>
    (await ask('create_connection', { type, from_node_id: from, to_node_id: to, properties })).connection_id;
  return { works: await make('WORKS_AT', 'Alice', 'Acme', { since: 2020 }), knows: await make('KNOWS', 'Bo', 'Alice') };
}

describe('item 8 the ontology tools answer with what was asked for', () => {
  it('include: true gives the notes with their connections beside the ids, in one call', () =>
    withTypes(async ({ ask }) => {
      const { works, knows } = await connect(ask);
      const { node_ids: ids, nodes } = await ask('query_nodes', { type: 'Person', include: true });
      expect(ids).toEqual(['people/Alice.md', 'people/Bo.md']);
      expect(nodes).toMatchObject([
        {
          id: 'people/Alice.md',
          type: 'Person',
          properties: { age: 41 },
          content: expect.stringContaining('Alice likes tea.') as string,
          connections: [
            { connection_id: works, type: 'WORKS_AT', direction: 'out', id: 'firms/Acme.md', title: 'Acme' },
            { connection_id: knows, type: 'KNOWS', direction: 'in', id: 'people/Bo.md', title: 'Bo' },
          ],
        },
        { id: 'people/Bo.md', connections: [{ type: 'KNOWS', direction: 'out', id: 'people/Alice.md' }] },
      ]);
      expect((await ask('search_content', { query: 'makes tea', include: true })).nodes).toMatchObject([
        { id: 'firms/Acme.md', connections: [{ connection_id: works, direction: 'in' }] },
      ]);
      const connected = await ask('get_connected_nodes', { node_id: 'Alice', include: true });
      expect(connected.node_ids).toEqual(['firms/Acme.md', 'people/Bo.md']);
      expect(connected.nodes.map((node: { connections: unknown }) => node.connections)).toEqual([
        [{ connection_id: works, type: 'WORKS_AT', direction: 'out' }],
        [{ connection_id: knows, type: 'KNOWS', direction: 'in' }],
      ]);
      const found = await ask('query_connections', { from_node_id: 'Alice', include: true });
      expect(found.connection_ids).toEqual([works]);
      expect(found.connections).toEqual([await ask('get_connection', { connection_id: works })]);
      expect(found.nodes).toEqual([
        { id: 'people/Alice.md', title: 'Alice', path: 'people/Alice.md' },
        { id: 'firms/Acme.md', title: 'Acme', path: 'firms/Acme.md' },
      ]);
      // Without it they answer as their document says.
      expect(await ask('query_nodes', { type: 'Person' })).toEqual({ node_ids: ['people/Alice.md', 'people/Bo.md'] });
      expect(await ask('query_connections', { from_node_id: 'Alice' })).toEqual({ connection_ids: [works] });
      expect(await ask('get_connected_nodes', { node_id: 'Alice', direction: 'out' })).toEqual({ node_ids: ['firms/Acme.md'] });
    }));

  it('pages of notes end where the next begins, and none is lost', () => {
    const many = Object.fromEntries(
      Array.from({ length: 130 }, (_, at) => [`p/${String(at).padStart(3, '0')}.md`, `---\ntype: Config\n---\n${'long '.repeat(40)}\n`]),
    );
    return withVault({ 'ontology.md': ONTOLOGY, ...many }, (vault) =>
      withServer(
        vault,
        async ({ ask }) => {
          const seen: string[] = [];
          for (let offset: number | undefined = 0; offset !== undefined;) {
            const page: { node_ids: string[]; nodes: { id: string }[]; next_offset?: number } = await ask('query_nodes', {
              type: 'Config',
              include: true,
              offset,
            });
            expect(page.nodes.map(({ id }) => id)).toEqual(page.node_ids);
            seen.push(...page.node_ids);
            offset = page.next_offset;
          }
          expect(seen).toEqual(Object.keys(many));
        },
        { flags },
      ),
    );
  });

  it('get_node and get_neighbors say of what type a connection is', () =>
    withTypes(async ({ ask }) => {
      expect(await ask('get_node', { id: 'Alice' })).not.toHaveProperty('connections');
      const { works, knows } = await connect(ask);
      expect((await ask('get_node', { id: 'Alice', depth: 1 })).connections).toEqual([
        { connection_id: works, type: 'WORKS_AT', direction: 'out', id: 'firms/Acme.md', title: 'Acme' },
        { connection_id: knows, type: 'KNOWS', direction: 'in', id: 'people/Bo.md', title: 'Bo' },
      ]);
      const near = await ask('get_neighbors', { id: 'Bo' });
      expect(near).toMatchObject([{ id: 'people/Alice.md', connections: [{ connection_id: knows, type: 'KNOWS', direction: 'out' }] }]);
      expect((await ask('get_neighbors', { id: 'Acme' }))[0].connections).toEqual([
        { connection_id: works, type: 'WORKS_AT', direction: 'in' },
      ]);
    }));

  it('a connection that is made again is the one that is there, and nothing is written', () =>
    withTypes(async ({ ask }, vault) => {
      const { works } = await connect(ask);
      const before = vault.read('people/Alice.md');
      const again = { type: 'WORKS_AT', from_node_id: 'people/Alice.md', to_node_id: 'acme' };
      expect(await ask('create_connection', { ...again, properties: { since: 2020 } })).toEqual({ connection_id: works });
      expect(vault.read('people/Alice.md')).toBe(before);
      expect(await ask('create_connection', { ...again, properties: { since: 2020 }, dry_run: true })).toEqual({ dry_run: true, diff: '' });
      const other = await ask('create_connection', { ...again, properties: { since: 2021 } });
      expect(other.connection_id).not.toBe(works);
      const text = await ask('create_connection', { ...again, properties: { since: 2020 }, content: 'as head' });
      expect(await ask('create_connection', { ...again, properties: { since: 2020 }, content: 'as head' })).toEqual(text);
      expect((await ask('query_connections', { type: 'WORKS_AT' })).connection_ids).toHaveLength(3);
    }));
});

describe('item 8 types are renamed and removed where nothing has them', () => {
  it('a node type with the connection types that name it, as one write that undo takes back; what people wrote there stays', () =>
    withTypes(async ({ ask, refuse }, vault) => {
      const rename = { type_name: 'Company', new_name: 'Firm' };
      const { error } = await refuse('rename_type', rename);
      expect(error).toMatchObject({ code: 'CONFLICT', details: { type_name: 'Company', used_by: 1, examples: ['firms/Acme.md'] } });
      expect(error.message).toContain('1 note (firms/Acme.md)');
      expect(vault.read('ontology.md')).toBe(ONTOLOGY);
      vault.remove('firms/Acme.md');
      expect((await ask('rename_type', { ...rename, dry_run: true })).diff).toContain('Firm');
      expect(vault.read('ontology.md')).toBe(ONTOLOGY);
      const types = await ask('rename_type', rename);
      expect(types.node_types).toEqual(['Person', 'Firm', 'Config']);
      expect(types.connection_types[0]).toMatchObject({ name: 'WORKS_AT', to_types: ['Firm'], single: true });
      expect(vault.read('ontology.md')).toMatch(/colour: red[^]*What we know\.\n$/);
      const batch = vault.list('.roux/history/batches').at(-1)?.replace('.json', '') ?? '';
      expect(await cli(['undo', batch, '--vault', vault.root])).toMatchObject({ status: 0 });
      expect(vault.read('ontology.md')).toBe(ONTOLOGY);
    }));

  it('a connection type, which connections hold as notes hold theirs', () =>
    withTypes(async ({ ask, refuse }, vault) => {
      const { knows } = await connect(ask);
      const { error } = await refuse('remove_type', { type_name: 'KNOWS' });
      expect(error).toMatchObject({ code: 'CONFLICT', details: { used_by: 1, examples: [knows] } });
      expect(vault.read('ontology.md')).toBe(ONTOLOGY);
      await ask('delete_connection', { connection_id: knows });
      expect((await ask('rename_type', { type_name: 'KNOWS', new_name: 'MET' })).connection_types[1]).toEqual({
        name: 'MET',
        from_types: ['Person'],
        to_types: ['Person'],
      });
      expect((await ask('remove_type', { type_name: 'MET' })).connection_types).toHaveLength(1);
      expect(vault.read('ontology.md')).toContain('colour: red');
    }));

  it('refuses what would leave an ontology that cannot be read, and names that are taken, unknown or of both kinds', () =>
    withTypes(async ({ ask, refuse }, vault) => {
      const codeOf = async (tool: string, args: Record<string, unknown>): Promise<string> => (await refuse(tool, args)).error.code;
      vault.remove('firms/Acme.md');
      expect(await codeOf('remove_type', { type_name: 'Company' })).toBe('CONFLICT');
      expect(await codeOf('rename_type', { type_name: 'Config', new_name: 'Person' })).toBe('TYPE_ALREADY_EXISTS');
      expect(await codeOf('remove_type', { type_name: 'Nothing' })).toBe('INVALID_ARGUMENT');
      expect(await codeOf('remove_type', { type_name: 'task', kind: 'node' })).toBe('INVALID_NODE_TYPE');
      expect(await codeOf('remove_type', { type_name: 'Config', kind: 'connection' })).toBe('INVALID_CONNECTION_TYPE');
      expect(vault.read('ontology.md')).toBe(ONTOLOGY);
      await ask('add_node_type', { type_name: 'KNOWS' });
      expect(await codeOf('remove_type', { type_name: 'KNOWS' })).toBe('AMBIGUOUS');
      expect((await ask('remove_type', { type_name: 'KNOWS', kind: 'node' })).node_types).toEqual(['Person', 'Company', 'Config']);
      for (const type_name of ['WORKS_AT', 'KNOWS', 'Company', 'Config']) await ask('remove_type', { type_name });
      vault.remove('people/Alice.md');
      vault.remove('people/Bo.md');
      expect(await codeOf('remove_type', { type_name: 'Person' })).toBe('INVALID_ARGUMENT');
      expect(await ask('get_ontology')).toEqual({ node_types: ['Person'], connection_types: [] });
    }));

  it('a vault without an ontology says how to make one, and what it says works', () =>
    withVault({ 'a.md': 'x\n', '.obsidian/app.json': '{"newFileLocation": "folder", "newFileFolderPath": "inbox"}' }, (vault) =>
      withServer(vault, async ({ ask, refuse, client }) => {
        const wanted = { type: 'Config', content: '{}', encoding: 'utf-8', format: 'json' };
        const { error } = await refuse('ensure_singleton_node', wanted);
        expect(error.code).toBe('ONTOLOGY_NOT_FOUND');
        expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('create_ontology');
        const [, call = ''] = /create_node (\{.*\})\.$/.exec(error.message) ?? [];
        expect(await ask('create_node', JSON.parse(call) as Record<string, unknown>)).toMatchObject({ path: 'ontology.md' });
        expect(await ask('ensure_singleton_node', wanted)).toMatchObject({ created: true });
      }),
    ));
});
