import { expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { find, ingest, ok } from './kg.ts';

it('K-14 what an entity says of itself finds its facts, and those that lead to it, also after it has changed', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async (session) => {
        const extraction = {
          nodes: [
            { tmp_ref: 'n', uuid: 'nora', name: 'Nora', summary: 'A beekeeper.' },
            { tmp_ref: 'l', uuid: 'lyon', name: 'Lyon', attributes: { river: 'Rhône' } },
          ],
          edges: [{ name: 'LIVES_IN', fact: 'Nora lives in Lyon.', source_ref: 'n', target_ref: 'l' }],
        };
        await ingest(session, 'g', [{ source: 'text', body: 'x', reference_time: '2026-01-01T00:00:00Z', extraction }]);
        for (const query of ['beekeeper', 'Rhône']) expect(await find(session, 'g', query), query).toHaveLength(1);
        await ok(session, 'add_entity_node', { uuid: 'nora', group_id: 'g', name: 'Nora', summary: 'A violinist.' });
        await ok(session, 'add_entity_node', { uuid: 'lyon', group_id: 'g', name: 'Lyon', attributes: { river: 'Saône' } });
        for (const query of ['violinist', 'Saône']) expect(await find(session, 'g', query), query).toHaveLength(1);
        for (const query of ['beekeeper', 'Rhône']) expect(await find(session, 'g', query), query).toEqual([]);
      },
      { flags: ['--toolsets', 'knowledge'] },
    ),
  ));
