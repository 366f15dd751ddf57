import { describe, expect, it } from 'vitest';
import { doorsOf, search, settle, sorted, stating, withDoor } from './doors.ts';
import type { Door } from './doors.ts';

const SINGLE = { vault: { '.rouxrc.json': '{"knowledge": {"single": ["WORKS_AT"]}}' } };
const works = (target: string, more: Record<string, unknown> = {}) => ({
  name: 'WORKS_AT',
  target,
  fact: `Alice works at ${target}.`,
  ...more,
});

async function targets(door: Door, more: Record<string, unknown> = {}): Promise<string[]> {
  const found = await search(door, 'g', 'Alice works', { max_facts: 50, ...more });
  return sorted(found.map(({ target_node_name: name }) => name));
}

describe.each(doorsOf(0))('conformance of both times, over %s', (kind) => {
  it('S3-38 S3-41 S3-43 a later fact of a single relation expires the one before, which stays as history on both axes', () =>
    withDoor(kind, SINGLE, async (door) => {
      await settle(door, 'g', [stating([works('Acme', { valid_at: '2020-01-01T00:00:00.000Z' })])]);
      const [acme] = await search(door, 'g', 'Acme');
      const between = new Date().toISOString();
      await settle(door, 'g', [stating([works('Globex', { valid_at: '2023-01-01T00:00:00.000Z' })])]);
      expect(await targets(door)).toEqual(['Globex']);
      expect(await targets(door, { as_of: '2021-01-01T00:00:00Z' })).toEqual(['Acme']);
      expect(await targets(door, { as_of: { valid: '2021-01-01T00:00:00Z', known: '2021-01-01T00:00:00Z' } })).toEqual([]);
      expect(await targets(door, { as_of: { valid: '2021-01-01T00:00:00Z' } })).toEqual(['Acme']);
      expect(await targets(door, { as_of: { known: between } })).toEqual(['Acme']);
      expect(await targets(door, { as_of: { valid: '2019-01-01T00:00:00Z' } })).toEqual([]);
      expect(await targets(door, { include_expired: true })).toEqual(['Acme', 'Globex']);
      const old = await door.ok('GetEntityEdge', { uuid: acme.uuid });
      expect(old).toMatchObject({ valid_at: '2020-01-01T00:00:00.000Z', invalid_at: '2023-01-01T00:00:00.000Z' });
      expect(old.created_at < between && old.expired_at > between).toBe(true);
    }));

  it('S3-39 S3-40 S3-36 S3-37 what does not conflict is left alone: other ends, other entities, other times; the same again adds its episode', () =>
    withDoor(kind, SINGLE, async (door) => {
      await settle(door, 'g', [
        stating([
          works('Acme', { valid_at: '2020-01-01T00:00:00.000Z', invalid_at: '2022-01-01T00:00:00.000Z' }),
          { name: 'LIKES', target: 'Tea', fact: 'Alice likes tea.' },
          { name: 'LIKES', target: 'Cake', fact: 'Alice likes cake.' },
          { source: 'Bob', name: 'WORKS_AT', target: 'Acme', fact: 'Bob works at Acme.' },
        ]),
      ]);
      await settle(door, 'g', [
        stating([works('Globex', { valid_at: '2023-01-01T00:00:00.000Z' }), { name: 'likes', target: 'tea', fact: 'Alice likes tea.' }], {
          uuid: 'second',
        }),
      ]);
      const all = await search(door, 'g', 'Alice Bob', { max_facts: 50, include_expired: true });
      expect(all).toHaveLength(5);
      expect(all.filter(({ expired_at: expired }) => expired !== undefined)).toEqual([]);
      const tea = all.filter(({ target_node_name: name }) => name === 'Tea');
      expect(tea).toHaveLength(1);
      expect(tea[0].episodes).toHaveLength(2);
      expect(tea[0].episodes).toContain('second');
      // Back-dated: it held before what is known, and changes nothing about now.
      await settle(door, 'g', [stating([works('Initech', { valid_at: '2022-06-01T00:00:00.000Z' })])]);
      expect(await targets(door)).toContain('Globex');
      expect(await targets(door)).not.toContain('Initech');
      expect(await targets(door, { as_of: { valid: '2022-07-01T00:00:00Z' } })).toContain('Initech');
    }));

  it('S3-38 S3-42 a denial ends a fact in valid time; windows are half open', () =>
    withDoor(kind, {}, async (door) => {
      await settle(door, 'g', [stating([works('Acme', { valid_at: '2020-01-01T00:00:00.000Z' })])]);
      await settle(door, 'g', [
        stating([works('Acme', { fact: 'Alice no longer works at Acme.', valid_at: '2024-01-01T00:00:00.000Z', negated: true })]),
      ]);
      const held = async (valid: string) => (await search(door, 'g', 'Acme', { as_of: { valid } })).some(({ negated }) => negated !== true);
      expect(await held('2023-12-31T23:59:59.999Z')).toBe(true);
      expect(await held('2024-01-01T00:00:00.000Z')).toBe(false);
      expect(await held('2020-01-01T00:00:00.000Z')).toBe(true);
      expect(await held('2019-12-31T23:59:59.999Z')).toBe(false);
      await settle(door, 'g', [
        stating([{ name: 'MOVES_TO', target: 'Mars', fact: 'Alice moves to Mars.', valid_at: '2125-01-01T00:00:00.000Z' }]),
      ]);
      expect(await search(door, 'g', 'Mars')).toEqual([]);
      expect(await search(door, 'g', 'Mars', { as_of: { valid: '2126-01-01T00:00:00Z' } })).toHaveLength(1);
    }));
});

