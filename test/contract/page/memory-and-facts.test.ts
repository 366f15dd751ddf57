import { describe, expect, it } from 'vitest';
import { withPage } from '../../support/page-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const HOSTILE = '"><img src=x onerror=alert(1)>';

describe('the map of the memory', () => {
  it('V-11 counts entities by kind, finds them by words, and shows one with its relations both ways', () =>
    withVault({}, (vault) =>
      withPage(vault, async ({ page, agent }) => {
        const ada = await agent('ada');
        await ada.ask('create_entities', {
          entities: [
            { name: 'Anna', entityType: 'person', observations: ['likes tea', 'lives in Rome'] },
            { name: 'Rome', entityType: 'city', observations: [] },
            { name: HOSTILE, entityType: '<b>kind</b>', observations: ['<script>alert(1)</script>'] },
          ],
        });
        await ada.ask('create_relations', {
          relations: [
            { from: 'Anna', to: 'Rome', relationType: 'lives in' },
            { from: 'Rome', to: 'Nowhere', relationType: 'twinned with' },
          ],
        });
        const map = await page('memory_map');
        expect(map).toMatchObject({ total: 3, found: 3 });
        expect(map.kinds).toEqual([
          { type: '<b>kind</b>', count: 1 },
          { type: 'city', count: 1 },
          { type: 'person', count: 1 },
        ]);
        expect(map.entities.map(({ name }: { name: string }) => name)).toEqual([HOSTILE, 'Rome', 'Anna']);
        expect(map.entities[2]).toMatchObject({ observations: 2, relations: 1, newest: 'lives in Rome' });
        expect((await page('memory_map', { query: 'tea' })).entities).toMatchObject([{ name: 'Anna' }]);
        expect(await page('memory_map', { query: 'tea mountains' })).toMatchObject({ is_partly: true, entities: [{ name: 'Anna' }] });
        expect((await page('memory_map', { type: 'city' })).entities).toMatchObject([{ name: 'Rome' }]);
        const rome = await page('memory_entity', { path: map.entities[1].path });
        expect(rome).toMatchObject({
          name: 'Rome',
          out: [{ relation: 'twinned with', name: 'Nowhere' }],
          in: [{ relation: 'lives in', name: 'Anna', path: map.entities[2].path, type: 'person' }],
          created_by: 'ada',
        });
        expect(rome.out[0].path).toBeUndefined();
        const anna = await page('memory_entity', { path: map.entities[2].path });
        expect(anna.observations).toEqual([{ text: 'lives in Rome' }, { text: 'likes tea' }]);
      }),
    ));

  it('pages of many entities hold each once, and a long one is cut', () =>
    withVault({}, (vault) =>
      withPage(vault, async ({ page, answer, agent }) => {
        const ada = await agent('ada');
        const entities = Array.from({ length: 350 }, (_, at) => ({
          name: `Entity ${at}`,
          entityType: `kind ${at % 3}`,
          observations: at === 0 ? [...Array.from({ length: 450 }, (_, each) => `said ${each}`), 'x'.repeat(50_000)] : ['one'],
        }));
        await ada.ask('create_entities', { entities });
        const names: string[] = [];
        for (let cursor: string | undefined; ;) {
          const map = await page('memory_map', cursor === undefined ? {} : { cursor });
          expect(map.entities.length).toBeLessThanOrEqual(100);
          names.push(...map.entities.map(({ name }: { name: string }) => name));
          cursor = map.next_cursor;
          if (cursor === undefined) break;
        }
        expect(names.toSorted()).toEqual(entities.map(({ name }) => name).toSorted());
        const { path } = (await page('memory_map', { query: 'name:"Entity 0"' })).entities[0] ?? (await page('memory_map')).entities[0];
        const first = await page('memory_entity', { path });
        expect(first.observations).toHaveLength(200);
        expect(first.observations[0]).toMatchObject({ characters: 50_000 });
        expect(first.observations[0].text.length).toBeLessThanOrEqual(4_000);
        expect(first.observation_count).toBe(451);
        expect((await page('memory_entity', { path, offset: 400 })).observations).toHaveLength(51);
        expect((await answer('memory_map', { cursor: '[1]' })).status).toBe(400);
        expect((await answer('memory_entity', { path: 'no.md' })).status).toBe(404);
      }),
    ));
});

const episode = (body: string, day: string, edges: readonly unknown[], nodes: readonly string[]) => ({
  source: 'text',
  body,
  reference_time: `${day}T10:00:00.000Z`,
  extraction: { nodes: nodes.map((name) => ({ tmp_ref: name, name })), edges },
});

