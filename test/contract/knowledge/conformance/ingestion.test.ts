import { describe, expect, it } from 'vitest';
import { withVault } from '../../../support/vault.ts';
import { doorsOf, search, settle, settled, sorted, stating, throughDoor, withDoor } from './doors.ts';

const AT = '2026-01-01T00:00:00.000Z';

describe.each(doorsOf(0))('conformance of ingestion, over %s', (kind) => {
  it('S3-34 S3-52 K items are accepted as K, and their facts are there within the bound', () =>
    withDoor(kind, {}, async (door) => {
      const items = Array.from({ length: 25 }, (_, at) =>
        stating([{ source: `Person ${at}`, name: 'KEEPS', target: `Pet ${at}`, fact: `Person ${at} keeps pet ${at}.` }]),
      );
      const started = performance.now();
      const { accepted, receipt_id: receipt } = await door.ok('AddEpisodes', { group_id: 'g', items });
      expect(accepted).toBe(25);
      expect((await settled(door, receipt)).map(({ state }: { state: string }) => state)).toEqual(items.map(() => 'completed'));
      expect(await search(door, 'g', 'keeps', { max_facts: 100 })).toHaveLength(25);
      // Generous beside the 2 s of the bound: other programs have this machine as well.
      expect(performance.now() - started).toBeLessThan(60_000);
    }));

  it('S3-26 S3-27 S3-05 the same episode again changes nothing: by uuid, by key, by its text', () =>
    withDoor(kind, {}, async (door, vault) => {
      const named = stating([{ name: 'OWNS', target: 'Boat', fact: 'Alice owns a boat.' }], { uuid: 'u-1' });
      const plain = stating([{ name: 'OWNS', target: 'Kite', fact: 'Alice owns a kite.' }]);
      const first = await door.ok('AddEpisodes', { group_id: 'g', items: [named, plain, plain] }, { idempotency_key: 'k-1' });
      expect(first.accepted).toBe(3);
      expect(await settled(door, first.receipt_id)).toHaveLength(2);
      const facts = await search(door, 'g', 'owns');
      const files = vault.files();
      const texts = files.map((file) => vault.read(file));
      expect(await door.ok('AddEpisodes', { group_id: 'g', items: [named, plain, plain] }, { idempotency_key: 'k-1' })).toEqual(first);
      expect(await door.ok('AddEpisodes', { group_id: 'g', items: [named, plain] })).toEqual({ accepted: 2, receipt_id: first.receipt_id });
      expect(await search(door, 'g', 'owns')).toEqual(facts);
      expect(vault.files()).toEqual(files);
      expect(files.map((file) => vault.read(file))).toEqual(texts);
      expect(await door.refused('AddEpisodes', { group_id: 'g', items: [plain] }, { idempotency_key: 'k-1' })).toBe('CONFLICT');
      expect(await door.refused('AddEpisodes', { group_id: 'g', items: [{ ...named, body: 'another text' }] })).toBe('CONFLICT');
      // The same uuid in another group is another episode.
      expect(await settle(door, 'other', [named])).toMatchObject([{ uuid: 'u-1', state: 'completed' }]);
    }));

  it('S3-28 K-02 an extraction that cannot be applied is refused with the reason, and nothing of the call is accepted', () =>
    withDoor(kind, {}, async (door, vault) => {
      const good = stating([{ name: 'KNOWS', target: 'Bob', fact: 'Alice knows Bob.' }]);
      const bad = stating([{ name: 'KNOWS', target: 'Carol', fact: 'Alice knows Carol.' }]);
      const { nodes, edges } = bad['extraction'] as { nodes: unknown[]; edges: Record<string, unknown>[] };
      const wrong = { ...bad, extraction: { nodes, edges: [...edges, { ...edges[0], target_ref: 'nobody' }] } };
      const { error } = await door.send('AddEpisodes', { input: { group_id: 'g', items: [good, wrong] } });
      expect(error).toMatchObject({ error_code: 'INVALID_ARGUMENT', message: expect.stringMatching(/^Item 1 .*edges\[1\]\.target_ref/) });
      expect(vault.files()).toEqual([]);
    }));

  it('S3-28 S3-23 S3-20 what was extracted wrongly is parked with the reason, leaves nothing, and can be tried again', () =>
    withDoor(kind, {}, async (door, vault) => {
      const good = stating([{ name: 'KNOWS', target: 'Bob', fact: 'Alice knows Bob.' }]);
      const body = `Alice -[KNOWS]-> Carol: ${'x'.repeat(2001)}`;
      const bad = stating([{ name: 'KNOWS', target: 'Carol', fact: 'Alice knows Carol.' }], { body });
      const { extraction: _, ...wrong } = bad;
      const states = await settle(door, 'g', [good, wrong]);
      expect(sorted(states.map(({ state }) => state))).toEqual(['completed', 'parked']);
      const parked = states.find(({ state }) => state === 'parked');
      expect(parked).toMatchObject({
        attempts: expect.any(Number),
        error: { code: 'TOO_LARGE', message: expect.stringContaining('"edges[0].fact"') },
      });
      expect((await search(door, 'g', 'knows')).map(({ fact }) => fact)).toEqual(['Alice knows Bob.']);
      expect(vault.files().some((file) => /carol/i.test(file) && file.includes('/entities/'))).toBe(false);
      // Its text is kept, and told of as what is not completed.
      const { episodes } = await door.ok('GetEpisodes', { group_id: 'g', last_n: 10 });
      expect(episodes.map(({ uuid }: { uuid: string }) => uuid)).toContain(parked.uuid);
      expect(await door.ok('GetReceipt', { group_id: 'g' })).toMatchObject({ counts: { parked: 1 }, items: [{ uuid: parked.uuid }] });
      expect(await door.ok('RetryParked', { group_id: 'g', uuids: [parked.uuid] })).toMatchObject({ retried: 1 });
      await expect.poll(async () => (await door.ok('GetReceipt', { group_id: 'g' })).counts).toEqual({ parked: 1 });
      expect(await settle(door, 'g', [bad])).toMatchObject([{ uuid: parked.uuid, state: 'completed' }]);
      expect(await search(door, 'g', 'Carol')).toHaveLength(1);
      expect(await door.refused('GetReceipt', { receipt_id: 'r_none' })).toBe('NOT_FOUND');
    }));

  it('S3-25 one bad item holds up neither the others nor another group', () =>
    withDoor(kind, {}, async (door) => {
      const bad = { source: 'text', body: `A -[R]-> B: ${'x'.repeat(2001)}`, reference_time: AT };
      const fine = (target: string) => stating([{ name: 'VISITS', target, fact: `Alice visits ${target}.` }]);
      const states = await settle(door, 'g', [fine('Rome'), bad, fine('Oslo')]);
      expect(sorted(states.map(({ state }) => state))).toEqual(['completed', 'completed', 'parked']);
      expect(await settle(door, 'h', [fine('Bern')])).toMatchObject([{ state: 'completed' }]);
      expect(await search(door, 'g', 'visits')).toHaveLength(2);
    }));

  it('S3-30 the rules read relation lines, JSON and messages with no model at all', () =>
    withDoor(kind, {}, async (door) => {
      await settle(door, 'g', [
        { source: 'text', body: 'Mia -[LEADS]-> Orchard: Mia leads the orchard since 2025-02-03.', reference_time: AT },
        { source: 'json', body: '{"name": "Noor", "works at": {"name": "Mill"}}', reference_time: AT },
      ]);
      await door.ok('AddMessages', {
        group_id: 'g',
        messages: [{ role_type: 'user', role: 'Ann', content: 'Noor -[KNOWS]-> Mia: Noor knows Mia.', timestamp: AT }],
      });
      await expect.poll(async () => (await search(door, 'g', 'Mia Noor Mill', { max_facts: 20 })).length).toBeGreaterThanOrEqual(3);
      const facts = await search(door, 'g', 'Mia Noor Mill', { max_facts: 20 });
      expect(facts.find(({ name }) => name === 'LEADS')).toMatchObject({
        valid_at: '2025-02-03T00:00:00.000Z',
        target_node_name: 'Orchard',
      });
      expect(facts.find(({ name }) => /works/i.test(name))).toMatchObject({ source_node_name: 'Noor', target_node_name: 'Mill' });
    }));

  it('S3-24 S3-48 what was accepted is there after the server is started again, in the same order', () =>
    withVault({}, async (vault) => {
      let before: unknown;
      await throughDoor(kind, { vault }, async (door) => {
        const items = ['tea', 'tea and cake', 'cake', 'tea with milk'].map((target) =>
          stating([{ name: 'LIKES', target, fact: `Alice likes ${target}.` }]),
        );
        await settle(door, 'g', items);
        before = [await search(door, 'g', 'tea cake'), await door.ok('GetEpisodes', { group_id: 'g', last_n: 9 })];
      });
      if (vault.exists('.roux/cache')) vault.remove('.roux/cache');
      await throughDoor(kind, { vault }, async (door) => {
        expect([await search(door, 'g', 'tea cake'), await door.ok('GetEpisodes', { group_id: 'g', last_n: 9 })]).toEqual(before);
      });
    }));

  it('S3-08 health tells the counts, and that nothing hinders', () =>
    withDoor(kind, {}, async (door) => {
      await settle(door, 'g', [stating([{ name: 'LIKES', target: 'Tea', fact: 'Alice likes tea.' }])]);
      await search(door, 'g', 'tea');
      expect(await door.ok('Healthcheck', {})).toMatchObject({
        status: 'healthy',
        metrics: { ingestion_accepted_total: 1, ingestion_processed_total: 1, parked_items_total: 0, search_latency_ms: { count: 1 } },
        counts: {
          groups: 1,
          entities: 2,
          facts: { now: 1, expired: 0, total: 1 },
          episodes: { total: 1, states: { completed: 1 }, foreign: 0 },
        },
      });
    }));
});
