import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RouxError } from '../../../src/errors.ts';
import type { GraphView } from '../../../src/graph/view.ts';
import { toEntry } from '../../../src/ops/care/history/activity.ts';
import type { HistoryEvent } from '../../../src/store/records/history-event.ts';
import { isHistoryEvent } from '../../../src/store/records/history-event.ts';
import { parseLine } from '../../../src/store/records/segment-lines.ts';
import type { Segments } from '../../../src/store/records/segments.ts';
import { PathHistory } from '../../../src/vault/links/path-history.ts';
import { findLastPath, placesSince } from '../../../src/vault/links/moved-notes.ts';
import { Originals } from '../../../src/vault/history/originals.ts';
import { createActivityLog } from '../../../src/vault/history/activity.ts';
import { statesOf } from '../../../src/vault/history/note-states.ts';
import { reviewNote } from '../../../src/vault/history/review-note.ts';
import { reviewFiles } from '../../../src/vault/history/review.ts';
import { eventsOfFile, readHistory } from '../../../src/vault/plan/history.ts';
import { listBatchesToUndo } from '../../../src/vault/plan/earlier/undo.ts';
import { runs } from '../../support/effort.ts';

const NOW = Date.parse('2026-11-25T00:00:00.000Z');
const HASH = '0123456789abcdef';
const BATCH = '01hzzzzzzzzzzzzzzzzzzzzzz1';

const path = fc.constantFrom('a.md', 'b.md', 'c/d.md');
const odd = fc.oneof(
  fc.json().map((text): unknown => JSON.parse(text)),
  fc.string(),
  fc.constantFrom('x', '../x', '', '__proto__', null, -1, 1e300, {}, []),
);
/** Mostly what roux writes, now and then anything. */
const or = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> => fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });

const change = fc.oneof(
  fc.record({ field: fc.constantFrom('path', 'file', 'merged_from', 'merged_into'), before: or(path), after: or(path) }),
  fc.record({ field: fc.constantFrom('body', 'links', 'tags', 'path', '__proto__'), before: odd, after: odd }),
);
const line = fc.record(
  {
    seq: or(fc.integer({ min: 0, max: 20 })),
    timestamp: or(
      fc.oneof(
        fc.constantFrom('9999-12-31T23:59:59.999Z', '0000-01-01T00:00:00.000Z'),
        fc.integer({ min: NOW - 1e8, max: NOW }).map((time) => new Date(time).toISOString()),
      ),
    ),
    node: or(path),
    path: or(path),
    agent: or(fc.constantFrom('claude', 'eve', 'external', 'roux', '__proto__')),
    action: or(fc.constantFrom('created', 'updated', 'renamed', 'moved', 'merged', 'deleted', 'restored', 'external', 'constructor')),
    changes: or(fc.array(change, { maxLength: 3 })),
    batch: or(fc.constantFrom(BATCH, BATCH.replace('1', '2'))),
    hash: or(fc.constantFrom(HASH, HASH.replace('0', 'f'))),
  },
  { requiredKeys: ['seq', 'timestamp', 'node', 'path', 'agent', 'action', 'changes'] },
);

/** A history of these lines, as reading segments gives them: `foreign` says which were not written here. */
function historyOf(lines: readonly unknown[], foreign: readonly boolean[]): Segments<HistoryEvent> {
  const events = lines.flatMap((each, at) => {
    const event = parseLine(JSON.stringify(each), isHistoryEvent, NOW);
    return event === null ? [] : foreign[at] === true ? [{ ...event, foreign: true as const }] : [event];
  });
  const half = events.length >> 1;
  const segments: Readonly<Record<string, readonly HistoryEvent[]>> = {
    '2026-10.jsonl': events.slice(0, half),
    '2026-11.jsonl': events.slice(half),
  };
  return {
    lastSeq: 0,
    poll: () => ({ lines: [], isComplete: true, isTorn: false }),
    append: () => Promise.resolve(),
    repair: () => Promise.resolve(null),
    tail: () => events,
    names: () => Object.keys(segments),
    read: (name) => Promise.resolve(segments[name] ?? []),
    readAtOnce: (name) => segments[name] ?? [],
    stateOf: () => null,
  };
}

