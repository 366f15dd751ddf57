import { expect, it } from 'vitest';
import type { GraphView } from '../../../src/graph/view.ts';
import type { HistoryEvent } from '../../../src/store/records/history-event.ts';
import type { Segments } from '../../../src/store/records/segments.ts';
import { createActivityLog } from '../../../src/vault/history/activity.ts';
import { groupWrites } from '../../../src/vault/history/events.ts';
import { statesOf } from '../../../src/vault/history/note-states.ts';
import { eventsOfFile, readHistory } from '../../../src/vault/plan/history.ts';

const LINES = 30_000;

const events = Array.from({ length: LINES }, (_, index): HistoryEvent => ({
  seq: index + 1,
  timestamp: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
  node: 'a.md',
  path: 'a.md',
  agent: 'eve',
  action: 'updated',
  changes: [],
  hash: '0123456789abcdef',
  foreign: true,
}));
const history = {
  names: () => ['2026-01.jsonl'],
  read: () => Promise.resolve(events),
  tail: () => events.slice(-10),
} as unknown as Segments<HistoryEvent>;
const graph = { lookup: () => ({ kind: 'found', entry: { id: 'a.md', path: 'a.md' } }) } as unknown as GraphView;
const nothingStored = { batches: {}, trash: {}, texts: { find: () => null } } as unknown as Parameters<typeof statesOf>[0];

const activity = createActivityLog({ records: { events: history }, ...nothingStored } as unknown as Parameters<
  typeof createActivityLog
>[0]);

async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of items) count += 1;
  return count;
}

it.each<[string, () => Promise<unknown>]>([
  ['a page of the activity', () => activity.page({ limit: 20, path: 'none' }, [])],
  ['a write', () => activity.find('foreign-1-00000000', [])],
  ['the agents', () => activity.agents()],
  ['the history of a note', () => readHistory(history, graph, { node: 'a.md', limit: LINES })],
  ['the events of a file', () => countOf(eventsOfFile(history, graph, { node: 'a.md' }))],
  ['the states of a note', () => statesOf(nothingStored, events, null)],
])('other work runs while a history of very many lines is asked for %s', async (_, ask) => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await ask();
  isOver = true;
  expect(turns).toBeGreaterThan(1);
});

it('what a write is called takes a look at each of its events', () => {
  let looks = 0;
  const of = (index: number): HistoryEvent => ({
    ...events[0]!,
    timestamp: `2026-01-0${(index % 2) + 1}T00:00:00.000Z`,
    get seq() {
      looks += 1;
      return Math.floor(index / 2);
    },
  });
  groupWrites(Array.from({ length: 2_000 }, (_, index) => of(index)));
  expect(looks).toBeLessThan(2_000 * 10);
});
