import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpInside } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { warningsOf } from './warnings.ts';

const FILES = {
  'People/Nora Quist.md': '---\ntype: Person\naliases: [Nonna]\n---\nx\n',
  'Lyon.md': '---\ntype: Place\n---\nx\n',
  'ontology.md':
    '---\ntype: ontology\nnode_types: [Person, Place]\nconnection_types:\n  - name: LIVES_IN\n    from_types: [Person]\n    to_types: [Place]\n---\n',
};

const withOntology = (run: (session: McpInside) => Promise<void>): Promise<void> =>
  withVault(FILES, (vault) => withServer(vault, run, { flags: ['--toolsets', 'vault,ontology'] }));

describe('A-05 and A-06 the ontology', () => {
  it('A-05 unknown nodes, types and connection types name the nearest', () =>
    withOntology(async ({ refuse, call }) => {
      const link = { type: 'LIVES_IN', from_node_id: 'Nora Quist', to_node_id: 'Lyon' };
      expect((await refuse('create_connection', { ...link, from_node_id: 'Nora Quits' })).error.details.nearest).toEqual([
        'People/Nora Quist.md',
      ]);
      expect((await refuse('get_node_content', { node_id: 'Nora Quits' })).error.details.nearest).toEqual(['People/Nora Quist.md']);
      expect((await refuse('get_connected_nodes', { node_id: 'Nora Quits' })).error.details.nearest).toEqual(['People/Nora Quist.md']);
      expect((await refuse('create_connection', { ...link, type: 'LIVE_IN' })).error).toMatchObject({
        code: 'INVALID_CONNECTION_TYPE',
        message: 'The ontology has no connection type "LIVE_IN". Nearest: "LIVES_IN". It has LIVES_IN.',
        details: { nearest: ['LIVES_IN'] },
      });
      expect((await refuse('create_node', { title: 'X', type: 'persons' })).error).toMatchObject({
        code: 'INVALID_NODE_TYPE',
        details: { nearest: ['Person'] },
      });
      for (const [tool, args, warning] of [
        ['query_nodes', { type: 'persn' }, 'There is no type "persn". Nearest: "Person".'],
        ['search_content', { query: 'x', node_type: 'persn' }, 'There is no type "persn". Nearest: "Person".'],
        ['query_connections', { type: 'lives-in' }, 'There is no connection type "lives-in". Nearest: "LIVES_IN".'],
        [
          'get_connected_nodes',
          { node_id: 'Lyon', connection_type: 'lives-in' },
          'There is no connection type "lives-in". Nearest: "LIVES_IN".',
        ],
        [
          'validate_connection',
          { connection_type: 'LIVES_IN', from_node_type: 'persn', to_node_type: 'Place' },
          'There is no node type "persn". Nearest: "Person".',
        ],
      ] as const)
        expect([tool, warningsOf(await call(tool, args))]).toEqual([tool, [warning]]);
    }));

  it('A-06 nodes are named by title and alias in any case, and a type of another case is told', () =>
    withOntology(async ({ ask, call }) => {
      const { connection_id: id } = await ask('create_connection', { type: 'LIVES_IN', from_node_id: 'NONNA', to_node_id: 'lyon' });
      expect(await ask('get_connection', { connection_id: id })).toMatchObject({
        from_node_id: 'People/Nora Quist.md',
        to_node_id: 'Lyon.md',
      });
      expect((await ask('query_connections', { from_node_id: 'nora quist' })).connection_ids).toEqual([id]);
      expect(warningsOf(await call('add_node_type', { type_name: 'person' }))).toEqual([
        'The ontology also has the node type "Person". "person" is another one, as its case differs.',
      ]);
      expect(warningsOf(await call('add_node_type', { type_name: 'Boat' }))).toEqual([]);
    }));

  it('A-06 a note that gets the name of another one is made with a warning', () =>
    withOntology(async ({ ask }) => {
      for (const title of ['nora quist', 'NONNA']) {
        const made = await ask('create_node', { title });
        expect(made._warnings).toEqual([expect.stringContaining(`"${title}" is also the name of People/Nora Quist.md.`)]);
      }
      expect((await ask('create_node', { title: 'Somebody else' }))._warnings ?? []).toEqual([]);
    }));
});
