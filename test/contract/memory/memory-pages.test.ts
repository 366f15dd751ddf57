import { describe, expect, it } from 'vitest';
import type { McpSession, ToolAnswer } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const flags = ['--toolsets', 'memory'];
const MOST = 40_000;
const MAX_PAGES = 200;

interface Relation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

const keyOf = ({ from, to, relationType }: Relation): string => `${from} ${relationType} ${to}`;

async function withMemory(run: (session: McpSession) => Promise<void>): Promise<void> {
  await withVault({}, (vault) => withServer(vault, run, { flags }));
}

/** What the words beside an answer say under a name: `observations_offset 12`. */
function said({ texts }: ToolAnswer, field: string): number | null {
  const found = new RegExp(`Go on with ${field} (\\d+)|go on with .*${field} (\\d+)`).exec(texts.slice(1).join('\n'));
  return found === null ? null : Number(found[1] ?? found[2]);
}

/** The pages of a reading, each short enough, by what each says to go on with. */
async function* pagesOf({ call }: McpSession, tool: string, args: Record<string, unknown>, field: string): AsyncGenerator<ToolAnswer> {
  let next: number | null = Number(args[field] ?? 0);
  for (let pages = 0; next !== null; pages += 1) {
    expect(pages).toBeLessThan(MAX_PAGES);
    const page: ToolAnswer = await call(tool, { ...args, [field]: next });
    expect(page.isError, page.texts[0]).toBe(false);
    expect(page.texts[0]!.length).toBeLessThanOrEqual(MOST);
    expect(page.structured).toEqual(page.value);
    yield page;
    next = said(page, field);
  }
}

async function observationsOf(session: McpSession, name: string): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const { value } of pagesOf(session, 'open_nodes', { names: [name], observations_offset: 0 }, 'observations_offset'))
    seen.push(...value.entities[0].observations);
  return seen;
}

async function relationsOf(session: McpSession, name: string): Promise<readonly Relation[]> {
  const seen: Relation[] = [];
  for await (const { value } of pagesOf(session, 'open_nodes', { names: [name], relations_offset: 0 }, 'relations_offset'))
    seen.push(...value.relations);
  return seen;
}

