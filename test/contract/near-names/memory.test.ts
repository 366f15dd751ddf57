import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpInside } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { warningsOf } from './warnings.ts';

const NORA = '---\nid: e_01hzzzzzzzzzzzzzzzzzzzzzzz\ntype: person\naliases: [Nonna]\n---\n\n## Observations\n\n- teaches physics\n';

const inMemory = (run: (session: McpInside, vault: TestVault) => Promise<void>): Promise<void> =>
  withVault({ 'memory/person/Nora Quist.md': NORA }, (vault) =>
    withServer(
      vault,
      async (session) => {
        await session.ask('create_entities', { entities: [{ name: 'Tea', entityType: 'drink', observations: ['green', 'hot'] }] });
        await session.ask('create_relations', { relations: [{ from: 'Nora Quist', to: 'Tea', relationType: 'likes' }] });
        await run(session, vault);
      },
      { flags: ['--toolsets', 'memory'] },
    ),
  );

describe('A-05 and A-06 entities', () => {
  it('A-05 a name that no entity has names the nearest, in reads, writes and deletions', () =>
    inMemory(async ({ call, ask }) => {
      const opened = await call('open_nodes', { names: ['Nroa Quist', 'Tea', 'zebra crossing'] });
      expect(opened.value.entities).toMatchObject([{ name: 'Tea' }]);
      const near = 'There is no entity "Nroa Quist". Nearest: "Nora Quist".';
      expect(warningsOf(opened)).toEqual([near]);
      expect((await call('open_nodes', { names: ['zebra crossing'] })).texts).toHaveLength(1);
      const added = await call('add_observations', { observations: [{ entityName: 'Nroa Quist', contents: ['x'] }] });
      expect(added.isError).toBe(true);
      expect(added.texts[0]).toBe('Entity with name Nroa Quist not found. Nearest: "Nora Quist".');
      expect(JSON.parse(added.texts[1] ?? '')).toMatchObject({
        error: { code: 'ENTITY_NOT_FOUND', details: { nearest: ['Nora Quist'] } },
      });
      const nothing = await call('add_observations', { observations: [{ entityName: 'zebra crossing', contents: ['x'] }] });
      expect(nothing.texts[0]).toBe('Entity with name zebra crossing not found');
      for (const [tool, args] of [
        ['delete_entities', { entityNames: ['Nroa Quist'] }],
        ['delete_observations', { deletions: [{ entityName: 'Nroa Quist', observations: ['teaches physics'] }] }],
        ['delete_relations', { relations: [{ from: 'Nroa Quist', to: 'Tea', relationType: 'likes' }] }],
        ['create_relations', { relations: [{ from: 'Nroa Quist', to: 'Tea', relationType: 'drinks' }] }],
      ] as const)
        expect([tool, warningsOf(await call(tool, args))]).toEqual([tool, expect.arrayContaining([near])]);
      const { entities, relations } = await ask('open_nodes', { names: ['Nora Quist'] });
      expect(entities[0].observations).toEqual(['teaches physics']);
      expect(relations).toHaveLength(1);
    }));

  it('A-05 what was not there to be deleted is named, with the nearest that is, and the answer stays that of the reference server', () =>
    inMemory(async ({ call, ask }, vault) => {
      const path = 'memory/person/Nora Quist.md';
      const before = vault.read(path);
      const cased = await call('delete_observations', { deletions: [{ entityName: 'nora quist', observations: ['Teaches Physics'] }] });
      expect(cased.texts[0]).toBe('Observations deleted successfully');
      expect(warningsOf(cased)).toEqual(['Not deleted: "Nora Quist" has no observation "Teaches Physics". Nearest: "teaches physics".']);
      vault.write(path, before.replace('teaches physics', 'teaches physics and some chemistry'));
      const some = [
        { entityName: 'Nora Quist', observations: ['teaches physics'] },
        { entityName: 'Tea', observations: ['hot', 'cold'] },
      ];
      expect(warningsOf(await call('delete_observations', { deletions: some }))).toEqual([
        'Not deleted: "Nora Quist" has no observation "teaches physics". Nearest: "teaches physics and some chemistry".',
        'Not deleted: "Tea" has no observation "cold".',
      ]);
      expect((await ask('open_nodes', { names: ['Tea'] })).entities[0].observations).toEqual(['green']);
      expect(vault.read(path)).toContain('- teaches physics and some chemistry\n');
      const many = { entityName: 'Tea', observations: Array.from({ length: 8 }, (_, at) => `${at}`) };
      const counted = warningsOf(await call('delete_observations', { deletions: [many] }));
      expect([counted.length, counted.at(-1)]).toEqual([6, 'Not deleted: 3 more, which are not there either.']);
      const relations = [{ from: 'nonna', to: 'Tea', relationType: 'liked' }];
      const related = await call('delete_relations', { relations });
      expect(related.texts[0]).toBe('Relations deleted successfully');
      expect(warningsOf(related)).toEqual(['Not deleted: there is no relation "nonna liked Tea". Nearest: "Nora Quist likes Tea".']);
      expect(
        (await call('delete_relations', { relations: [{ from: 'Nora Quist', to: 'Tea', relationType: 'likes' }] })).texts,
      ).toHaveLength(1);
      await ask('create_relations', { relations: [{ from: 'Nora Quist', to: 'Tea', relationType: 'sells' }] });
      vault.write(path, vault.read(path).replace('sells', 'sold'));
      const changed = await call('delete_relations', { relations: [{ from: 'Nora Quist', to: 'Tea', relationType: 'sells' }] });
      expect(warningsOf(changed)).toEqual(['Not deleted: there is no relation "Nora Quist sells Tea". Nearest: "Nora Quist sold Tea".']);
      expect((await call('delete_observations', { deletions: [{ entityName: 'Tea', observations: ['green'] }] })).texts).toHaveLength(1);
    }));

  it('A-06 an entity is named in any case, by alias, id and path, also where it is deleted', () =>
    inMemory(async ({ ask }, vault) => {
      for (const name of ['NORA QUIST', 'nonna', 'e_01hzzzzzzzzzzzzzzzzzzzzzzz', 'memory/person/Nora Quist.md', 'nora quist.md'])
        expect([name, (await ask('open_nodes', { names: [name] })).entities[0]?.name]).toEqual([name, 'Nora Quist']);
      await ask('delete_observations', { deletions: [{ entityName: 'TEA', observations: ['hot'] }] });
      expect((await ask('open_nodes', { names: ['tea'] })).entities[0].observations).toEqual(['green']);
      await ask('delete_relations', { relations: [{ from: 'nonna', to: 'TEA', relationType: 'likes' }] });
      expect((await ask('open_nodes', { names: ['Tea'] })).relations).toEqual([]);
      await ask('delete_entities', { entityNames: ['NONNA'] });
      expect(vault.exists('memory/person/Nora Quist.md')).toBe(false);
    }));

  it('A-06 no twin of another case, in any script', () =>
    inMemory(async ({ call, ask }) => {
      await ask('create_entities', { entities: [{ name: 'ΚΑΦΕΣ', entityType: 'drink', observations: [] }] });
      const twin = await call('create_entities', { entities: [{ name: 'καφες', entityType: 'drink', observations: [] }] });
      expect(twin.value).toEqual([]);
      expect(warningsOf(twin)).toEqual([expect.stringContaining('was not created: it is "ΚΑΦΕΣ"')]);
    }));
});
