import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { find, ingest, ok } from './kg.ts';
import type { Json } from './kg.ts';

const FLAGS = { flags: ['--toolsets', 'knowledge'] };
const NORA = 'knowledge/team/entities/nora.md';

const said = (body: string, day: string): Json => ({ source: 'text', body, reference_time: `${day}T00:00:00Z`, name: day });
const FIRST = said('Nora -[LIVES_IN]-> Lyon: Nora lives in Lyon.', '2026-01-01');
const SECOND = said('Nora -[LIVES_IN]-> Porto: Nora lives in Porto.', '2026-02-01');

const SINGLE = { '.rouxrc.json': JSON.stringify({ knowledge: { single: ['LIVES_IN'] } }) };
const targets = (facts: readonly Json[]): string[] => facts.map(({ target_node_name: name }: { target_node_name: string }) => name);

describe('what a deleted fact ended', () => {
  it('K-14 holds again: its line names the fact that ended it, and loses that mark with it', () =>
    withVault(SINGLE, (vault) =>
      withServer(
        vault,
        async (session) => {
          await ingest(session, 'team', [FIRST]);
          const before = vault.read(NORA).match(/^- LIVES_IN \[\[lyon.*$/m)?.[0];
          await ingest(session, 'team', [SECOND]);
          const [porto] = await find(session, 'team', 'Nora');
          expect(porto).toMatchObject({ target_node_name: 'Porto' });
          expect(vault.read(NORA)).toMatch(new RegExp(`\\[\\[lyon.*\\[cut:: \\S+ open ${porto.uuid}\\]`));
          await ok(session, 'delete_entity_edge', { uuid: porto.uuid });
          expect(targets(await find(session, 'team', 'Nora'))).toEqual(['Lyon']);
          expect(vault.read(NORA)).toContain(before);
          expect(vault.read(NORA)).not.toContain('cut::');
        },
        FLAGS,
      ),
    ));

  it('K-14 holds again with a deleted episode, up to what another episode says', () =>
    withVault(SINGLE, (vault) =>
      withServer(
        vault,
        async (session) => {
          await ingest(session, 'team', [FIRST, SECOND]);
          await ingest(session, 'team', [said('Nora -[LIVES_IN]-> Oslo: Nora lives in Oslo.', '2026-03-01')]);
          const { episodes } = await ok(session, 'get_episodes', { group_id: 'team', last_n: 9 });
          const { uuid } = episodes.find(({ name }: Json) => name === '2026-02-01');
          await ok(session, 'delete_episode', { uuid, cascade: true });
          const held = async (at: string): Promise<Json[]> => find(session, 'team', 'Nora', { as_of: { valid: at } });
          const lyon = (await held('2026-02-15T00:00:00Z')).find(({ target_node_name: name }) => name === 'Lyon');
          expect(lyon).toMatchObject({ invalid_at: '2026-03-01T00:00:00.000Z' });
          expect(targets(await find(session, 'team', 'Nora'))).toEqual(['Oslo']);
        },
        FLAGS,
      ),
    ));
});
