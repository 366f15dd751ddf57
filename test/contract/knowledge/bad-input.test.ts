import { describe, expect, it } from 'vitest';
import { withMcp } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { find, ingest, ok, refused } from './kg.ts';
import type { Json } from './kg.ts';

const OPTIONS = { flags: ['--toolsets', 'knowledge,admin'] };
const AT = '2026-01-01T00:00:00.000Z';

function said(body: string, more: Record<string, unknown> = {}) {
  return { source: 'text', body, reference_time: AT, ...more };
}

describe('what is bad is refused, and harms nothing else', () => {
  it('S3-04 a uuid that another group has is that of another entity and another episode', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          await ok(session, 'add_entity_node', { uuid: 'same', group_id: 'one', name: 'Alice', summary: 'of one' });
          await ok(session, 'add_entity_node', { uuid: 'same', group_id: 'two', name: 'Bob', summary: 'of two' });
          await ingest(session, 'one', [said('Alice -[KNOWS]-> Carol: Alice knows Carol.', { uuid: 'ep' })]);
          await ingest(session, 'two', [said('Bob -[KNOWS]-> Dan: Bob knows Dan.', { uuid: 'ep' })]);
          const [[one], [two]] = [await find(session, 'one', 'knows'), await find(session, 'two', 'knows')];
          expect(one).toMatchObject({ source_node_uuid: 'same', source_node_name: 'Alice', episodes: ['ep'] });
          expect(two).toMatchObject({ source_node_uuid: 'same', source_node_name: 'Bob', episodes: ['ep'] });
          await ok(session, 'delete_group', { group_id: 'one' });
          expect(await find(session, 'two', 'knows')).toHaveLength(1);
          expect((await ok(session, 'get_episodes', { group_id: 'two', last_n: 5 })).episodes).toHaveLength(1);
        },
        OPTIONS,
      ),
    ));

  it('S3-49 a body of 2 MB is over the limit, and nothing of the call is kept', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          const items = [said('Alice -[KNOWS]-> Bob: x'), said('a'.repeat(2 * 1024 * 1024))];
          expect(await refused(session, 'add_episodes', { group_id: 'team', items })).toBe('LIMIT_EXCEEDED');
          expect(await refused(session, 'add_episodes', { group_id: 'team', items: Array.from({ length: 101 }, () => items[0]) })).toBe(
            'LIMIT_EXCEEDED',
          );
          expect(vault.files()).toEqual([]);
        },
        OPTIONS,
      ),
    ));

  it('S3-04 X-34 group ids that differ by case, or that no file system takes, are groups of their own', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          const ids = ['team', 'Team', 'TEAM', 'con', 'NUL', 'aux', '__proto__', 'constructor', '-', '_', 'a'.repeat(128)];
          for (const id of ids)
            expect((await ingest(session, id, [said(`Alice -[KNOWS]-> Bob: In ${id}.`)])).states).toEqual(['completed']);
          for (const id of ids) expect((await find(session, id, 'Alice')).map(({ fact }) => fact)).toEqual([`In ${id}.`]);
          const folders = [...new Set(vault.files().map((file) => file.split('/')[1]!.toLowerCase()))];
          expect(folders).toHaveLength(ids.length);
          expect(folders.filter((name) => /^(con|nul|aux)$/.test(name))).toEqual([]);
        },
        OPTIONS,
      ),
    ));

  it('S3-07 X-34 names of every script, reserved ones and those of prototypes are entities like all others, each once', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          const names = [
            'con',
            'NUL.md',
            '__proto__',
            'constructor',
            'toString',
            '東京',
            'Ελλάς',
            'Ångström',
            'مرحبا',
            '👩‍👩‍👧',
            'a/b\\c',
            '[[x]]|y#z^w',
            '...',
            '`code`',
            '-> B: x',
            'a'.repeat(256),
          ];
          const edges = names.map((_, at) => ({ name: 'IS', fact: `Fact ${at}.`, source_ref: `n${at}`, target_ref: 'hub' }));
          const nodes = [{ tmp_ref: 'hub', name: 'Hub' }, ...names.map((name, at) => ({ tmp_ref: `n${at}`, name }))];
          for (const n of [1, 2]) {
            const { states } = await ingest(session, 'team', [
              said(`all of them ${n}`, { extraction: { nodes, edges }, reference_time: `2026-01-0${n}T00:00:00Z` }),
            ]);
            expect(states).toEqual(['completed']);
          }
          const found = await find(session, 'team', 'fact hub', { max_facts: 100 });
          expect(new Set(found.map((fact) => fact.source_node_name))).toEqual(new Set(names));
          expect(vault.files().filter((file) => file.includes('/entities/'))).toHaveLength(names.length + 1);
          for (const twin of ['Å'.normalize('NFD') + 'ngström', 'ΕΛΛΆΣ', 'HUB', ' hub '])
            await ingest(session, 'team', [said(`twin ${twin}`, { extraction: { nodes: [{ name: twin }], edges: [] } })]);
          expect(vault.files().filter((file) => file.includes('/entities/'))).toHaveLength(names.length + 1);
        },
        OPTIONS,
      ),
    ));

  it('S3-06 attributes with nasty keys come back as they were given', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          const attributes = JSON.parse(
            '{"a.b":1,"":"empty","- x":[1,{"y":null}],"key: v":"#no","true":false,"toString":1,"ünï":"☃","n":1e21,"s":"0123"}',
          ) as object;
          const given = { uuid: 'e_a', group_id: 'team', name: 'Alice', attributes };
          expect((await ok(session, 'add_entity_node', given)).attributes).toEqual(attributes);
          const again = await ok(session, 'add_entity_node', { ...given, attributes: undefined });
          expect(again.attributes).toEqual(attributes);
          for (const key of ['__proto__', 'constructor', 'prototype']) {
            const bad: unknown = JSON.parse(`{"uuid":"e_b","group_id":"team","name":"B","attributes":{"${key}":{"x":1}}}`);
            expect(await refused(session, 'add_entity_node', bad), key).toBe('INVALID_ARGUMENT');
          }
          expect(({} as { x?: unknown }).x).toBeUndefined();
        },
        OPTIONS,
      ),
    ));

  it('S3-25 of 100 items of which one is bad 99 are completed, and the bad one is parked with the reason', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          const items = Array.from({ length: 100 }, (_, n) => {
            if (n === 41) return said(`Alice -[KNOWS]-> B41: ${'x'.repeat(2001)}`, { uuid: 'i41' });
            const edges = [{ name: 'KNOWS', fact: `Fact ${n}.`, source_ref: 'a', target_ref: 'b' }];
            return said(`Item ${n}`, {
              uuid: `i${n}`,
              extraction: {
                nodes: [
                  { tmp_ref: 'a', name: 'Alice' },
                  { tmp_ref: 'b', name: `B${n}` },
                ],
                edges,
              },
            });
          });
          const { receipt, states } = await ingest(session, 'team', items);
          expect(states.filter((state) => state === 'completed')).toHaveLength(99);
          const { items: told } = await ok(session, 'get_receipt', { receipt_id: receipt });
          expect(told.find(({ uuid }: Json) => uuid === 'i41')).toMatchObject({
            state: 'parked',
            error: { message: expect.stringContaining('"edges[0].fact"') },
          });
          expect(vault.files().some((file) => file.endsWith('/b41.md'))).toBe(false);
        },
        OPTIONS,
      ),
    ));

  it('S3-43 a clock that is put back hides nothing that is known, ends facts no earlier than they were made, and holds up no item', () =>
    withVault({ '.rouxrc.json': '{"knowledge": {"single": ["LIVES_IN"]}}', '.clock': '86400000' }, (vault) =>
      withMcp(
        vault,
        async (session) => {
          await ingest(session, 'team', [said('Alice -[LIVES_IN]-> Porto: Alice lives in Porto.')]);
          vault.write('.clock', '0');
          expect((await find(session, 'team', 'Alice')).map(({ fact }) => fact)).toEqual(['Alice lives in Porto.']);
          await ingest(session, 'team', [
            said('Alice -[LIVES_IN]-> Lisbon: Alice lives in Lisbon.', { reference_time: '2026-02-01T00:00:00Z' }),
          ]);
          expect((await find(session, 'team', 'Alice')).map(({ fact }) => fact)).toEqual(['Alice lives in Lisbon.']);
          const [old] = (await find(session, 'team', 'Porto', { include_expired: true })).filter(({ fact }) => fact.includes('Porto'));
          expect(old.expired_at >= old.created_at).toBe(true);
          await waitFor(async () => (await ok(session, 'healthcheck', {})).status === 'healthy');
        },
        {
          ...OPTIONS,
          preload: new URL('../../crash/machine/shifted-clock.mjs', import.meta.url).href,
          env: { TEST_CLOCK: vault.path('.clock') },
        },
      ),
    ));
});
