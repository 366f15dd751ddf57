import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FileState } from '../../../src/store/folder/file-system.ts';
import type { HistoryEvent } from '../../../src/store/records/history-event.ts';
import type { Segments } from '../../../src/store/records/segments.ts';
import { WriteCounts } from '../../../src/vault/history/write-counts.ts';

const PATHS = ['a.md', 'b.md', 'c.md'] as const;
const NOTHING_PENDING = { pendingAt: () => null };

/** A history in one segment that grows. */
function openHistory() {
  const lines: HistoryEvent[] = [];
  const segments: Pick<Segments<HistoryEvent>, 'names' | 'stateOf' | 'read' | 'tail'> = {
    names: () => ['2026-01.jsonl'],
    stateOf: () => ({ ino: 1n, size: lines.length, mtimeNs: BigInt(lines.length) }) as FileState,
    read: () => Promise.resolve([...lines]),
    tail: () => lines.slice(-2),
  };
  return { lines, segments: segments as Segments<HistoryEvent> };
}

type Change =
  { readonly kind: 'updated' | 'created' | 'deleted'; readonly path: string } | { readonly kind: 'moved'; from: string; path: string };

const event = (change: Change, at: { readonly seq: number; readonly batch: string }): HistoryEvent => ({
  ...at,
  timestamp: new Date(1_700_000_000_000 + at.seq).toISOString(),
  node: change.path,
  path: change.path,
  agent: 'ada',
  action: change.kind,
  changes: change.kind === 'moved' ? [{ field: 'path', before: change.from, after: change.path }] : [],
  ...(change.kind === 'deleted' ? {} : { hash: '0'.repeat(16) }),
});

const path = fc.constantFrom(...PATHS);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constantFrom('updated' as const, 'created' as const, 'deleted' as const), path }),
  fc.record({ kind: fc.constant('moved' as const), from: path, path }),
);
const writes = fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { maxLength: 12 });

it('A-20 counts that follow a history are those of one that reads it whole', () =>
  fc.assert(
    fc.asyncProperty(writes, fc.integer({ min: 1, max: 4 }), async (all, step) => {
      const { lines, segments } = openHistory();
      const following = new WriteCounts(segments, NOTHING_PENDING);
      const countsOf = (counts: WriteCounts) =>
        Promise.all(PATHS.map(async (each) => [(await counts.find(each))('0'.repeat(64)), counts.sinceOf(each)]));
      for (const [index, changes] of all.entries()) {
        const batch = String(index).padStart(26, '0');
        for (const each of changes) lines.push(event(each, { seq: lines.length + 1, batch }));
        if (index % step === 0) await countsOf(following);
      }
      expect(await countsOf(following)).toEqual(await countsOf(new WriteCounts(segments, NOTHING_PENDING)));
    }),
  ));

it('A-20 files that swap their names in one write take their counts along, and several events of a file in one write are one change', async () => {
  const { lines, segments } = openHistory();
  const counts = new WriteCounts(segments, NOTHING_PENDING);
  const write = (batch: string, ...changes: readonly Change[]): void => {
    for (const each of changes) lines.push(event(each, { seq: lines.length + 1, batch: batch.padStart(26, '0') }));
  };
  write('1', { kind: 'created', path: 'a.md' }, { kind: 'updated', path: 'a.md' });
  for (const batch of ['2', '3', '4']) write(batch, { kind: 'updated', path: 'b.md' }, { kind: 'updated', path: 'b.md' });
  write('5', { kind: 'moved', from: 'a.md', path: 'b.md' }, { kind: 'moved', from: 'b.md', path: 'a.md' });
  const countOf = async (each: string): Promise<number> => (await counts.find(each))('0'.repeat(64));
  expect([await countOf('a.md'), await countOf('b.md'), await countOf('c.md')]).toEqual([4, 1, 0]);
  expect((await counts.find('a.md'))('1'.repeat(64))).toBe(5);
});
