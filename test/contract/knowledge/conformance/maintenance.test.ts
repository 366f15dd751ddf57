import { describe, expect, it } from 'vitest';
import { doorsOf, search, settle, stating, withDoor } from './doors.ts';

const TEA = { name: 'LIKES', target: 'Tea', fact: 'Alice likes tea.' };
const CAKE = { name: 'LIKES', target: 'Cake', fact: 'Alice likes cake.' };

describe.each(doorsOf(1))('conformance of maintenance, over %s', (kind) => {
  it('S3-16 S3-52 a fact is deleted once, and deleting it again is fine', () =>
    withDoor(kind, {}, async (door, vault) => {
      await settle(door, 'g', [stating([TEA, CAKE])]);
      const [{ uuid }] = await search(door, 'g', 'tea');
      for (let times = 0; times < 2; times += 1)
        expect(await door.ok('DeleteEntityEdge', { uuid })).toEqual({ message: expect.any(String), success: true });
      expect(await door.ok('DeleteEntityEdge', { uuid: 'f-never' })).toMatchObject({ success: true });
      expect(await door.refused('GetEntityEdge', { uuid })).toBe('NOT_FOUND');
      expect((await search(door, 'g', 'Alice')).map(({ fact }) => fact)).toEqual(['Alice likes cake.']);
      expect(vault.read('knowledge/g/entities/alice.md')).not.toContain(uuid);
    }));

  it('S3-17 an episode is deleted without its facts, which name it still; with cascade those go that it alone states', () =>
    withDoor(kind, {}, async (door) => {
      await settle(door, 'g', [stating([TEA, CAKE], { uuid: 'one' }), stating([CAKE], { uuid: 'two' })]);
      for (let times = 0; times < 2; times += 1) expect(await door.ok('DeleteEpisode', { uuid: 'two' })).toMatchObject({ success: true });
      const facts = await search(door, 'g', 'likes');
      expect(facts).toHaveLength(2);
      expect(facts.find(({ target_node_name: name }) => name === 'Cake').episodes).toHaveLength(2);
      await settle(door, 'g', [stating([CAKE], { uuid: 'three' })]);
      expect(await door.ok('DeleteEpisode', { uuid: 'one', cascade: true })).toMatchObject({ success: true });
      expect((await search(door, 'g', 'likes')).map(({ fact }) => fact)).toEqual(['Alice likes cake.']);
      expect((await door.ok('GetEpisodes', { group_id: 'g', last_n: 9 })).episodes).toMatchObject([{ uuid: 'three' }]);
    }));

  it('S3-18 X-31 a group is deleted with all that it holds, and with nothing else; nothing of it comes back', () =>
    withDoor(kind, { vault: { 'Diary.md': 'Met [[alice]].\n' } }, async (door, vault) => {
      await settle(door, 'g', [stating([TEA])]);
      await settle(door, 'h', [stating([CAKE])]);
      const told = await door.ok('DeleteGroup', { group_id: 'g', dry_run: true });
      expect(told).toMatchObject({ success: true, would_delete: { episodes: 1, facts: 1, entities: 2, links_left_total: 1 } });
      expect(await search(door, 'g', 'tea')).toHaveLength(1);
      // Accepted and deleted in one breath.
      await door.ok('AddEpisodes', { group_id: 'g', items: Array.from({ length: 20 }, () => stating([TEA])) });
      const done = await door.ok('DeleteGroup', { group_id: 'g' });
      expect(done).toMatchObject({ success: true, message: expect.stringContaining('cannot be undone') });
      for (let times = 0; times < 2; times += 1) {
        expect((await door.ok('GetEpisodes', { group_id: 'g', last_n: 9 })).episodes).toEqual([]);
        expect(await search(door, 'g', 'tea')).toEqual([]);
        expect(vault.files().filter((file) => file.startsWith('knowledge/g/'))).toEqual([]);
        expect(await door.ok('DeleteGroup', { group_id: 'g' })).toMatchObject({ success: true });
      }
      expect(vault.read('Diary.md')).toBe('Met [[alice]].\n');
      expect(await search(door, 'h', 'cake')).toHaveLength(1);
    }));

  it('S3-19 X-31 ClearAll takes the knowledge graph and nothing else, tells it before, and is there with admin alone', async () => {
    await withDoor(kind, { vault: { 'Diary.md': 'Dear diary.\n' } }, async (door, vault) => {
      await settle(door, 'g', [stating([TEA])]);
      await settle(door, 'h', [stating([CAKE])]);
      expect(await door.ok('ClearAll', { dry_run: true })).toMatchObject({ would_delete: { episodes: 2, facts: 2, entities: 4 } });
      expect(await search(door, 'g', 'tea')).toHaveLength(1);
      for (let times = 0; times < 2; times += 1) expect(await door.ok('ClearAll', {})).toMatchObject({ success: true });
      expect(vault.files()).toEqual(['Diary.md']);
      expect(await door.ok('Healthcheck', {})).toMatchObject({ status: 'healthy', counts: { groups: 0 } });
      expect(await settle(door, 'g', [stating([TEA])])).toMatchObject([{ state: 'completed' }]);
    });
  });

  it('S3-03 CONFLICT, NOT_FOUND and INVALID_ARGUMENT are told apart', () =>
    withDoor(kind, {}, async (door) => {
      await settle(door, 'g', [stating([TEA], { uuid: 'one' })]);
      await settle(door, 'h', [stating([TEA], { uuid: 'one' })]);
      expect(await door.refused('DeleteEpisode', { uuid: 'one' })).toBe('CONFLICT');
      expect(await door.ok('DeleteEpisode', { uuid: 'one', group_id: 'h' })).toMatchObject({ success: true });
      expect(await door.refused('GetEntityEdge', { uuid: 'one' })).toBe('NOT_FOUND');
      expect(await door.refused('GetReceipt', {})).toBe('INVALID_ARGUMENT');
    }));
});
