import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpInside } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { ask, ok } from '../knowledge/kg.ts';
import { warningsOf } from './warnings.ts';

const NORA = 'knowledge/team/entities/nora-quist.md';
const fact = (name: string, target: string, uuid: string): string =>
  `- ${name} [[${target}]]: Nora ${name} ${target}. [valid_at:: 2024-01-01T00:00:00.000Z] [created_at:: 2026-01-01T00:00:00.000Z] ^f-${uuid}`;
const FILES = {
  [NORA]: `---\nid: nora-1\ntype: entity\ntitle: Nora Quist\naliases: [Nonna]\ngroup_id: team\n---\n\n## Relations\n\n${fact('KNOWS', 'emil', '01')}\n`,
  'knowledge/team/entities/emil.md': '---\nid: emil-1\ntype: entity\ntitle: Emil\ngroup_id: team\n---\n',
  'knowledge/other/entities/nora-quist-2.md': '---\nid: nora-2\ntype: entity\ntitle: Nora Quist\ngroup_id: other\n---\n',
};

const inGroups = (run: (session: McpInside) => Promise<void>): Promise<void> =>
  withVault(FILES, (vault) => withServer(vault, run, { flags: ['--toolsets', 'knowledge'] }));

const search = { query: 'who knows whom', group_ids: ['team'] };

describe('A-05 and A-06 the knowledge graph', () => {
  it('A-06 center_node_uuid takes the name of an entity, its path or alias, within the groups asked', () =>
    inGroups(async (session) => {
      const around = async (center_node_uuid: string) =>
        (await ok(session, 'search_facts', { ...search, center_node_uuid })).facts.map(({ uuid }: { uuid: string }) => uuid);
      const byUuid = await around('nora-1');
      expect(byUuid).toHaveLength(1);
      for (const center of ['Nora Quist', 'nora quist', NORA, 'nonna', 'EMIL'])
        expect([center, await around(center)]).toEqual([center, byUuid]);
      expect(await ask(session, 'search_facts', { ...search, group_ids: ['team', 'other'], center_node_uuid: 'Nora Quist' })).toMatchObject(
        {
          error: { error_code: 'AMBIGUOUS', details: { candidates: [{ uuid: 'nora-1' }, { uuid: 'nora-2' }] } },
        },
      );
      expect((await ask(session, 'search_facts', { ...search, group_ids: ['other'], center_node_uuid: 'Emil' })).error?.error_code).toBe(
        'NOT_FOUND',
      );
    }));

  it('A-05 unknown entities and groups name the nearest; uuids say where they are found', () =>
    inGroups(async (session) => {
      const missing = await ask(session, 'search_facts', { ...search, center_node_uuid: 'Nroa Quist' });
      expect(missing.error).toMatchObject({ error_code: 'NOT_FOUND', details: { nearest: ['Nora Quist'] } });
      expect(missing.error?.message).toContain('Nearest: "Nora Quist".');
      // Entities of other groups are not told.
      const elsewhere = await ask(session, 'search_facts', { query: 'x', group_ids: ['other'], center_node_uuid: 'Emil' });
      expect(elsewhere.error?.details.nearest).toBeUndefined();
      for (const [tool, input] of [
        ['search_facts', { query: 'x', group_ids: ['taem'] }],
        ['get_memory', { group_id: 'taem', messages: [{ role_type: 'user', content: 'x' }] }],
        ['get_episodes', { group_id: 'taem', last_n: 1 }],
        ['delete_group', { group_id: 'taem', dry_run: true }],
      ] as const)
        expect([tool, warningsOf(await session.call(`kg_${tool}`, { input }))]).toEqual([
          tool,
          ['There is no group "taem". Nearest: "team".'],
        ]);
      expect(warningsOf(await session.call('kg_get_episodes', { input: { group_id: 'zebra', last_n: 1 } }))).toEqual([]);
      expect((await ask(session, 'get_entity_edge', { uuid: 'f-99' })).error?.message).toContain('kg_search_facts');
      expect((await ask(session, 'get_episodes', { group_id: 'team', uuid: 'ep-99' })).error?.message).toContain(
        'kg_get_episodes with last_n',
      );
    }));

  it('A-06 a twin in another case is refused, and the entity that has the name is named', () =>
    inGroups(async (session) => {
      const twin = await ask(session, 'add_entity_node', { uuid: 'nora-3', group_id: 'team', name: 'NORA QUIST' });
      expect(twin.error).toMatchObject({ error_code: 'CONFLICT', details: { uuid: 'nora-1', name: 'Nora Quist' } });
    }));
});
