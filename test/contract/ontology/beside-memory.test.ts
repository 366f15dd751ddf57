import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpInside } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const flags = ['--toolsets', 'vault,memory,ontology,admin'];
const ontology = {
  node_types: ['person', 'drink'],
  connection_types: [{ name: 'LIKES', from_types: ['person'], to_types: ['drink'] }],
};

const withAll = (files: Readonly<Record<string, string>>, run: (session: McpInside, vault: TestVault) => Promise<void>) =>
  withVault(files, (vault) => withServer(vault, (session) => run(session, vault), { flags }));

const isKnown =
  ({ ask }: McpInside, id: string) =>
  async (): Promise<boolean> =>
    (await ask('get_node', { id })) !== null;

describe('memory and ontology in one vault', () => {
  it('X-11 a relation to a name that two notes have leads to the one meant, also after a third one appears', () =>
    withAll({ 'a/Tea.md': 'one\n', 'b/Tea.md': 'two\n' }, async (session, vault) => {
      const { ask } = session;
      await ask('create_entities', {
        entities: [
          { name: 'Ann', entityType: 'person', observations: [] },
          { name: 'Tea', entityType: 'drink', observations: ['warm'] },
        ],
      });
      await ask('create_relations', { relations: [{ from: 'Ann', to: 'Tea', relationType: 'likes' }] });
      const related = async () => (await ask('open_nodes', { names: ['Ann'] })).relations;
      const wanted = [{ from: 'Ann', to: 'Tea', relationType: 'likes' }];
      expect(await related()).toEqual(wanted);
      const { links } = await ask('get_node', { id: 'Ann' });
      for (const third of ['Tea.md', 'memory/person/Tea.md', 'memory/Tea.md']) {
        vault.write(third, 'three\n');
        await waitFor(isKnown(session, third));
        expect(await related()).toEqual(wanted);
        expect((await ask('get_node', { id: 'Ann' })).links).toEqual(links);
      }
      await ask('delete_relations', { relations: wanted });
      expect(await related()).toEqual([]);
    }));

  it('X-11 a connection to a name that two notes have leads to the one meant, also after a third one appears', () => {
    const typed = (type: string): string => `---\ntype: ${type}\n---\n${type}\n`;
    const files = {
      'p/Ann.md': typed('person'),
      'a/Tea.md': typed('drink'),
      'b/Tea.md': typed('drink'),
      'Mate.md': typed('drink'),
      'b/Mate.md': typed('drink'),
    };
    return withAll(files, async (session, vault) => {
      const { ask } = session;
      await ask('create_ontology', ontology);
      const connect = async (to: string): Promise<string> =>
        (await ask('create_connection', { type: 'LIKES', from_node_id: 'p/Ann.md', to_node_id: to })).connection_id;
      const ends = new Map<string, string>();
      for (const to of ['b/Tea.md', 'a/Tea.md', 'Mate.md', 'b/Mate.md']) ends.set(await connect(to), to);
      for (const third of ['Tea.md', 'p/Tea.md', 'p/Mate.md', 'p/b/Tea.md']) {
        vault.write(third, typed('drink'));
        await waitFor(isKnown(session, third));
        for (const [id, to] of ends) expect((await ask('get_connection', { connection_id: id })).to_node_id, `${third} ${to}`).toBe(to);
      }
      expect((await ask('get_connected_nodes', { node_id: 'p/Ann.md' })).node_ids).toEqual([...ends.values()].toSorted());
    });
  });

  it('X-12 the same name in memory, the ontology and a note of a person is three notes, and each tool sees its own', () =>
    withAll({ 'Tea.md': 'mine\n', 'links.md': '[[Tea]]\n' }, async ({ ask }, vault) => {
      await ask('create_ontology', ontology);
      await ask('create_entities', { entities: [{ name: 'Tea', entityType: 'drink', observations: ['warm'] }] });
      const { id, path } = await ask('create_node', { title: 'Tea', type: 'drink', content: 'typed\n', directory: 'typed' });
      expect((await ask('open_nodes', { names: ['Tea'] })).entities).toEqual([
        { name: 'Tea', entityType: 'drink', observations: ['warm'] },
      ]);
      expect(await ask('query_nodes', { type: 'drink' })).toEqual({ node_ids: [id] });
      await ask('add_observations', { observations: [{ entityName: 'Tea', contents: ['green'] }] });
      expect(vault.read('Tea.md')).toBe('mine\n');
      expect(vault.read(path)).not.toContain('green');
      const [link] = (await ask('get_node', { id: 'links' })).links;
      expect(link).toMatchObject({ id: 'Tea.md' });
      await ask('delete_entities', { entityNames: ['Tea'] });
      expect(vault.exists('Tea.md') && vault.exists(path)).toBe(true);
    }));

  it.each(['# Relations\n\nprose\n', '## RELATIONS\n', 'a\n\n### Relations\n\n- an item\n  of two lines', '## Observations\n\n- x'])(
    'X-10 content with such a heading of its own is given back as it was stored: %j',
    (content) =>
      withAll({}, async ({ ask }) => {
        await ask('create_ontology', ontology);
        const { id } = await ask('create_node', { title: 'Ann', type: 'person', content });
        const { id: to } = await ask('create_node', { title: 'Tea', type: 'drink', content: '' });
        const connected: string[] = [];
        for (const since of [1, 2])
          connected.push(
            (await ask('create_connection', { type: 'LIKES', from_node_id: id, to_node_id: to, properties: { since } })).connection_id,
          );
        expect(await ask('get_node_content', { node_id: id })).toEqual({ content });
        expect(await ask('query_connections', { from_node_id: id })).toEqual({ connection_ids: connected });
        for (const connection of connected) await ask('delete_connection', { connection_id: connection });
        expect(await ask('get_node_content', { node_id: id })).toEqual({ content });
      }),
  );

  it('X-13 the kind of an entity is no type of the ontology for any tool, and what is said tells how to make a typed node', () =>
    withAll({}, async ({ ask, call, refuse }) => {
      await ask('create_ontology', ontology);
      await ask('create_entities', {
        entities: [
          { name: 'Ann', entityType: 'person', observations: [] },
          { name: 'Tea', entityType: 'drink', observations: [] },
          { name: 'Odd', entityType: 'unheard of', observations: [] },
        ],
      });
      expect((await ask('get_node', { id: 'Ann' })).type).toBe('entity');
      const none = await call('query_nodes', { type: 'person' });
      expect(none.value).toEqual({ node_ids: [] });
      expect(none.texts[1]).toMatch(/person.*is the kind of the entity.*Ann.*whose type is entity\. A typed node is made with create_node/);
      expect((await call('query_nodes', { type: 'drinks' })).texts).toHaveLength(1);
      const { id } = await ask('create_node', { title: 'Bob', type: 'person', content: '' });
      expect((await call('query_nodes', { type: 'person' })).texts).toEqual([JSON.stringify({ node_ids: [id] })]);
      const { error } = await refuse('create_connection', { type: 'LIKES', from_node_id: 'Bob', to_node_id: 'Tea' });
      expect(error.code).toBe('INVALID_TOPOLOGY');
      expect(error.message).toMatch(
        /"Tea" is an entity of the memory tools, and its kind "drink" is no type of the ontology\..*create_node/,
      );
      expect((await ask('vault_health', { kinds: ['unknown-type', 'ontology'] })).findings).toEqual([]);
      const tea = await ask('create_node', { title: 'Mate', type: 'drink', content: '' });
      await ask('create_connection', { type: 'LIKES', from_node_id: 'Bob', to_node_id: tea.id });
      expect(await ask('query_nodes', { type: 'entity' })).toMatchObject({ node_ids: { length: 3 } });
    }));

  it('X-10 connections are found below their heading in any case and at any level, and the heading keeps its name', () =>
    withAll(
      { 'Ann.md': '---\ntype: person\n---\nAnn.\n\n#### RELATIONS\n\n* prose\n', 'Tea.md': '---\ntype: drink\n---\n' },
      async ({ ask, call }, vault) => {
        await ask('create_ontology', ontology);
        const before = vault.read('Ann.md');
        const { connection_id: id } = await ask('create_connection', { type: 'LIKES', from_node_id: 'Ann', to_node_id: 'Tea' });
        expect(vault.read('Ann.md')).toMatch(/#### RELATIONS\n\n\* prose\n\* LIKES \[\[Tea\]\] .* \^c-\w+\n$/);
        expect(await ask('query_connections', { from_node_id: 'Ann' })).toEqual({ connection_ids: [id] });
        await ask('update_connection', { connection_id: id, properties: { since: 2024 } });
        expect((await ask('get_connection', { connection_id: id })).properties).toEqual({ since: 2024 });
        const { findings } = (await call('vault_health', { kinds: ['unreadable-line'] })).value;
        expect(findings).toMatchObject([{ message: expect.stringMatching(/^Ann\.md:\d+: "\* prose" under Relations is no relation/) }]);
        await ask('delete_connection', { connection_id: id });
        expect(vault.read('Ann.md').replace(/rev: .*\n|updated_at: .*\n/g, '')).toBe(before);
      },
    ));
});
