import { expect, it } from 'vitest';
import { withServer } from '../../../support/program/mcp-server.ts';
import { withVault } from '../../../support/vault.ts';
import { find, ingest } from '../kg.ts';

it('K-12 what is near the centre moves up, and not before what answers far better', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async (session) => {
        const lines = [
          ...Array.from({ length: 40 }, (_, n) => `Seller ${n} -[SELLS]-> Honey: Lavender honey is sold here.`),
          'Ann -[OWNS]-> Jug: This is a jar.',
          ...Array.from({ length: 60 }, (_, n) => `Cook ${n} -[OWNS]-> Shelf: This is a jar.`),
        ];
        await ingest(session, 'g', [{ source: 'text', body: lines.join('\n'), reference_time: '2026-01-05T10:00:00Z' }]);
        const owners = async (more: object): Promise<readonly string[]> =>
          (await find(session, 'g', 'lavender honey jar', { max_facts: 30, ...more })).map(({ source_node_name: name }) => name);
        const [ann] = await find(session, 'g', 'Ann jug', { max_facts: 1 });
        expect(ann.source_node_name).toBe('Ann');
        expect(await owners({})).not.toContain('Ann');
        const around = await owners({ center_node_uuid: ann.source_node_uuid });
        expect(around[0]).toMatch(/^Seller /);
        expect(around).toContain('Ann');
      },
      { flags: ['--toolsets', 'knowledge'] },
    ),
  ));
