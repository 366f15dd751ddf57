import { expect } from 'vitest';
import type { ToolsetName } from '../../../src/ops/operation.ts';
import type { TestVault } from '../vault.ts';
import { waitFor } from '../wait-for.ts';
import type { McpSession } from './mcp-client.ts';

/** A day's work with the tools of one toolset: what people have written before, and calls held against their answers and the files. */
export interface Work {
  readonly notes: Readonly<Record<string, string>>;
  calls(ask: McpSession['ask'], vault: TestVault): Promise<void>;
}

/** The day's work of each toolset: every tool of it is called. */
export const WORK: Readonly<Record<ToolsetName, Work>> = {
  vault: {
    notes: {
      'tea.md': '---\ntags: [drinks/hot]\n---\nGrown in [[Assam]].\n',
      'ontology.md': '---\ntype: ontology\nnode_types: [Shelf]\n---\n',
    },
    async calls(ask, vault) {
      expect(await ask('create_node', { title: 'Assam', content: 'A valley.\n', directory: 'places' })).toMatchObject({
        path: 'places/assam.md',
      });
      expect(vault.read('places/assam.md')).toMatch(/\n---\nA valley\.\n$/);
      expect((await ask('get_nodes', { ids: ['tea'] })).nodes).toMatchObject([{ id: 'tea.md' }]);
      expect(await ask('get_node', { id: 'tea' })).toMatchObject({ id: 'tea.md', links: [{ id: 'places/assam.md' }] });
      expect((await ask('list_nodes')).total).toBe(3);
      expect(await ask('vault_overview')).toMatchObject({ notes: 3, folders: [{ path: 'places', notes: 1 }] });
      expect(await ask('vault_health')).toMatchObject({ notes: 3 });
      expect(await ask('random_node', { tags: ['drinks'] })).toMatchObject({ id: 'tea.md' });
      expect(await ask('search', { query: 'valley' })).toMatchObject([{ id: 'places/assam.md' }]);
      expect(await ask('search_by_tags', { tags: ['drinks'] })).toMatchObject([{ id: 'tea.md' }]);
      expect(await ask('get_neighbors', { id: 'Assam', direction: 'in' })).toMatchObject([{ id: 'tea.md' }]);
      expect(await ask('find_path', { source: 'Assam', target: 'tea' })).toEqual({ path: ['places/assam.md', 'tea.md'], length: 1 });
      expect((await ask('get_hubs', { limit: 1 }))[0]).toMatchObject({ id: 'places/assam.md', score: 1 });
      expect(await ask('update_node', { id: 'Assam', title: 'Assam Valley' })).toMatchObject({ path: 'places/assam-valley.md' });
      expect(vault.read('tea.md')).toBe('---\ntags: [drinks/hot]\n---\nGrown in [[assam-valley]].\n');
      expect(
        await ask('rename', {
          changes: [
            { from: 'tea', to: 'drinks/' },
            { from: '#drinks', to: '#brews' },
          ],
        }),
      ).toMatchObject({
        renamed: [
          { from: 'tea.md', to: 'drinks/tea.md' },
          { from: '#drinks', to: '#brews', files: 1 },
        ],
      });
      expect(vault.read('drinks/tea.md')).toBe('---\ntags: [brews/hot]\n---\nGrown in [[assam-valley]].\n');
      expect(await ask('update_nodes', { tag: 'brews', properties: { cups: 2 } })).toMatchObject({ changed: 1, notes: ['drinks/tea.md'] });
      expect(await ask('confirm', { node: 'tea', stale_after: '2999-01-31' })).toMatchObject({ confirmed: [{ path: 'drinks/tea.md' }] });
      await ask('create_node', { title: 'Cha', content: 'Another name.', directory: 'drinks' });
      expect(await ask('merge_nodes', { sources: ['cha'], target: 'tea' })).toMatchObject({ merged: ['drinks/cha.md'] });
      await ask('update_node', { id: 'tea', append: '## Brewing\n\nThree minutes.' });
      expect(await ask('create_node', { title: 'Brewing', from: 'tea#Brewing' })).toMatchObject({ links_rewritten_in: 0 });
      const shelf = { type: 'Shelf', content: 'Empty.\n', encoding: 'utf-8', format: 'text' };
      const { node_id } = await ask('ensure_singleton_node', shelf);
      expect(await ask('ensure_singleton_node', shelf)).toEqual({ node_id, created: false });
      expect(await ask('delete_node', { id: 'tea' })).toMatchObject({ deleted: true });
      expect(vault.exists('drinks/tea.md')).toBe(false);
    },
  },

  tasks: {
    notes: {},
    async calls(ask, vault) {
      expect(await ask('graph_open', { project: 'shed', goal: 'A blue shed' })).toMatchObject({ summary: { total: 1 } });
      const { created } = await ask('graph_plan', {
        nodes: [
          { ref: 'sand', summary: 'Sand the boards' },
          { ref: 'paint', summary: 'Paint them' },
        ],
      });
      const [sand, paint] = created.map(({ id }: { id: string }) => id);
      await ask('graph_connect', { edges: [{ from: paint, to: sand, type: 'depends_on' }] });
      expect(vault.read('projects/shed/paint-them.md')).toContain('depends_on:\n  - "[[sand-the-boards]]"\n');
      expect((await ask('graph_next', { claim: true })).nodes).toMatchObject([{ node: { id: sand } }]);
      expect((await ask('graph_query', { filter: { is_blocked: true } })).nodes).toMatchObject([{ id: paint }]);
      const updates = [{ node_id: sand, resolved: true, add_evidence: [{ type: 'note', ref: 'smooth' }] }];
      expect((await ask('graph_update', { updates })).newly_actionable).toMatchObject([{ id: paint }]);
      expect(vault.read('projects/shed/sand-the-boards.md')).toContain('resolved: true\n');
      expect((await ask('graph_context', { node_id: paint, depth: 0 })).node).toMatchObject({ summary: 'Paint them' });
      await ask('graph_handoff', { node_id: paint, left: 'all of it' });
      expect(vault.read('projects/shed/paint-them.md')).toContain('- **Left:** all of it\n');
      expect((await ask('graph_history', { node_id: sand })).events[0]).toMatchObject({ action: 'resolved' });
      expect(await ask('graph_onboard')).toMatchObject({ recommended_next: { id: paint } });
      await ask('graph_restructure', { operations: [{ op: 'drop', node_id: paint, reason: 'It rains.' }] });
      expect(vault.read('projects/shed/paint-them.md')).toContain('resolved: true\n');
    },
  },

  memory: {
    notes: {},
    async calls(ask, vault) {
      const ada = { name: 'Ada', entityType: 'person', observations: ['likes tea'] };
      const tea = { name: 'Tea', entityType: 'drink', observations: [] };
      const likes = { from: 'Ada', to: 'Tea', relationType: 'likes' };
      expect(await ask('create_entities', { entities: [ada, tea] })).toEqual([ada, tea]);
      await ask('add_observations', { observations: [{ entityName: 'Ada', contents: ['reads late'] }] });
      expect(vault.read('memory/person/ada.md')).toContain('- reads late\n');
      expect(await ask('create_relations', { relations: [likes] })).toEqual([likes]);
      expect((await ask('search_nodes', { query: 'late' })).entities).toMatchObject([{ name: 'Ada' }]);
      expect((await ask('open_nodes', { names: ['Ada'] })).entities).toMatchObject([{ observations: ['likes tea', 'reads late'] }]);
      expect(await ask('read_graph')).toMatchObject({ entities: [{ name: 'Ada' }, { name: 'Tea' }], relations: [likes] });
      await ask('delete_observations', { deletions: [{ entityName: 'Ada', observations: ['reads late'] }] });
      await ask('delete_relations', { relations: [likes] });
      expect(vault.read('memory/person/ada.md')).not.toMatch(/reads late|\[\[/);
      await ask('delete_entities', { entityNames: ['Tea'] });
      expect(vault.files()).toEqual(['memory/person/ada.md']);
    },
  },

  ontology: {
    notes: {
      'ada.md': '---\ntype: Person\n---\nPaints boats.\n',
      'boat.md': '---\ntype: Boat\n---\nBlue.\n',
    },
    async calls(ask, vault) {
      await ask('create_ontology', { node_types: ['Person'], connection_types: [] });
      await ask('add_node_type', { type_name: 'Boat' });
      await ask('add_connection_type', { type_name: 'OWNS', from_types: ['Person'], to_types: ['Boat'] });
      expect(vault.read('ontology.md')).toContain('- Boat\n');
      expect((await ask('get_ontology')).node_types).toEqual(['Person', 'Boat']);
      await ask('rename_type', { type_name: 'OWNS', new_name: 'HAS' });
      await ask('rename_type', { type_name: 'HAS', new_name: 'OWNS' });
      await ask('add_node_type', { type_name: 'Bote' });
      await ask('remove_type', { type_name: 'Bote' });
      expect(await ask('validate_connection', { connection_type: 'OWNS', from_node_type: 'Boat', to_node_type: 'Person' })).toMatchObject({
        valid: false,
      });
      expect(await ask('query_nodes', { type: 'Boat' })).toMatchObject({ node_ids: ['boat.md'] });
      expect(await ask('search_content', { query: 'paints' })).toMatchObject({ node_ids: ['ada.md'] });
      expect(await ask('get_node_content', { node_id: 'boat.md' })).toEqual({ content: 'Blue.\n' });
      const ends = { from_node_id: 'ada.md', to_node_id: 'boat.md' };
      const { connection_id } = await ask('create_connection', { type: 'OWNS', ...ends });
      await ask('update_connection', { connection_id, properties: { since: 2020 } });
      expect(vault.read('ada.md')).toContain(`^${connection_id}`);
      expect(await ask('get_connection', { connection_id })).toMatchObject({ type: 'OWNS', ...ends, properties: { since: 2020 } });
      expect((await ask('query_connections', { type: 'OWNS' })).connection_ids).toEqual([connection_id]);
      expect(await ask('get_connected_nodes', { node_id: 'boat.md', direction: 'in' })).toMatchObject({ node_ids: ['ada.md'] });
      await ask('delete_connection', { connection_id });
      expect(vault.read('ada.md')).not.toContain('[[');
    },
  },

  knowledge: {
    notes: {},
    async calls(ask, vault) {
      const kg = async (tool: string, input: unknown) => (await ask(`kg_${tool}`, { input })).output;
      expect(await kg('healthcheck', {})).toMatchObject({ status: 'healthy' });
      const entity = { uuid: 'alice-1', group_id: 'team', name: 'Alice', summary: 'An engineer.' };
      expect(await kg('add_entity_node', entity)).toMatchObject(entity);
      const timestamp = '2026-01-01T09:00:00.000Z';
      const message = { role_type: 'user', role: 'bob', content: 'Alice -[LIKES]-> Tea: Alice likes tea.', timestamp };
      const { receipt_id: receipt } = await kg('add_messages', { group_id: 'team', messages: [message] });
      const items = [{ uuid: 'note-1', source: 'text', body: 'Alice -[KNOWS]-> Carol', reference_time: timestamp }];
      expect(await kg('add_episodes', { group_id: 'team', items })).toMatchObject({ accepted: 1 });
      const isDone = async (): Promise<boolean> => (await kg('get_receipt', { group_id: 'team' })).items.length === 0;
      await waitFor(isDone);
      expect(await kg('get_receipt', { receipt_id: receipt })).toMatchObject({ counts: { completed: 1 } });
      expect(await kg('retry_parked', { group_id: 'team' })).toMatchObject({ retried: 0 });
      const { facts } = await kg('search_facts', { group_ids: ['team'], query: 'tea' });
      expect(facts).toMatchObject([{ name: 'LIKES', fact: 'Alice likes tea.', source_node_uuid: 'alice-1' }]);
      expect(await kg('get_memory', { group_id: 'team', messages: [message] })).toMatchObject({
        facts: [{ name: 'LIKES' }, { name: 'KNOWS' }],
      });
      expect(await kg('get_entity_edge', { uuid: facts[0].uuid })).toMatchObject({ fact: 'Alice likes tea.' });
      const { episodes } = await kg('get_episodes', { group_id: 'team', last_n: 5 });
      expect(episodes).toHaveLength(2);
      expect(episodes).toContainEqual(expect.objectContaining({ body: `bob(user): ${message.content}` }));
      expect(await kg('delete_entity_edge', { uuid: facts[0].uuid })).toMatchObject({ success: true });
      expect(await kg('delete_episode', { uuid: 'note-1' })).toMatchObject({ success: true });
      expect(await kg('delete_group', { group_id: 'team' })).toMatchObject({ success: true });
      expect(vault.files()).toEqual([]);
    },
  },

  admin: {
    notes: { 'a.md': '[[nowhere]]\n' },
    async calls(ask, vault) {
      expect(await ask('kg_clear_all', { input: {} })).toMatchObject({ status: 'OK', output: { success: true } });
      expect(vault.read('a.md')).toBe('[[nowhere]]\n');
    },
  },
};
