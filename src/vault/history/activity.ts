import { RouxError } from '../../errors.ts';
import { foldKey } from '../../note/path.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import type { FolderStore } from '../../store/folder-store.ts';
import { createAgentCounter } from './active-agents.ts';
import type { ActiveAgents } from './active-agents.ts';
import { kindOfChange } from './change-kind.ts';
import type { ChangeKind } from './change-kind.ts';
import { pathBefore, activityId, batchOf, groupWrites, idOf, isForeign, lastSeqOf, writesBackward } from './events.ts';
import type { EventFilter } from './events.ts';

/** Selects writes; absent fields match every write. */
export interface ActivityQuery {
  readonly agent?: string | undefined;
  /** What it did to a file. */
  readonly kind?: ChangeKind | undefined;
  /** A part of a path, in any case. */
  readonly path?: string | undefined;
  /** In milliseconds. */
  readonly since?: number | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** One write: a transaction of roux, or the edits from outside that were noticed together. */
export interface Activity {
  /** Unique id: the batch, or the sequence number of the last event. */
  readonly id: string;
  readonly batch: string | null;
  readonly agent: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** Whether the data needed to undo it is still stored. */
  readonly hasUndoData: boolean;
  /** Whether it undid an earlier one; false if that is no longer stored. */
  readonly isUndo: boolean;
  /** Whether it is in the history. Edits from outside are recorded with the next write only. */
  readonly isRecorded: boolean;
  /**
   * Whether its history lines were not written in this folder by this user: their content is unverified, and the write cannot be undone.
   */
  readonly isForeign: boolean;
  /** In the order of the history. */
  readonly events: readonly HistoryEvent[];
}

/** A page of writes, newest first. */
export interface ActivityPage {
  readonly entries: readonly Activity[];
  readonly nextCursor: string | null;
  /** ISO 8601 time down to which the history was searched, if the search stopped early; null otherwise. */
  readonly searchedUntil: string | null;
}

/** Events examined for one page. */
const MAX_EXAMINED_EVENTS = 50_000;
/** Bytes read from the end of the history; usually enough for the first page. */
const TAIL_BYTES = 256 * 1024;
const MAX_CACHED_BATCHES = 10_000;

/** The log of unfiltered writes to a vault, whoever made them. */
export interface ActivityLog {
  page(query: ActivityQuery, unrecorded: readonly HistoryEvent[]): Promise<ActivityPage>;
  /** Counts the writes of each agent in the newest events. */
  agents(): Promise<ActiveAgents>;
  /** Returns one write by its id; null when there is none. */
  find(id: string, unrecorded: readonly HistoryEvent[]): Promise<Activity | null>;
  /** Returns whether a batch took others back; false for one that is not stored any more. */
  isUndo(batch: string): boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const NOT_STORED: Pick<Activity, 'hasUndoData' | 'isUndo'> = { hasUndoData: false, isUndo: false };
const unfiltered: EventFilter = (events) => events;

/** Creates the log of unfiltered writes that `filter` lets through. Reads nothing until it is queried. */
export function createActivityLog(store: Pick<FolderStore, 'records'>, filter: EventFilter = unfiltered): ActivityLog {
  const history = store.records.events;
  const kept = new Map<string, Pick<Activity, 'hasUndoData' | 'isUndo'>>();
  const counts = createAgentCounter(history, filter);

  const openBatch = (batch: string): Pick<Activity, 'hasUndoData' | 'isUndo'> => {
    const known = kept.get(batch);
    if (known !== undefined) return known;
    let found = NOT_STORED;
    try {
      found = { hasUndoData: true, isUndo: store.records.batches.read(batch).operation === 'undo' };
    } catch {
      // The batch was pruned or made on another machine.
    }
    if (kept.size >= MAX_CACHED_BATCHES) kept.clear();
    kept.set(batch, found);
    return found;
  };
  const toActivity = (events: readonly HistoryEvent[], isRecorded: boolean): Activity => {
    const { agent = '', timestamp = '' } = events[0] ?? {};
    const batch = batchOf(events);
    const kept = batch === null ? NOT_STORED : openBatch(batch);
    return { id: idOf(events), batch, agent, timestamp, ...kept, isRecorded, isForeign: isForeign(events), events };
  };

  /** Reads one page. `isAfterCursor` is called for each visible write, in order. */
  const readPage = async (
    query: ActivityQuery,
    unrecorded: readonly HistoryEvent[],
    isAfterCursor: (events: readonly HistoryEvent[]) => boolean,
  ): Promise<ActivityPage> => {
    const path = query.path === undefined ? null : foldKey(query.path);
    const entries: Activity[] = [];
    const ids = new Set<string>();
    let [examined, last] = [0, null as readonly HistoryEvent[] | null];
    const stop = (): ActivityPage => ({
      entries,
      nextCursor: last === null ? null : cursorOf(last),
      searchedUntil: last?.[0]?.timestamp ?? null,
    });
    for await (const { events: whole, isRecorded } of allWrites(
      history,
      unrecorded,
      filter === unfiltered ? query : { ...query, limit: undefined },
    )) {
      const events = filter(whole);
      if (events.length === 0) continue;
      const id = idOf(events);
      // A git merge can leave the same lines twice.
      if (ids.has(id)) continue;
      ids.add(id);
      if (!isAfterCursor(events)) continue;
      if (entries.length === query.limit) return { ...stop(), searchedUntil: null };
      if (examined >= MAX_EXAMINED_EVENTS) return stop();
      examined += events.length;
      last = events;
      const [first] = events;
      if (first === undefined) continue;
      // If the clock was set back, an older event can have a later time; assume by no more than a day.
      if (query.since !== undefined && !isForeign(events) && Date.parse(first.timestamp) < query.since - DAY_MS) break;
      if (query.since !== undefined && Date.parse(first.timestamp) < query.since) continue;
      if (query.agent !== undefined && first.agent !== query.agent) continue;
      if (path !== null && !events.some((event) => foldKey(event.path).includes(path) || foldKey(pathBefore(event)).includes(path)))
        continue;
      if (query.kind !== undefined && !events.some((event) => kindOfChange(event) === query.kind)) continue;
      entries.push(toActivity(events, isRecorded));
    }
    return { entries, nextCursor: null, searchedUntil: null };
  };

  return {
    isUndo: (batch) => openBatch(batch).isUndo,
    async page(query, unrecorded) {
      if (query.cursor === undefined) return await readPage(query, unrecorded, () => true);
      const after = readCursor(query.cursor);
      let isFound = false;
      const page = await readPage(query, unrecorded, (events) => {
        const isAfterCursor = isFound;
        isFound ||= idOf(events) === after.id && lastSeqOf(events) === after.seq;
        return isAfterCursor;
      });
      // Sequence numbers of foreign lines say nothing about the order, so they are compared only if the write has another id by now.
      return isFound ? page : await readPage(query, unrecorded, (events) => comesAfter(events, after));
    },
    agents: counts,
    async find(id, unrecorded) {
      for await (const { events: whole, isRecorded } of allWrites(history, unrecorded, {})) {
        const events = filter(whole);
        if (events.length > 0 && isNamed(events, id)) return toActivity(events, isRecorded);
      }
      return null;
    },
  };
}

interface Write {
  /** In the order of the history. */
  readonly events: readonly HistoryEvent[];
  readonly isRecorded: boolean;
}

/**
 * Yields the writes of a history, newest first. Reads only the end of the history if that holds the first page and there are no conditions.
 */
async function* allWrites(
  history: Segments<HistoryEvent>,
  unrecorded: readonly HistoryEvent[],
  { limit, cursor, agent, kind, path }: Omit<Partial<ActivityQuery>, 'limit'> & { readonly limit?: number | undefined },
): AsyncGenerator<Write> {
  for (const events of groupWrites(unrecorded)) yield { events, isRecorded: false };
  if (limit !== undefined && [cursor, agent, kind, path].every((each) => each === undefined)) {
    // The oldest write may be cut off by the start of the tail.
    const newest = groupWrites(history.tail(TAIL_BYTES)).slice(0, -1);
    if (newest.length > limit) {
      for (const events of newest) yield { events, isRecorded: true };
      return;
    }
  }
  for await (const events of writesBackward(history)) yield { events, isRecorded: true };
}

/** Returns whether an id names a write or, if the write has no batch, one of its events. */
function isNamed(events: readonly HistoryEvent[], id: string): boolean {
  const batch = batchOf(events);
  if (batch !== null) return batch === id;
  // The id of a foreign line ends in a hash of it, which is not worth working out for lines of other numbers.
  const seq = Number(/^(?:seq|foreign)-(\d{1,15})/.exec(id)?.[1] ?? NaN);
  return events.some((event) => event.seq === seq && activityId(event) === id);
}

function cursorOf(events: readonly HistoryEvent[]): string {
  return `${lastSeqOf(events)} ${idOf(events)}`;
}

function comesAfter(events: readonly HistoryEvent[], { seq, id }: { readonly seq: number; readonly id: string }): boolean {
  const own = lastSeqOf(events);
  return own < seq || (own === seq && idOf(events) > id);
}

function readCursor(cursor: string): { readonly seq: number; readonly id: string } {
  const [, seq, id] = /^(\d{1,15}) ([0-9a-z-]{1,40})$/.exec(cursor) ?? [];
  if (seq === undefined || id === undefined)
    throw new RouxError('INVALID_PARAMS', 'cursor is none of the activity; give the one that the last page returned.', {});
  return { seq: Number(seq), id };
}