const graph = { lookup: () => ({ kind: 'missing' }), get: () => null, isAttachment: () => false } as unknown as GraphView;
const nothingKept = {
  records: {
    texts: { find: () => null },
    batches: {
      read: () => {
        throw new RouxError('NODE_NOT_FOUND', 'none');
      },
    },
    trash: { list: () => [], read: () => undefined },
  },
  read: () => Promise.resolve(null),
} as unknown as Parameters<typeof reviewNote>[0];

/** Goes from page to page; none comes twice. */
async function walkPages(read: (cursor: string | undefined) => Promise<{ readonly nextCursor: string | null }>): Promise<void> {
  const seen = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const { nextCursor } = await read(cursor);
    if (nextCursor === null) return;
    expect(seen.has(nextCursor), 'a page that came before').toBe(false);
    seen.add((cursor = nextCursor));
  }
}

async function readEverywhere(history: Segments<HistoryEvent>): Promise<void> {
  for (const node of ['a', 'a.md', 'c/d', '__proto__']) {
    const events: HistoryEvent[] = [];
    for await (const event of eventsOfFile(history, graph, { node })) events.push(event);
    await walkPages((cursor) => readHistory(history, graph, { node, limit: 2, ...(cursor === undefined ? {} : { cursor }) }));
    for (const { since } of await statesOf(nothingKept.records, events.toReversed(), null))
      if (since !== null && since !== -Infinity) new Date(since).toISOString();
  }
  for (const accepted of [
    { all: 0, by: new Map<string, number>() },
    { all: 3, by: new Map<string, number>() },
  ]) {
    const found = await reviewFiles(history, accepted, { self: 'cli', now: NOW, unrecorded: [] });
    for (const file of found.files) JSON.stringify(await reviewNote(nothingKept, file, found.isByAgent));
  }
  const store = { records: { ...nothingKept.records, events: history } } as unknown as Parameters<typeof createActivityLog>[0];
  const activities = createActivityLog(store);
  await walkPages(async (cursor) => {
    const page = await activities.page({ limit: 2, since: NOW - 1e7, cursor }, []);
    for (const entry of page.entries) {
      JSON.stringify(toEntry(entry, graph));
      expect(await activities.find(entry.id, [])).not.toBeNull();
    }
    return page;
  });
  await activities.agents();
  new PathHistory().apply(history.tail());
  await placesSince(history)(BATCH, 'a.md');
  await findLastPath(history, 'a');
  const originals = new Originals(history);
  await originals.load();
  originals.find('a.md', ['a.md', 'b.md']);
  for (const agent of ['claude', 'eve', '__proto__']) {
    // None to undo is an answer.
    const refusal = await thrownBy(() => listBatchesToUndo(history, { agent }));
    expect(refusal === null || (refusal instanceof RouxError && refusal.code === 'NODE_NOT_FOUND')).toBe(true);
  }
}

async function thrownBy(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run();
    return null;
  } catch (error) {
    return error;
  }
}

it('H-07 no line, whatever JSON it is, makes a reader of the history throw or go round in circles', async () => {
  let read = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.oneof({ weight: 9, arbitrary: line }, { weight: 1, arbitrary: odd }), fc.boolean()), { maxLength: 12 }),
      async (lines) => {
        const [values, foreign] = [lines.map(([each]) => each), lines.map(([, isForeign]) => isForeign)];
        const history = historyOf(values, foreign);
        read += history.tail().length;
        await readEverywhere(history);
      },
    ),
    { numRuns: runs(400) },
  );
  // Most of them are lines, so that readers have something to read.
  expect(read).toBeGreaterThan(100);
});
