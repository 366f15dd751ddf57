import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { ask, find, ingest, ok, refused } from './kg.ts';
import type { Json } from './kg.ts';

const FLAGS = ['--toolsets', 'all'];

/** An item that states one fact. */
function item(
  fact: { source?: string; name: string; target: string; fact: string; valid_at?: string; invalid_at?: string; negated?: boolean },
  more: Record<string, unknown> = {},
) {
  const { source = 'Alice', name, target, ...rest } = fact;
  return {
    source: 'text',
    body: `${fact.fact} (${JSON.stringify(more)})`,
    reference_time: '2026-01-01T00:00:00.000Z',
    extraction: {
      nodes: [
        { tmp_ref: 'a', name: source },
        { tmp_ref: 'b', name: target },
      ],
      edges: [{ name, ...rest, source_ref: 'a', target_ref: 'b' }],
    },
    ...more,
  };
}

describe('facts', () => {
  it('S3-10 an episode is accepted, and its facts are there for the next call, on disk for a person to read', async () => {
    await withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          const body = 'Alice -[WORKS_AT]-> Acme: Alice works at Acme since 2024-01-01.';
          const items = [{ source: 'text', body, reference_time: '2026-01-01T00:00:00Z' }];
          const answer = await ask(session, 'add_episodes', { group_id: 'team', items });
          expect(answer).toMatchObject({ status: 'ACCEPTED', output: { accepted: 1, receipt_id: expect.any(String) } });
          expect(await ingest(session, 'team', items)).toEqual({ receipt: answer.output.receipt_id, states: ['completed'] });
          const facts = await find(session, 'team', 'where does Alice work?');
          expect(facts).toMatchObject([{ name: 'WORKS_AT', source_node_name: 'Alice', target_node_name: 'Acme' }]);
          expect(facts[0].valid_at).toBe('2024-01-01T00:00:00.000Z');
        },
        { flags: FLAGS },
      ),
    );
  });

  it('S3-38 a later fact of a single relation ends the one before, which stays as history', async () => {
    await withVault({ '.rouxrc.json': '{"knowledge": {"single": ["WORKS_AT"]}}' }, (vault) =>
      withServer(
        vault,
        async (session) => {
          const first = item({ name: 'WORKS_AT', target: 'Acme', fact: 'Alice works at Acme.', valid_at: '2020-01-01T00:00:00.000Z' });
          const later = item({ name: 'works_at', target: 'Globex', fact: 'Alice works at Globex.', valid_at: '2023-01-01T00:00:00.000Z' });
          await ingest(session, 'team', [first]);
          const [old] = await find(session, 'team', 'Alice');
          await ingest(session, 'team', [later]);
          const now = await find(session, 'team', 'Alice');
          expect(now.map((fact: Json) => fact.target_node_name)).toEqual(['Globex']);
          expect(await ok(session, 'get_entity_edge', { uuid: old.uuid })).toMatchObject({
            invalid_at: '2023-01-01T00:00:00.000Z',
            expired_at: expect.any(String),
          });
          const then = await find(session, 'team', 'Alice', { as_of: { valid: '2021-01-01T00:00:00Z' } });
          expect(then.map((fact: Json) => fact.target_node_name)).toEqual(['Acme']);
          expect(await find(session, 'team', 'Alice', { include_expired: true })).toHaveLength(2);
        },
        { flags: FLAGS },
      ),
    );
  });

  it('S3-02 unknown fields at any depth, and times of other zones, are errors that name the field', async () => {
    await withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          const items = [item({ name: 'R', target: 'B', fact: 'x' })];
          expect(await refused(session, 'add_episodes', { group_id: 'g', items, extra: 1 })).toBe('INVALID_ARGUMENT');
          expect(await refused(session, 'add_episodes', { group_id: 'g', items: [{ ...items[0], extra: 1 }] })).toBe('INVALID_ARGUMENT');
          expect(await refused(session, 'add_episodes', { group_id: 'g', items }, { extra: 1 })).toBe('INVALID_ARGUMENT');
          for (const reference_time of ['2026-01-01T00:00:00+02:00', '2026-01-01T00:00:00', '2026-13-01T00:00:00Z', 'yesterday'])
            expect(await refused(session, 'add_episodes', { group_id: 'g', items: [{ ...items[0], reference_time }] })).toBe(
              'INVALID_ARGUMENT',
            );
          for (const group_id of ['../up', 'a/b', '', '.', 'ä', 'a'.repeat(200)])
            expect(await refused(session, 'add_episodes', { group_id, items })).toBe('INVALID_ARGUMENT');
          expect(vault.files()).toEqual([]);
        },
        { flags: FLAGS },
      ),
    );
  });
});
