import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const OPTIONS = { flags: ['--toolsets', 'memory,vault'] };

describe('names of the memory', () => {
  it('K-17 an entity is found and added to in any case of its name and by its aliases, and gets no twin', () =>
    withVault({ 'memory/person/Nora.md': '---\ntype: person\naliases: [Nonna]\n---\n\n## Observations\n\n- teaches physics\n' }, (vault) =>
      withServer(
        vault,
        async ({ ask, call }) => {
          for (const name of ['Nora', 'nora', 'NORA', 'nonna'])
            expect((await ask('open_nodes', { names: [name] })).entities, name).toMatchObject([{ name: 'Nora' }]);
          expect((await ask('open_nodes', { names: ['nora', 'Nonna', 'Nora'] })).entities).toHaveLength(1);
          expect((await ask('search_nodes', { query: 'nonna' })).entities).toMatchObject([{ name: 'Nora' }]);
          const twin = await call('create_entities', {
            entities: [
              { name: 'nora', entityType: 'person', observations: ['plays the cello'] },
              { name: 'Emil', entityType: 'person', observations: [] },
              { name: 'EMIL', entityType: 'person', observations: [] },
            ],
          });
          expect(twin.value.map(({ name }: { name: string }) => name)).toEqual(['Emil']);
          expect(twin.texts.join('\n')).toContain('it is \\"Nora\\"');
          await ask('add_observations', { observations: [{ entityName: 'nora', contents: ['plays the cello'] }] });
          expect(await ask('create_relations', { relations: [{ from: 'NORA', to: 'emil', relationType: 'loves' }] })).toEqual([
            { from: 'Nora', to: 'Emil', relationType: 'loves' },
          ]);
          const { entities } = await ask('read_graph', {});
          expect(entities.map(({ name }: { name: string }) => name).toSorted()).toEqual(['Emil', 'Nora']);
          expect(vault.read('memory/person/Nora.md')).toContain('- plays the cello');
        },
        OPTIONS,
      ),
    ));

  it('K-17 search_nodes shows the observations that matched first', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async ({ ask }) => {
          const observations = Array.from({ length: 400 }, (_, n) => `Day ${n} was like any other`);
          observations[7] = 'The key is under the blue pot';
          observations[11] = 'The blue door sticks';
          await ask('create_entities', { entities: [{ name: 'House', entityType: 'place', observations }] });
          const { entities } = await ask('search_nodes', { query: 'blue key' });
          expect(entities[0].observations.slice(0, 2)).toEqual(['The key is under the blue pot', 'The blue door sticks']);
          expect(entities[0].observations.at(-1)).toBe('Day 399 was like any other');
          const few = { name: 'Shed', entityType: 'place', observations: ['It is red', 'It is blue'] };
          await ask('create_entities', { entities: [few] });
          expect((await ask('search_nodes', { query: 'shed blue' })).entities).toEqual([few]);
        },
        OPTIONS,
      ),
    ));
});