describe.each(doorsOf(1))('conformance of search, over %s', (kind) => {
  it('S3-44 S3-45 S3-47 S3-53 ranks are the same each time, current facts are not crowded out, and each search has its own limit', () =>
    withDoor(kind, {}, async (door) => {
      const over = { valid_at: '2010-01-01T00:00:00.000Z', invalid_at: '2011-01-01T00:00:00.000Z' };
      const facts = [
        ...Array.from({ length: 80 }, (_, at) => ({
          source: `Boat ${at}`,
          name: 'MOORS_AT',
          target: `Pier ${at}`,
          fact: `Boat ${at} moors at the harbour.`,
          ...over,
        })),
        ...Array.from({ length: 12 }, (_, at) => ({
          source: `Ship ${at}`,
          name: 'MOORS_AT',
          target: `Quay ${at}`,
          fact: `Ship ${at} moors at the harbour, as ships of its kind do.`,
        })),
      ];
      await settle(door, 'g', [stating(facts)]);
      const found = await search(door, 'g', 'moors harbour');
      expect(found).toHaveLength(10);
      expect(found.every(({ fact }) => fact.startsWith('Ship'))).toBe(true);
      const [three, ten, twelve] = await Promise.all([3, 10, 100].map((max_facts) => search(door, 'g', 'moors harbour', { max_facts })));
      expect(ten).toEqual(found);
      expect(three).toEqual(found.slice(0, 3));
      expect(twelve).toHaveLength(12);
      // All alike: ties go by uuid.
      const tied = found.filter(({ fact }) => /^Ship \d /.test(fact)).map(({ uuid }) => uuid);
      expect(tied).toEqual(sorted(tied));
    }));

  it('S3-46 what is near the centre comes first; an unknown centre is NOT_FOUND', () =>
    withDoor(kind, {}, async (door) => {
      await settle(door, 'g', [
        stating([
          { source: 'Ann', name: 'PLANTED', target: 'Rose', fact: 'Ann planted a rose.' },
          { source: 'Ben', name: 'PLANTED', target: 'Lily', fact: 'Ben planted a lily.' },
          { source: 'Cem', name: 'PLANTED', target: 'Iris', fact: 'Cem planted an iris.' },
          { source: 'Ben', name: 'KNOWS', target: 'Cem', fact: 'Ben is a friend of Cem.' },
        ]),
      ]);
      const [friend] = await search(door, 'g', 'friend');
      const around = async (center: string) =>
        (await search(door, 'g', 'planted', { center_node_uuid: center })).map(({ source_node_name: name }) => name);
      expect(await around(friend.target_node_uuid)).toEqual(['Cem', 'Ben', 'Ann']);
      expect(await around(friend.source_node_uuid)).toEqual(['Ben', 'Cem', 'Ann']);
      expect(await door.refused('SearchFacts', { group_ids: ['g'], query: 'planted', center_node_uuid: 'nobody' })).toBe('NOT_FOUND');
    }));

  it('S3-12 S3-13 S3-15 memory of a conversation is a search for its lines; a fact can be read by its uuid', () =>
    withDoor(kind, {}, async (door) => {
      await settle(door, 'g', [
        stating([
          { name: 'LIKES', target: 'Tea', fact: 'Alice likes tea.' },
          { name: 'OWNS', target: 'Boat', fact: 'Alice owns a boat.' },
          { source: 'User', name: 'ASKED', target: 'Boat', fact: 'A user asked about a boat.' },
        ]),
      ]);
      const messages = [
        { role_type: 'user', role: 'Ann', content: 'Who has a boat?', timestamp: '2026-01-01T00:00:00Z' },
        { role_type: 'assistant', content: 'Let me look.', timestamp: '2026-01-01T00:00:01Z' },
      ];
      const { facts } = await door.ok('GetMemory', { group_id: 'g', messages, max_facts: 2 });
      expect(facts).toHaveLength(2);
      expect(facts).toEqual(await search(door, 'g', 'user(Ann): Who has a boat?\nassistant(): Let me look.\n', { max_facts: 2 }));
      expect(await door.refused('GetEntityEdge', { uuid: 'f-none' })).toBe('NOT_FOUND');
    }));

  it('S3-04 groups are kept apart: what one holds changes neither answers nor ranks of another', () =>
    withDoor(kind, {}, async (door) => {
      const item = stating([
        { name: 'LIKES', target: 'Tea', fact: 'Alice likes tea.' },
        { name: 'LIKES', target: 'Coffee', fact: 'Alice likes tea and coffee, and more tea.' },
      ]);
      await settle(door, 'g', [item]);
      const before = await search(door, 'g', 'tea');
      await settle(door, 'h', [
        stating(Array.from({ length: 30 }, (_, at) => ({ name: 'LIKES', target: `Tea ${at}`, fact: `tea ${at} tea` }))),
      ]);
      expect(await search(door, 'g', 'tea')).toEqual(before);
      const both = (await door.ok('SearchFacts', { group_ids: ['g', 'h'], query: 'tea', max_facts: 100 })).facts;
      expect(both).toHaveLength(32);
      expect((await door.ok('SearchFacts', { group_ids: ['nobody'], query: 'tea' })).facts).toEqual([]);
    }));
});
