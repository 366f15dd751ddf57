import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const NOTES = {
  'tea.md': '---\ntype: Shelf\n---\nA pot. [[cup]]\n',
  'cup.md': '---\ntype: Book\n---\nOf clay.\n',
  'ontology.md':
    '---\ntype: ontology\nnode_types: [Shelf, Book]\nconnection_types:\n  - name: HOLDS\n    from_types: [Shelf]\n    to_types: [Book]\n---\n',
};

/** Calls under the tool's own names, and the same under those of others. */
const SAME: readonly (readonly [string, Record<string, unknown>, ...Record<string, unknown>[]])[] = [
  ['get_node', { id: 'tea' }, { node_id: 'tea' }, { node: 'tea' }],
  ['get_nodes', { ids: ['tea'] }, { node_ids: ['tea'] }],
  ['get_neighbors', { id: 'tea', limit: 1 }, { node: 'tea', count: 1 }],
  ['get_node_content', { node_id: 'tea' }, { id: 'tea' }, { node: 'tea' }],
  ['find_path', { source: 'tea', target: 'cup' }, { from: 'tea', to: 'cup' }, { from_node_id: 'tea', to_node_id: 'cup' }],
  [
    'query_connections',
    { from_node_id: 'tea', type: 'HOLDS' },
    { from: 'tea', connection_type: 'HOLDS' },
    { source: 'tea', type: 'HOLDS' },
  ],
  ['get_connected_nodes', { node_id: 'tea', connection_type: 'HOLDS' }, { id: 'tea', type: 'HOLDS' }],
  [
    'validate_connection',
    { connection_type: 'HOLDS', from_node_type: 'Book', to_node_type: 'Book' },
    { type: 'HOLDS', from_node_type: 'Book', to_node_type: 'Book' },
  ],
  ['query_nodes', { type: 'Shelf' }, { node_type: 'Shelf' }],
  ['search_content', { query: 'pot', node_type: 'Shelf' }, { query: 'pot', type: 'Shelf' }],
  ['list_nodes', { type: 'Book', limit: 1 }, { node_type: 'Book', count: 1 }],
];

describe('A-17 one name for one thing', () => {
  it('what a tool calls by one name it also takes by those of other tools, and answers the same', () =>
    withVault(NOTES, (vault) =>
      withServer(
        vault,
        async ({ ask, call }) => {
          await ask('create_connection', { type: 'HOLDS', from: 'tea', target: 'cup' });
          for (const [tool, own, ...others] of SAME) {
            const wanted = await call(tool, own);
            expect(wanted.isError, tool).toBe(false);
            for (const args of others) expect(await call(tool, args), `${tool} ${JSON.stringify(args)}`).toEqual(wanted);
          }
          expect((await ask('query_connections', {})).connection_ids).toHaveLength(1);
        },
        { flags: ['--toolsets', 'all'] },
      ),
    ));

  it('a source of a new note is not the section that it is made from', () =>
    withVault(NOTES, (vault) =>
      withServer(vault, async ({ call }) => {
        const { isError, texts } = await call('create_node', { title: 'Quote', content: 'Of clay.', source: 'cup' });
        expect([isError, texts[1]]).toEqual([false, '{"_warnings":["Unknown field source was ignored."]}']);
      }),
    ));

  it('an etag or rev as an answer names it is the condition of a write', () =>
    withVault({ 'a.md': '---\nrev: 3\n---\nText\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        for (const stale of [{ etag: '0123456789abcdef' }, { rev: 2 }])
          expect((await refuse('update_node', { id: 'a', append: 'x', ...stale })).error.code).toBe('CONFLICT');
        expect(vault.read('a.md')).toBe('---\nrev: 3\n---\nText\n');
        const { etag } = await ask('get_node', { id: 'a' });
        expect((await ask('update_node', { id: 'a', append: 'x', etag, rev: 3 })).rev).toBe(4);
      }),
    ));

  it('also within lists, and in writes', () =>
    withVault(NOTES, (vault) =>
      withServer(
        vault,
        async ({ ask }) => {
          await ask('graph_open', { project: 'shed', goal: 'A shed' });
          const { created } = await ask('graph_plan', {
            nodes: [
              { ref: 'a', summary: 'Sand' },
              { ref: 'b', summary: 'Paint' },
            ],
          });
          const [sand, paint] = created.map(({ id }: { id: string }) => id);
          await ask('graph_connect', { edges: [{ source: paint, target: sand, connection_type: 'depends_on' }] });
          expect((await ask('graph_next', { limit: 2 })).nodes).toMatchObject([{ node: { id: sand } }]);
          await ask('graph_update', { updates: [{ id: sand, resolved: true }] });
          expect((await ask('graph_context', { id: paint })).node).toMatchObject({ summary: 'Paint' });
          expect(await ask('confirm', { id: 'tea' })).toMatchObject({ confirmed: [{ path: 'tea.md' }] });
          await ask('add_node_type', { type: 'Lamp' });
          expect((await ask('get_ontology')).node_types).toContain('Lamp');
          await ask('update_node', { node: 'tea', append: 'More.' });
          expect(vault.read('tea.md')).toContain('More.');
        },
        { flags: ['--toolsets', 'all'] },
      ),
    ));

  it('a name of its own wins, and what the document of the knowledge graph does not know is refused as ever', () =>
    withVault(NOTES, (vault) =>
      withServer(
        vault,
        async ({ call, refuse }) => {
          const { value, texts } = await call('get_node', { id: 'tea', node: 'cup' });
          expect(value).toMatchObject({ id: 'tea.md' });
          expect(texts[1]).toContain('Unknown field node was ignored');
          const input = { group_id: 'g', items: [{ from: 'text', body: 'x', reference_time: '2026-01-01T00:00:00Z' }] };
          expect((await refuse('kg_add_episodes', { input })).error.error_code).toBe('INVALID_ARGUMENT');
        },
        { flags: ['--toolsets', 'all'] },
      ),
    ));
});
