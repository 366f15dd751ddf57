import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpInside } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ask, find, ingest, ok } from './kg.ts';
import type { Json } from './kg.ts';

const FLAGS = ['--toolsets', 'all'];

/** One episode that says these lines. */
function said(...lines: readonly string[]) {
  return { source: 'text', body: lines.join('\n'), reference_time: '2026-01-01T00:00:00.000Z' };
}

const within = (files: Readonly<Record<string, string>>, run: (session: McpInside, vault: TestVault) => Promise<void>) =>
  withVault(files, (vault) => withServer(vault, (session) => run(session, vault), { flags: FLAGS }));

/** What makes a fact the one that it is. */
const lineage = ({ uuid, fact, valid_at, created_at, expired_at, episodes }: Json) => ({
  uuid,
  fact,
  valid_at,
  created_at,
  expired_at,
  episodes,
});

describe('the knowledge graph beside other tools', () => {
  it('X-12 the same name in memory and in two groups: each tool sees its own', () =>
    within({}, async (session, vault) => {
      await session.ask('create_entities', { entities: [{ name: 'Alice', entityType: 'person', observations: ['of memory'] }] });
      await ingest(session, 'one', [said('Alice -[LIKES]-> Tea: Alice of one likes tea.')]);
      await ingest(session, 'two', [said('Alice -[LIKES]-> Milk: Alice of two likes milk.')]);
      expect((await find(session, 'one', 'Alice')).map(({ fact }) => fact)).toEqual(['Alice of one likes tea.']);
      expect((await find(session, 'two', 'Alice')).map(({ fact }) => fact)).toEqual(['Alice of two likes milk.']);
      const { entities, relations } = await session.ask('open_nodes', { names: ['Alice'] });
      expect(entities).toEqual([{ name: 'Alice', entityType: 'person', observations: ['of memory'] }]);
      expect(relations).toEqual([]);
      expect((await session.ask('read_graph')).entities.map(({ name }: Json) => name)).toEqual(['Alice']);
      await session.ask('delete_entities', { entityNames: ['Alice'] });
      expect(await find(session, 'one', 'Alice')).toHaveLength(1);
      expect(vault.files().filter((file) => /^knowledge\/(one|two)\/entities\/alice/.test(file))).toHaveLength(2);
    }));

  it('X-13 an entity of the knowledge graph is none of the ontology', () =>
    within({}, async (session) => {
      await session
        .ask('create_ontology', {
          node_types: [{ name: 'Person', description: 'A person' }],
          connection_types: [],
        })
        .catch(() => undefined);
      await ok(session, 'add_entity_node', { uuid: 'e_alice', group_id: 'team', name: 'Alice', attributes: { kind: 'Person' } });
      const found = await session.call('query_nodes', { type: 'Person' });
      expect(JSON.stringify(found.value)).not.toContain('alice');
    }));

  it('X-30 another content, a rename, a move and a restore keep the facts of an entity: their ids, times and episodes', () =>
    within({}, async (session, vault) => {
      await ingest(session, 'team', [
        said('Alice -[WORKS_AT]-> Acme: Alice works at Acme since 2024-01-01.', 'Bob -[KNOWS]-> Alice: Bob knows Alice.'),
      ]);
      // A longer name may change which of them comes first.
      const lineages = async () => (await find(session, 'team', 'Alice')).map(lineage).sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
      const before = await lineages();
      expect(before).toHaveLength(2);
      const same = async (what: string) => expect(await lineages(), what).toEqual(before);
      const { id } = await session.ask('get_node', { id: 'knowledge/team/entities/alice.md' });
      const text = vault.read('knowledge/team/entities/alice.md');
      const relations = text.slice(text.indexOf('## Relations'));
      await session.ask('update_node', { id, content: `She is a cook.\n\n${relations}` });
      await same('another content');
      await session.ask('update_node', { id, title: 'Alice Smith' });
      await same('a rename');
      expect((await find(session, 'team', 'Alice'))[0]).toMatchObject({ source_node_uuid: expect.any(String) });
      await session.ask('update_node', { id, directory: 'knowledge/team/entities/people' });
      await same('a move');
      await session.ask('delete_node', { id });
      expect((await find(session, 'team', 'Alice')).map(({ fact }) => fact)).not.toContain('Alice works at Acme since 2024-01-01.');
      expect(await cli(['restore', 'knowledge/team/entities/people/alice-smith.md', '--vault', vault.root])).toMatchObject({ status: 0 });
      const restored = await waitFor(async () => (await find(session, 'team', 'Acme')).map(lineage)[0], { what: 'the restored note' });
      expect(restored).toEqual(before.find(({ fact }) => fact.includes('Acme')));
    }));

  it('X-30 a rename onto a name that the group has is CONFLICT, and one out of the graph is refused; in other groups, and in turn, it is fine', () =>
    within({}, async (session, vault) => {
      await ingest(session, 'team', [said('Alice -[KNOWS]-> Bob: Alice knows Bob.')]);
      await ingest(session, 'other', [said('Carol -[KNOWS]-> Dan: Carol knows Dan.')]);
      const files = vault.files();
      const [alice, bob] = ['knowledge/team/entities/alice.md', 'knowledge/team/entities/bob.md'];
      expect((await session.refuse('update_node', { id: alice, title: 'BOB' })).error.code).toBe('CONFLICT');
      expect((await session.refuse('rename', { changes: [{ from: alice, to: 'Bob' }] })).error.code).toBe('CONFLICT');
      expect((await session.refuse('update_node', { id: alice, directory: 'people' })).error.message).toContain('knowledge/');
      expect(vault.files()).toEqual(files);
      await session.ask('update_node', { id: alice, title: 'Carol' });
      expect((await find(session, 'team', 'knows')).map((fact) => fact.source_node_name)).toEqual(['Carol']);
      expect((await ask(session, 'add_entity_node', { uuid: 'e_x', group_id: 'team', name: 'carol' })).error?.error_code).toBe('CONFLICT');
      expect(vault.exists(bob)).toBe(true);
    }));

  it('X-31 a deleted group takes nothing but its notes along, and says which links lead nowhere', () =>
    within({ 'mine.md': 'See [[alice]].\n', 'knowledge/team/notes.md': 'My own, beside it.\n' }, async (session, vault) => {
      await ingest(session, 'team', [said('Alice -[KNOWS]-> Bob: Alice knows Bob.')]);
      await ingest(session, 'other', [said('Carol -[KNOWS]-> Dan: Carol knows Dan.')]);
      const rehearsed = await ok(session, 'delete_group', { group_id: 'team', dry_run: true });
      expect(rehearsed.would_delete).toMatchObject({
        episodes: 1,
        facts: 1,
        entities: 2,
        links_left: ['mine.md: [[alice]]'],
        links_left_total: 1,
      });
      const { message } = await ok(session, 'delete_group', { group_id: 'team' });
      expect(message).toMatch(/cannot be undone/);
      expect(vault.files().filter((file) => file.startsWith('knowledge/team'))).toEqual(['knowledge/team/notes.md']);
      expect(await find(session, 'team', 'Alice')).toEqual([]);
      expect((await ok(session, 'get_episodes', { group_id: 'team', last_n: 9 })).episodes).toEqual([]);
      expect(await find(session, 'other', 'Carol')).toHaveLength(1);
      expect((await ok(session, 'delete_group', { group_id: 'team' })).success).toBe(true);
    }));
});