describe('memory beyond what an answer holds', () => {
  it('S4-08 S4-16 X-27 all relations of a hub can be had, and every reading that leaves some out says how', async () => {
    const spokes = Array.from({ length: 600 }, (_, index) => ({ name: `Spoke number ${index} of the wheel`, entityType: 'spoke' }));
    const relations = spokes.map(({ name }, index) =>
      index % 2 === 0 ? { from: 'Hub', to: name, relationType: 'HOLDS' } : { from: name, to: 'Hub', relationType: 'CARRIES' },
    );
    const loose = Array.from({ length: 300 }, (_, index) => ({
      from: 'Ghost of a name',
      to: `Shadow number ${index} of it`,
      relationType: 'CASTS',
    }));
    await withMemory(async (session) => {
      const { ask, call } = session;
      await ask('create_entities', { entities: [{ name: 'Hub', entityType: 'hub', observations: ['round'] }, ...spokes] });
      await ask('create_relations', { relations: [...relations, ...loose] });
      for (const [tool, args] of [
        ['open_nodes', { names: ['Hub'] }],
        ['search_nodes', { query: 'type:hub' }],
        ['read_graph', {}],
      ] as const) {
        const page = await call(tool, args);
        expect(page.value.entities[0]).toEqual({ name: 'Hub', entityType: 'hub', observations: ['round'] });
        expect(page.value.relations.length, tool).toBeLessThan(600);
        expect(page.texts.slice(1).join(), tool).toMatch(
          /"\\"Hub\\" has 600 relations: open_nodes with only this name and relations_offset \d+ shows the others/,
        );
      }
      expect((await relationsOf(session, 'Hub')).map(keyOf).toSorted()).toEqual(relations.map(keyOf).toSorted());
      const seen = new Set<string>();
      const names: string[] = [];
      for await (const { value } of pagesOf(session, 'read_graph', {}, 'offset')) {
        names.push(...value.entities.map(({ name }: { name: string }) => name));
        for (const relation of value.relations) seen.add(keyOf(relation));
      }
      expect(names).toEqual(['Hub', ...spokes.map(({ name }) => name)]);
      expect([...seen].toSorted()).toEqual([...relations, ...loose].map(keyOf).toSorted());
      const { contents } = await session.client.readResource({ uri: 'memory://knowledge-graph' });
      const whole = JSON.parse((contents[0] as { text: string }).text);
      expect(whole.entities.map(({ name }: { name: string }) => name)).toEqual(names);
      expect(whole.relations.map(keyOf).toSorted()).toEqual([...relations, ...loose].map(keyOf).toSorted());
    });
  });

  it('S4-07 S4-16 X-27 every observation can be read and deleted, however many and however long they are', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => `Observation number ${index} "quoted"`);
    const long = Array.from({ length: 6_000 }, (_, index) => `word ${index} 😀`).join(' ');
    const strange = `${'\u0001'.repeat(9_000)} and so on`;
    const alike = `${long} and another end`;
    const odd = ['first', long, 'between', strange, alike, 'last'];
    await withMemory(async (session) => {
      const { ask, call } = session;
      await ask('create_entities', {
        entities: [
          { name: 'Many', entityType: 'log', observations: many },
          { name: 'Odd', entityType: 'log', observations: odd },
        ],
      });
      for (const [tool, args] of [
        ['open_nodes', { names: ['Many'] }],
        ['open_nodes', { names: ['Odd', 'Many'] }],
        ['search_nodes', { query: 'number' }],
        ['read_graph', {}],
      ] as const) {
        const page = await call(tool, args);
        const { observations } = page.value.entities.find(({ name }: { name: string }) => name === 'Many');
        expect(observations).toEqual(many.slice(-observations.length));
        expect(page.texts.slice(1).join(), tool).toContain(
          `shows its newest ${observations.length} of 3000 observations: open_nodes with only this name`,
        );
      }
      expect(await observationsOf(session, 'Many')).toEqual(many);
      const middle = await call('open_nodes', { names: ['Many'], observations_offset: 1_500, max_observations: 3 });
      expect(middle.value.entities[0].observations).toEqual(many.slice(1_500, 1_503));
      expect(said(middle, 'observations_offset')).toBe(1_503);
      await ask('delete_observations', { deletions: [{ entityName: 'Many', observations: [many[7]] }] });
      expect(await observationsOf(session, 'Many')).toEqual(many.filter((_, index) => index !== 7));

      const shown = await observationsOf(session, 'Odd');
      expect(shown).toHaveLength(odd.length);
      const tooLong = [1, 3, 4];
      expect(shown.filter((_, index) => !tooLong.includes(index))).toEqual(['first', 'between', 'last']);
      for (const index of tooLong) {
        expect(shown[index]).toContain(` [${odd[index]!.length} characters in all, observations_offset ${index}, `);
        let whole = '';
        const args = { names: ['Odd'], observations_offset: index, text_offset: 0 };
        for await (const { value } of pagesOf(session, 'open_nodes', args, 'text_offset')) whole += value.entities[0].observations[0];
        expect(whole).toBe(odd[index]);
      }
      // The one that is alike up to its end stays.
      await ask('delete_observations', { deletions: [{ entityName: 'Odd', observations: [shown[1], shown[3]] }] });
      const { contents } = await session.client.readResource({ uri: 'memory://knowledge-graph' });
      const { entities } = JSON.parse((contents[0] as { text: string }).text);
      expect(entities[1].observations).toEqual(['first', 'between', alike, 'last']);
    });
  });

  it('S4-33 parts are read one entity at a time, and an offset past the end is empty', async () => {
    await withMemory(async ({ ask, refuse }) => {
      await ask('create_entities', { entities: [{ name: 'A', entityType: 'x', observations: ['a'] }] });
      expect(await refuse('open_nodes', { names: ['A', 'B'], observations_offset: 0 })).toContain('give one name');
      const empty = { entities: [{ name: 'A', entityType: 'x', observations: [] }], relations: [] };
      expect(await ask('open_nodes', { names: ['A'], observations_offset: 5 })).toEqual(empty);
      expect(await ask('open_nodes', { names: ['A'], relations_offset: 5 })).toEqual(empty);
      expect(await ask('open_nodes', { names: ['B'], relations_offset: 0 })).toEqual({ entities: [], relations: [] });
      expect(await ask('read_graph', { offset: 9 })).toEqual({ entities: [], relations: [] });
    });
  });
});