describe('facts in time', () => {
  it('V-11 shows what was believed, since when, until when, and which episode said so; as of both times', () =>
    withVault({ '.rouxrc.json': '{"knowledge":{"single":["WORKS_AT"]}}' }, (vault) =>
      withPage(vault, async ({ page, agent }) => {
        const ada = await agent('ada');
        const works = (where: string, from: string) => ({
          name: 'WORKS_AT',
          fact: `Anna works at ${where} ${HOSTILE}`,
          source_ref: 'Anna',
          target_ref: where,
          valid_at: `${from}T00:00:00.000Z`,
        });
        const items = [
          episode('Anna joined Acme.', '2024-01-10', [works('Acme', '2024-01-01')], ['Anna', 'Acme']),
          episode('Anna moved to Beta.', '2025-03-10', [works('Beta', '2025-03-01')], ['Anna', 'Beta']),
        ];
        expect((await page('fact_timeline')).timeline).toBeNull();
        for (const item of items) {
          const { output } = await ada.ask('kg_add_episodes', { input: { group_id: 'team', items: [item] } });
          await waitFor(async () => {
            const receipt = await ada.ask('kg_get_receipt', { input: { receipt_id: output.receipt_id } });
            return receipt.output.items.every(({ state }: { state: string }) => state === 'completed');
          });
        }
        const { groups, timeline } = await page('fact_timeline');
        expect(groups).toMatchObject([{ id: 'team', facts: 2, episodes: 2, entities: 3 }]);
        expect(timeline).toMatchObject({ group: 'team', total: 2 });
        const [acme, beta] = timeline.facts;
        expect(acme).toMatchObject({ target: { name: 'Acme' }, state: 'superseded', valid_at: '2024-01-01T00:00:00.000Z' });
        expect(acme.invalid_at).toBe('2025-03-01T00:00:00.000Z');
        expect(beta).toMatchObject({ target: { name: 'Beta' }, state: 'holds', fact: `Anna works at Beta ${HOSTILE}` });
        expect(timeline.range.valid_from).toBe('2024-01-01T00:00:00.000Z');
        // Valid time alone: what held then.
        const then = (await page('fact_timeline', { as_of: '2024-06-01' })).timeline.facts;
        expect(then.map(({ state }: { state: string }) => state)).toEqual(['holds', 'to come']);
        // System time before anything was known.
        const unknown = (await page('fact_timeline', { known_at: '2020-01-01' })).timeline.facts;
        expect(unknown.map(({ state }: { state: string }) => state)).toEqual(['unknown', 'unknown']);
        // Between both: the second was not known yet.
        const between = (
          await page('fact_timeline', { known_at: new Date(Date.parse(beta.created_at) - 1).toISOString(), as_of: '2025-06-01' })
        ).timeline;
        expect(between.facts.map(({ state }: { state: string }) => state)).toEqual(['holds', 'unknown']);

        const { uuid } = beta.episodes[0];
        const said = await page('knowledge_episode', { group: 'team', uuid });
        expect(said).toMatchObject({ body: 'Anna moved to Beta.', reference_time: '2025-03-10T10:00:00.000Z', fact_count: 1 });
        expect(said.facts[0].uuid).toBe(beta.uuid);
        expect((await page('fact_timeline', { entity: 'anna' })).timeline).toMatchObject({ entity: { name: 'Anna' }, total: 2 });
        expect((await page('fact_timeline', { query: 'Acme' })).timeline.facts[0].uuid).toBe(acme.uuid);
        // A line that a person takes out is told with who did.
        const path = acme.source.path;
        vault.write(
          path,
          vault
            .read(path)
            .split('\n')
            .filter((line) => !line.includes('Acme'))
            .join('\n'),
        );
        const after = await waitFor(async () => {
          const { timeline: lately } = await page('fact_timeline', { entity: 'anna' });
          return lately.facts.find(({ state }: { state: string }) => state === 'deleted');
        });
        expect(after).toMatchObject({ uuid: acme.uuid, deleted_by: 'external' });
      }),
    ));

  it('five thousand facts come in pages that lose and repeat none', () => {
    const notes: Record<string, string> = {};
    for (let entity = 0; entity < 100; entity += 1) {
      const lines = Array.from(
        { length: 50 },
        (_, at) =>
          `- R${at % 5} [[e${(entity + at + 1) % 100}]]: fact ${entity} ${at} [valid_at:: 20${10 + (at % 10)}-01-01] [created_at:: 2025-01-01] ^f-${entity}x${at}\n`,
      );
      notes[`knowledge/big/entities/e${entity}.md`] = `---\ntype: entity\n---\n\n## Relations\n\n${lines.join('')}`;
    }
    return withVault(notes, (vault) =>
      withPage(vault, async ({ page, answer }) => {
        const seen: string[] = [];
        for (let cursor: string | undefined; ;) {
          const { timeline } = await page('fact_timeline', cursor === undefined ? {} : { cursor });
          expect(timeline.total).toBe(5_000);
          expect(timeline.facts.length).toBeLessThanOrEqual(200);
          seen.push(...timeline.facts.map(({ uuid }: { uuid: string }) => uuid));
          cursor = timeline.next_cursor;
          if (cursor === undefined) break;
        }
        expect(new Set(seen).size).toBe(5_000);
        expect(seen).toHaveLength(5_000);
        expect((await answer('fact_timeline', { cursor: 'x' })).status).toBe(400);
        expect((await answer('fact_timeline', { as_of: 'soon' })).status).toBe(400);
        expect((await answer('fact_timeline', { group: 'none' })).status).toBe(404);
      }),
    );
  });
});
