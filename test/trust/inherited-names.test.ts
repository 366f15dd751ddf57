import { expect, it } from 'vitest';
import { withServer } from '../support/program/mcp-server.ts';
import { withVault } from '../support/vault.ts';

/** Names that every JavaScript object answers to, whatever was put into it. */
const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

it.each(['warn', 'enforce'])('names that every object has are names like others, in every tool that takes one (policy: %s)', (mode) =>
  withVault({ '.rouxrc.json': JSON.stringify({ memory: { relations: mode, envelope: mode } }), 'a.md': 'A\n' }, (vault) =>
    withServer(
      vault,
      async ({ call }) => {
        await call('graph_open', { project: 'P', goal: 'G' });
        await call('create_ontology', {
          node_types: ['thing'],
          connection_types: [{ name: 'near', from_types: ['thing'], to_types: ['thing'] }],
        });
        for (const name of NAMES) {
          const entity = { name: `E ${name}`, entityType: name, observations: ['{"type":"run.started","ts":"2026-01-05T10:00:00.000Z"}'] };
          const calls: readonly (readonly [string, Record<string, unknown>])[] = [
            ['create_entities', { entities: [entity, { name, entityType: 'thing', observations: [] }] }],
            ['create_relations', { relations: [{ from: name, to: `E ${name}`, relationType: name }] }],
            ['open_nodes', { names: [name] }],
            ['search_nodes', { query: `type:${name}` }],
            ['create_node', { title: `N ${name}`, tags: [name], properties: { [name]: name } }],
            ['create_node', { title: `T ${name}`, type: name }],
            ['update_node', { id: 'a', properties: { [name]: 'x' } }],
            ['get_node', { id: name }],
            ['list_nodes', { tag: name, type: name }],
            ['query_nodes', { type: name, properties: { [name]: name } }],
            ['add_node_type', { type_name: name }],
            ['validate_connection', { connection_type: name, from_node_type: name, to_node_type: name }],
            ['create_connection', { type: name, from_node_id: 'a', to_node_id: 'a', properties: { [name]: 'x' } }],
            ['ensure_singleton_node', { type: name }],
            ['graph_plan', { project: 'P', nodes: [{ ref: name, summary: name, properties: { [name]: 1 } }] }],
            ['graph_query', { project: 'P', filter: { properties: { [name]: 1 } } }],
            ['graph_update', { updates: [{ node_id: name, resolved: true }] }],
          ];
          for (const [tool, args] of calls) {
            const { texts } = await call(tool, args);
            expect(texts.join(' '), `${tool} ${name}`).not.toMatch(/PROVIDER_ERROR|Cannot read|is not a function|undefined|native code/);
          }
        }
      },
      { flags: ['--toolsets', 'all'] },
    ),
  ),
);
