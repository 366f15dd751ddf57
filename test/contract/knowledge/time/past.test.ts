import { describe, expect, it } from 'vitest';
import { cli } from '../../../support/program/cli.ts';
import { doorsOf, search, settle, stating, withDoor } from '../conformance/doors.ts';
import type { Door } from '../conformance/doors.ts';

const works = (target: string, more: Record<string, unknown> = {}) =>
  stating([{ name: 'WORKS_AT', target, fact: `Alice works at ${target}.`, ...more }]);

describe.each(doorsOf(0))('times, over %s', (kind) => {
  it('K-06 a plain date is its first moment in UTC, wherever a time is given, and answers have milliseconds', () =>
    withDoor(kind, {}, async (door) => {
      const item = stating(
        [{ name: 'WORKS_AT', target: 'Acme', fact: 'Alice works at Acme.', valid_at: '2024-03-01', invalid_at: '2025-03-01' }],
        {
          reference_time: '2026-01-05',
        },
      );
      await settle(door, 'g', [item]);
      await door.ok('AddMessages', { group_id: 'g', messages: [{ role_type: 'user', content: 'Hello.', timestamp: '2026-01-06' }] });
      const times = { valid_at: '2024-03-01T00:00:00.000Z', invalid_at: '2025-03-01T00:00:00.000Z' };
      for (const as_of of ['2024-03-01', '2024-04', '2025', '2024-03-01T00:00:00Z', { valid: '2024-12' }])
        expect(await search(door, 'g', 'Alice', { as_of }), JSON.stringify(as_of)).toMatchObject([times]);
      for (const as_of of ['2024-02-29', '2024', '2025-03-01', { valid: '2024-12', known: '2020' }])
        expect(await search(door, 'g', 'Alice', { as_of }), JSON.stringify(as_of)).toEqual([]);
      const { episodes } = await door.ok('GetEpisodes', { group_id: 'g', last_n: 2 });
      expect(episodes).toMatchObject([{ reference_time: '2026-01-05T00:00:00.000Z' }, { reference_time: '2026-01-06T00:00:00.000Z' }]);
    }));

  it('K-06 another offset, or none, is refused with the form to send', () =>
    withDoor(kind, {}, async (door) => {
      const messageOf = async (operation: string, input: unknown): Promise<string | undefined> => {
        const { error } = await door.send(operation, { input });
        expect(error?.error_code).toBe('INVALID_ARGUMENT');
        return error?.message;
      };
      for (const [time, sent] of [
        ['2026-01-05T10:00:00+02:00', 'send 2026-01-05T08:00:00Z'],
        ['2026-01-05T10:00:00', 'send 2026-01-05T10:00:00Z if this is UTC'],
      ] as const) {
        const item = works('Acme');
        expect(await messageOf('AddEpisodes', { group_id: 'g', items: [{ ...item, reference_time: time }] })).toContain(sent);
        expect(await messageOf('AddEpisodes', { group_id: 'g', items: [works('Acme', { valid_at: time })] })).toContain(sent);
        const message = { role_type: 'user', content: 'Hello.', timestamp: time };
        expect(await messageOf('AddMessages', { group_id: 'g', messages: [message] })).toContain(sent);
        for (const as_of of [time, { known: time }])
          expect(await messageOf('SearchFacts', { group_ids: ['g'], query: 'x', as_of })).toContain(sent);
      }
    }));
});

/** What an answer warns of. Over MCP it is a text beside the answer. */
async function warnings(door: Door, input: Record<string, unknown>): Promise<string> {
  return JSON.stringify(await door.whole('SearchFacts', { input: { group_ids: ['g'], query: 'Alice works', ...input } }));
}

describe.each(doorsOf(1))('empty answers, over %s', (kind) => {
  it('K-06 S3-04 say what held but was not known and what does not hold, and nothing of other groups', () =>
    withDoor(kind, {}, async (door, vault) => {
      await settle(door, 'g', [works('Acme', { valid_at: '2020-01-01', invalid_at: '2022-01-01' })]);
      expect(await warnings(door, { as_of: { valid: '2021', known: '2021' } })).toContain(
        '1 matching fact held at 2021-01-01T00:00:00.000Z but became known only after',
      );
      expect(await warnings(door, {})).toContain('1 matching fact did not hold at');
      expect(await warnings(door, { include_expired: true })).not.toContain('matching');
      expect(await warnings(door, { group_ids: ['h'], as_of: '2021' })).not.toContain('matching');
      expect(await warnings(door, { query: 'nothing like it' })).not.toContain('matching');
      const { stdout, stderr } = await cli(['facts', 'Alice', '--known-at', '2021', '--as-of', '2021', '--vault', vault.root]);
      expect(stdout).toBe('');
      expect(stderr).toContain('became known only after');
    }));
});
