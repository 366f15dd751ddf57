import { isVaultPath } from '../../note/path.ts';
import { eventName } from '../../store/records/history-event.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import { createSlice, runAtOnce, runInSlices, yieldInSlices } from '../../store/slices.ts';

/** Filters the events of one write, for example to those of some folders. Returns none when the write is not visible at all. */
export type EventFilter = (events: readonly HistoryEvent[]) => readonly HistoryEvent[];

/** Runs steps over the events of a segment, and lets other work run meanwhile. */
export function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  return runInSlices(createSlice(), steps);
}

/** Yields events or writes, and lets other work run meanwhile. */
export function eachInSlices<T>(items: Iterable<T>): AsyncGenerator<T> {
  return yieldInSlices(createSlice(), items);
}

/** Yields all events of a history, newest first. Reads one segment at a time, and lets other work run meanwhile. */
export async function* eventsBackward(history: Segments<HistoryEvent>): AsyncGenerator<HistoryEvent> {
  for (const segment of history.names().toReversed()) yield* eachInSlices(newestFirst(await history.read(segment)));
}

/** Yields all writes of a history, newest first. Reads one segment at a time, and lets other work run meanwhile. */
export async function* writesBackward(history: Segments<HistoryEvent>): AsyncGenerator<readonly HistoryEvent[]> {
  for (const segment of history.names().toReversed()) yield* eachInSlices(await inSlices(groupWritesInSteps(await history.read(segment))));
}

/** Yields the events after a number, newest first. Reads one segment at a time, and none before that number. */
export async function* eventsAfter(history: Segments<HistoryEvent>, seq: number): AsyncGenerator<HistoryEvent> {
  // Numbers of foreign lines say nothing about where older ones are.
  const isBefore = (event: HistoryEvent): boolean => event.foreign !== true && event.seq <= seq;
  // Mostly little is new: then the end of the history is enough.
  const tail = history.tail();
  if (tail.some(isBefore)) {
    for (const event of newestFirst(tail)) if (event.seq > seq) yield event;
    return;
  }
  for (const segment of history.names().toReversed()) {
    const events = await history.read(segment);
    for await (const event of eachInSlices(newestFirst(events))) if (event.seq > seq) yield event;
    if (events.some(isBefore)) return;
  }
}

function newestFirst(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  return events.toSorted((a, b) => b.seq - a.seq);
}

/**
 * Returns the name that the events of one write share; null for an event that stands alone. Edits from outside have no batch: those that
 * were recorded together were noticed together, as when two files exchanged their names.
 */
export function writeNameOf({ batch, agent, action, timestamp }: HistoryEvent): string | null {
  if (batch !== undefined) return batch;
  return action === 'external' ? `${agent} ${timestamp}` : null;
}

/** Groups events by write, in their order. */
export function groupByBatch(events: readonly HistoryEvent[]): readonly (readonly HistoryEvent[])[] {
  const groups: HistoryEvent[][] = [];
  for (const event of events) {
    const [first] = groups.at(-1) ?? [];
    const name = writeNameOf(event);
    const isSameWrite = first !== undefined && name !== null && name === writeNameOf(first) && first.foreign === event.foreign;
    if (isSameWrite) groups.at(-1)?.push(event);
    else groups.push([event]);
  }
  return groups;
}

/** Groups events by write, newest write first. A batch stays together even if git merged branches that counted from the same number. */
export function groupWrites(events: readonly HistoryEvent[]): readonly (readonly HistoryEvent[])[] {
  return runAtOnce(groupWritesInSteps(events));
}

function* groupWritesInSteps(events: readonly HistoryEvent[]): Generator<void, readonly (readonly HistoryEvent[])[]> {
  const writes = new Map<string, HistoryEvent[]>();
  for (const event of events) {
    yield;
    // A foreign line that names one of our batches is not part of it.
    const key = `${event.foreign === true ? 'foreign ' : ''}${event.batch ?? `${event.agent} ${event.timestamp}`}`;
    const known = writes.get(key);
    if (known === undefined) writes.set(key, [event]);
    else known.push(event);
  }
  const sorted = [...writes.values()].map((write) => ({ write, last: lastSeqOf(write) }));
  return sorted.sort((a, b) => b.last - a.last || (idOf(a.write) < idOf(b.write) ? -1 : 1)).map(({ write }) => write);
}

/** Returns the highest sequence number of the events; 0 for none. */
export function lastSeqOf(events: readonly HistoryEvent[]): number {
  return events.reduce((most, { seq }) => Math.max(most, seq), 0);
}

/** Returns the id of a write, by its last event. */
export function idOf(events: readonly HistoryEvent[]): string {
  const lastSeq = lastSeqOf(events);
  const last = events.find(({ seq }) => seq === lastSeq);
  return last === undefined ? '' : activityId(last);
}

/** Returns the batch of a write; null when it has none or was not written here. */
export function batchOf([first]: readonly HistoryEvent[]): string | null {
  return first?.foreign === true ? null : (first?.batch ?? null);
}

/** Returns the id by which `Activities.find` finds the write of an event. */
export function activityId(event: HistoryEvent): string {
  return batchOf([event]) ?? (event.foreign === true ? `foreign-${eventName(event)}` : `seq-${event.seq}`);
}

/** Returns whether a write is known only from lines that were not written here. */
export function isForeign([first]: readonly HistoryEvent[]): boolean {
  return first?.foreign === true;
}

/** Returns whether an event created the file. A note may have a property named `file`, or `path`, as well. */
export function isCreation({ path, action, changes }: HistoryEvent): boolean {
  return action === 'created' || changes.some(({ field, before, after }) => field === 'file' && before === null && after === path);
}

/** Returns the path of a file before an event, or the path after it if the recorded one is not a valid vault path. */
export function pathBefore({ path, action, changes }: HistoryEvent): string {
  const before = action === 'created' ? undefined : changes.find(({ field, after }) => field === 'path' && after === path)?.before;
  return typeof before === 'string' && isVaultPath(before) ? before : path;
}

/** Returns the id of the note into which an event merged its note; null for any other event. */
export function mergedInto({ changes }: HistoryEvent): string | null {
  const target = changes.find(({ field }) => field === 'merged_into')?.after;
  return typeof target === 'string' ? target : null;
}
