import { describe, expect, it } from 'vitest';
import { doorsOf, search, settle, sorted, stating, withDoor } from '../conformance/doors.ts';
import type { Door } from '../conformance/doors.ts';

/** The targets of the facts that a search for Alice finds. */
async function targets(door: Door, more: Record<string, unknown> = {}): Promise<string[]> {
  const found = await search(door, 'g', 'Alice', { max_facts: 50, ...more });
  return sorted(found.map(({ target_node_name: name }) => name));
}

const edge = (name: string, target: string, more: Record<string, unknown> = {}) => ({
  name,
  target,
  fact: `Alice: ${name} ${target}.`,
  ...more,
});

describe.each(doorsOf(0))('one-valued relations, over %s', (kind) => {
  it('K-04 without any setting a new home ends the old one, however the relation is written', () =>
    withDoor(kind, {}, async (door) => {
      await settle(door, 'g', [stating([edge('LIVES_IN', 'Paris', { valid_at: '2020-01-01T00:00:00Z' })])]);
      await settle(door, 'g', [stating([edge('lives in', 'Lyon', { valid_at: '2023-01-01T00:00:00Z' })])]);
      expect(await targets(door)).toEqual(['Lyon']);
      await settle(door, 'g', [stating([edge('Lives-In', 'Rome', { valid_at: '2024-01-01T00:00:00Z' })])]);
      expect(await targets(door)).toEqual(['Rome']);
      expect(await targets(door, { as_of: { valid: '2023-06-01T00:00:00Z' } })).toEqual(['Lyon']);
    }));

  it('K-04 an empty list turns it off', () =>
    withDoor(kind, { vault: { '.rouxrc.json': '{"knowledge": {"single": []}}' } }, async (door) => {
      await settle(door, 'g', [stating([edge('LIVES_IN', 'Paris')])]);
      await settle(door, 'g', [stating([edge('LIVES_IN', 'Lyon')], { reference_time: '2026-02-01T00:00:00Z' })]);
      expect(await targets(door)).toEqual(['Lyon', 'Paris']);
    }));

  it('K-04 an edge with single makes its relation one-valued for its group, as long as its line is there', () =>
    withDoor(kind, {}, async (door, vault) => {
      const on = (day: number) => ({ reference_time: `2026-01-0${day}T00:00:00Z` });
      await settle(door, 'g', [stating([edge('DRIVES', 'Fiat')], on(1))]);
      await settle(door, 'g', [stating([edge('DRIVES', 'Lada')], on(2))]);
      expect(await targets(door)).toEqual(['Fiat', 'Lada']);
      await settle(door, 'g', [stating([edge('drives', 'Saab', { single: true })], on(3))]);
      expect(await targets(door)).toEqual(['Saab']);
      await settle(door, 'g', [stating([{ ...edge('DRIVES', 'Ford'), source: 'Bob', fact: 'Bob drives a Ford.' }], on(3))]);
      await settle(door, 'g', [stating([{ ...edge('DRIVES', 'Opel'), source: 'Bob', fact: 'Bob drives an Opel.' }], on(4))]);
      expect((await search(door, 'g', 'Ford Opel')).map(({ target_node_name: name }) => name)).toEqual(['Opel']);
      expect(vault.read('knowledge/g/entities/alice.md')).toContain('[single:: true]');
      const [saab] = await search(door, 'g', 'Saab');
      await door.ok('DeleteEntityEdge', { uuid: saab.uuid });
      await settle(door, 'g', [stating([edge('DRIVES', 'Seat')], on(5))]);
      await settle(door, 'g', [stating([edge('DRIVES', 'Audi')], on(6))]);
      // What it had ended holds again, up to what was said after that.
      expect(await targets(door)).toEqual(['Audi', 'Lada', 'Seat']);
      // Another group knows nothing of it.
      await settle(door, 'h', [stating([edge('DRIVES', 'Fiat')], on(1))]);
      await settle(door, 'h', [stating([edge('DRIVES', 'Lada')], on(2))]);
      expect(await search(door, 'h', 'Alice')).toHaveLength(2);
    }));
});

