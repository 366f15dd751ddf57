import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HistoryEvent } from '../../../src/store/records/history-event.ts';
import type { Segments } from '../../../src/store/records/segments.ts';
import { Originals } from '../../../src/vault/history/originals.ts';
import { runs } from '../../support/effort.ts';

const paths = ['a.md', 'b.md', 'c/a.md'];

/** Events of notes that are made, moved and deleted, in the order of their numbers. */
const events = fc
  .array(
    fc.record({
      node: fc.constantFrom('n1', 'n2'),
      from: fc.option(fc.constantFrom(...paths)),
      path: fc.constantFrom(...paths),
      isThere: fc.boolean(),
      isForeign: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ node, from, path, isThere, isForeign }, at): HistoryEvent => ({
      seq: at + 1,
      timestamp: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(),
      node,
      path,
      agent: 'eve',
      action: 'updated',
      changes: from === null ? [] : [{ field: 'path', before: from, after: path }],
      ...(isThere ? { hash: '0123456789abcdef' } : {}),
      ...(isForeign ? { foreign: true } : {}),
    })),
  );

/** A history that grows with `lines`, and how often it was read at once. */
function historyOf(lines: readonly HistoryEvent[]): { readonly history: Segments<HistoryEvent>; readonly count: () => number } {
  let count = 0;
  const history = {
    get lastSeq() {
      return lines.length;
    },
    names: () => ['2026-01.jsonl'],
    read: () => Promise.resolve([...lines]),
    readAtOnce() {
      count += 1;
      return lines;
    },
  } as unknown as Segments<HistoryEvent>;
  return { history, count: () => count };
}

it('X-05 the original is the same whether the history was loaded before, followed, or read at once', () =>
  fc.assert(
    fc.asyncProperty(events, fc.nat(12), fc.subarray(paths, { minLength: 2 }), async (all, loaded, files) => {
      const expected = new Originals(historyOf(all).history).find('n1', files);
      const lines = all.slice(0, loaded);
      const { history, count } = historyOf(lines);
      const originals = new Originals(history);
      await originals.load();
      for (const event of all.slice(loaded)) {
        lines.push(event);
        originals.applyEvents([event]);
      }
      expect(originals.find('n1', files)).toBe(expected);
      expect(count()).toBe(0);
    }),
    { numRuns: runs(500) },
  ));

it('X-05 a history that has grown by lines which nobody told of is read again', async () => {
  const line = (seq: number, path: string, before?: string): HistoryEvent => ({
    seq,
    timestamp: '2026-01-01T00:00:00.000Z',
    node: 'n1',
    path,
    agent: 'eve',
    action: 'updated',
    changes: before === undefined ? [] : [{ field: 'path', before, after: path }],
    hash: '0123456789abcdef',
  });
  const lines = [line(1, 'a.md')];
  const { history, count } = historyOf(lines);
  const originals = new Originals(history);
  await originals.load();
  lines.push(line(2, 'c/a.md', 'a.md'), line(3, 'b.md', 'c/a.md'));
  originals.applyEvents([lines[2]!]);
  await originals.load();
  expect(originals.find('n1', ['a.md', 'b.md'])).toBe('b.md');
  expect(count()).toBe(0);
});
