import { describe, expect, it } from 'vitest';
import { compareText } from '../../../src/note/text.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { randomOf } from '../../support/random.ts';
import { withVault } from '../../support/vault.ts';
import { ask, find, ingest, ok } from './kg.ts';

const OPTIONS = { flags: ['--toolsets', 'knowledge,admin,vault'] };
const WORDS = ['red', 'green', 'blue', 'apple', 'pear', 'roof', 'garden', 'shed', 'paint', 'Zürich', '茶', 'tea'];
const QUERIES = ['red apple', 'garden shed paint', '茶', 'zurich roof', 'who knows what', 'tea'];

/** Facts of a few entities in random words, each an entity with a uuid so that ties are decided alike everywhere. */
function corpus(count: number) {
  const random = randomOf('ranking');
  return Array.from({ length: count }, (_, n) => {
    const words = Array.from({ length: 2 + random.below(6) }, () => random.pick(WORDS)).join(' ');
    return { n, from: `Person ${n % 7}`, to: `Thing ${n % 11}`, fact: `Statement ${n}: ${words}.` };
  });
}

function episode({ n, from, to, fact }: ReturnType<typeof corpus>[number]) {
  return {
    source: 'text',
    body: fact,
    reference_time: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
    extraction: {
      nodes: [
        { tmp_ref: 'a', name: from },
        { tmp_ref: 'b', name: to },
      ],
      edges: [{ name: `R${n}`, fact, source_ref: 'a', target_ref: 'b' }],
    },
  };
}

const ranks = (session: McpSession, group: string, more = {}) =>
  Promise.all(QUERIES.map(async (query) => (await find(session, group, query, { max_facts: 30, ...more })).map(({ fact }) => fact)));

describe('retrieval', () => {
  it('S3-48 S3-04 the same facts give the same order: in whatever order they came, whatever is in other groups, after a restart and indexed anew', () =>
    withVault({}, async (vault) => {
      const facts = corpus(60);
      const bytes = (session: McpSession) =>
        Promise.all(
          QUERIES.map(async (query) =>
            JSON.stringify((await ask(session, 'search_facts', { group_ids: ['one'], query, max_facts: 30 })).output),
          ),
        );
      const before = await withServer(
        vault,
        async (session) => {
          await ingest(session, 'one', facts.map(episode));
          const alone = await bytes(session);
          await ingest(session, 'two', facts.toReversed().map(episode));
          await ingest(session, 'three', [...facts.slice(0, 20), ...corpus(90).slice(60)].map(episode));
          expect(await bytes(session)).toEqual(alone);
          // Uuids differ from group to group, and decide ties; by score alone both are in one order.
          const [one, two] = [await ranks(session, 'one'), await ranks(session, 'two')];
          for (const [at, query] of QUERIES.entries()) expect(new Set(two[at]), query).toEqual(new Set(one[at]));
          await session.ask('update_node', { id: 'knowledge/one/entities/thing-3.md', title: 'A red pear' });
          await session.ask('update_node', { id: 'knowledge/one/entities/person-2.md', title: 'Tea drinker' });
          return bytes(session);
        },
        OPTIONS,
      );
      await withServer(vault, async (session) => expect(await bytes(session)).toEqual(before), OPTIONS);
      vault.remove('.roux/cache');
      await withServer(vault, async (session) => expect(await bytes(session)).toEqual(before), OPTIONS);
    }));

  it('S3-45 what is over, expired or of another time is taken out before the cut', () =>
    withVault({ '.rouxrc.json': '{"knowledge": {"single": ["IS_AT"]}}' }, (vault) =>
      withServer(
        vault,
        async (session) => {
          const visits = Array.from({ length: 120 }, (_, n) => ({
            source: 'text',
            body: `Visit ${n}`,
            reference_time: new Date(Date.UTC(2025, 0, 1 + n)).toISOString(),
            extraction: {
              nodes: [
                { tmp_ref: 'a', name: 'Alice' },
                { tmp_ref: 'b', name: `Place ${n}` },
              ],
              edges: [
                {
                  name: 'IS_AT',
                  fact: n === 119 ? 'Alice is there now, as it seems.' : 'Alice is at the place.',
                  source_ref: 'a',
                  target_ref: 'b',
                },
              ],
            },
          }));
          for (const at of [0, 60]) await ingest(session, 'team', visits.slice(at, at + 60));
          expect((await find(session, 'team', 'Alice is at the place', { max_facts: 1 })).map(({ fact }) => fact)).toEqual([
            'Alice is there now, as it seems.',
          ]);
        },
        OPTIONS,
      ),
    ));

  it('S3-44 S3-46 near the centre comes first, by the shortest way, ties by uuid; an unknown centre is NOT_FOUND', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          for (const [name, uuid] of [
            ['A', 'e_a'],
            ['B', 'e_b'],
            ['C', 'e_c'],
            ['D', 'e_d'],
            ['Z', 'e_z'],
            ['Y', 'e_y'],
          ])
            await ok(session, 'add_entity_node', { uuid, group_id: 'team', name });
          const lines = [
            'Z -[KNOWS]-> Y: They met at work.',
            'C -[KNOWS]-> D: They met at work.',
            'B -[KNOWS]-> C: They met at work.',
            'A -[KNOWS]-> B: They met at work.',
          ];
          await ingest(session, 'team', [{ source: 'text', body: lines.join('\n'), reference_time: '2026-01-01T00:00:00Z' }]);
          const from = async (center_node_uuid: string) =>
            (await find(session, 'team', 'met work', { center_node_uuid })).map(
              (fact) => `${fact.source_node_name}${fact.target_node_name}`,
            );
          expect(await from('e_a')).toEqual(['AB', 'BC', 'CD', 'ZY']);
          expect(await from('e_d')).toEqual(['CD', 'BC', 'AB', 'ZY']);
          expect((await from('e_y'))[0]).toBe('ZY');
          const plain = (await find(session, 'team', 'met work')).map(({ uuid }) => uuid);
          expect(plain).toEqual(plain.toSorted(compareText));
          expect(
            (await ask(session, 'search_facts', { group_ids: ['team'], query: 'x', center_node_uuid: 'e_nobody' })).error?.error_code,
          ).toBe('NOT_FOUND');
        },
        OPTIONS,
      ),
    ));
});