describe.each(doorsOf(1))('corrections, over %s', (kind) => {
  const lives = (target: string, month: string, more: Record<string, unknown> = {}) =>
    edge('LIVES_IN', target, { valid_at: `2026-${month}-01`, ...more });
  const from = (month: string) => ({ valid_at: `2026-${month}-01T00:00:00.000Z` });

  it('K-05 a correction wins over what it corrects, also if it names an earlier or a later time', () =>
    withDoor(kind, {}, async (door) => {
      await settle(door, 'g', [stating([edge('LIVES_IN', 'Paris', { valid_at: '2010-01-01' }), lives('Lyon', '05')])]);
      const before = new Date().toISOString();
      const [may] = await search(door, 'g', 'Lyon');
      const correction = stating([lives('Lyon', '03', { fact: 'Alice moved in March, not May.', corrects: may.uuid })]);
      const { read } = await door.ok('AddEpisodes', { group_id: 'g', items: [correction] });
      expect(read).toMatchObject({ facts: 1 });
      expect(read.superseded).toBeGreaterThan(0);
      const now = await search(door, 'g', 'Alice', { include_expired: true });
      expect(now.filter(({ expired_at: expired }) => expired === undefined)).toMatchObject([{ target_node_name: 'Lyon', ...from('03') }]);
      expect(await targets(door, { as_of: '2026-02-28' })).toEqual(['Paris']);
      expect(await targets(door, { as_of: '2026-04' })).toEqual(['Lyon']);
      expect(await targets(door, { as_of: { valid: '2026-04', known: before } })).toEqual(['Paris']);
      const [march] = await search(door, 'g', 'moved March');
      await settle(door, 'g', [stating([lives('Lyon', '06', { fact: 'No, she moved in June.', corrects: march.uuid })])]);
      expect(await search(door, 'g', 'Lyon')).toMatchObject([{ fact: 'No, she moved in June.', ...from('06') }]);
      expect(await targets(door, { as_of: '2026-04' })).toEqual(['Paris']);
      expect(await door.ok('GetEntityEdge', { uuid: march.uuid })).toMatchObject({ expired_at: expect.any(String) });
    }));

  it('K-05 what is said later of the same time wins, also in a message of the same day', () =>
    withDoor(kind, {}, async (door) => {
      await settle(door, 'g', [stating([lives('Paris', '01')], { reference_time: '2026-02-01' })]);
      await settle(door, 'g', [stating([lives('Rome', '01')], { reference_time: '2026-02-02' })]);
      await settle(door, 'g', [stating([lives('Bern', '01')], { reference_time: '2026-01-02' })]);
      for (const more of [{}, { as_of: '2026-01-15' }]) expect(await targets(door, more)).toEqual(['Rome']);
    }));

  it('K-05 only a fact of the same entity and relation can be corrected; else the call is refused', () =>
    withDoor(kind, {}, async (door) => {
      await settle(door, 'g', [stating([edge('LIKES', 'Tea')])]);
      const [tea] = await search(door, 'g', 'Tea');
      for (const corrects of [tea.uuid, 'f-none']) {
        const { error } = await door.send('AddEpisodes', {
          input: { group_id: 'g', items: [stating([lives('Lyon', '05', { corrects })])] },
        });
        expect(error).toMatchObject({ error_code: 'INVALID_ARGUMENT', message: expect.stringContaining(corrects) });
      }
      expect(await targets(door)).toEqual(['Tea']);
    }));
});

describe.each(doorsOf(2))('facts without a time, over %s', (kind) => {
  const said = (target: string, month: string, fact = `Alice lives in ${target}.`) =>
    stating([{ name: 'LIVES_IN', target, fact }], { reference_time: `2026-${month}-01` });

  it('K-07 they count from when they were first said, in any order of arrival, and return after something else', () =>
    withDoor(kind, {}, async (door) => {
      const told = [said('Bern', '02'), said('Bern', '03'), said('Rome', '05'), said('Bern', '07')];
      for (const [at, order] of [told, told.toReversed(), [told[3], told[0], told[2], told[1]]].entries()) {
        const group = `g${at}`;
        for (const item of order) await settle(door, group, [item]);
        const at2 = async (as_of: unknown) => (await search(door, group, 'Alice', { as_of })).map(({ target_node_name: name }) => name);
        expect(await at2('2026-01-31')).toEqual([]);
        for (const [month, target] of Object.entries({
          '02': 'Bern',
          '04': 'Bern',
          '05': 'Rome',
          '06': 'Rome',
          '07': 'Bern',
          '09': 'Bern',
        }))
          expect(await at2(`2026-${month}`), `${month} in ${group}`).toEqual([target]);
        expect((await search(door, group, 'Alice')).map(({ target_node_name: name }) => name)).toEqual(['Bern']);
      }
    }));

  it('K-07 an answer about the past has the words of then', () =>
    withDoor(kind, {}, async (door) => {
      for (const item of [said('Bern', '05', 'Alice is settled in Bern.'), said('Bern', '02', 'Alice is new in Bern.')])
        await settle(door, 'g', [item]);
      const words = async (more: Record<string, unknown>) => (await search(door, 'g', 'Alice', more)).map(({ fact }) => fact);
      expect(await words({})).toEqual(['Alice is settled in Bern.']);
      expect(await words({ as_of: '2026-03' })).toEqual(['Alice is new in Bern.']);
      expect(await words({ as_of: '2026-01' })).toEqual([]);
    }));
});
