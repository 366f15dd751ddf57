import { RouxError } from '../../errors.ts';
import { foldKey } from '../../note/path.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import type { FolderStore } from '../../store/open-folder-store.ts';
import { openCounts } from './active-agents.ts';
import type { ActiveAgents } from './active-agents.ts';
import { pathBefore } from './note-states.ts';
import { activityId, batchOf, groupWrites, idOf, isForeign, lastSeqOf } from './events.ts';
import type { Sight } from './events.ts';

/** Which writes are asked for; what is absent does not matter. */
export interface ActivityQuery {
  readonly agent?: string | undefined;
  /** The operation that wrote, as long as that is known: for a month. */
  readonly tool?: string | undefined;
  /** A part of a path, in any case. */
  readonly path?: string | undefined;
  /** In milliseconds. */
  readonly since?: number | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** One write: a transaction of roux, or what was seen at once of edits from outside. */
export interface Activity {
  /** Names it among all: its batch, or the number of its last event. */
  readonly id: string;
  readonly batch: string | null;
  readonly agent: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The operation; null where that is not kept, and of edits from outside. */
  readonly tool: string | null;
  /** All that is needed to take it back is kept. */
  readonly isKept: boolean;
  /** It is in the history; what was only seen is recorded with the next write. */
  readonly isRecorded: boolean;
  /** Its lines were not written in this folder by this user: what they say is not checked, and nothing can take it back. */
  readonly isForeign: boolean;
  /** In the order of the history. */
  readonly events: readonly HistoryEvent[];
}

/** A page of writes, newest first. */
export interface ActivityPage {
  readonly entries: readonly Activity[];
  readonly nextCursor: string | null;
  /** Up to when it was looked, where the page ends before what was asked for was found. */
  readonly lookedUntil: string | null;
}

/** So many are looked through for one page, and so many transactions opened for their operation. */
const MAX_EXAMINED = 50_000;
const MAX_OPENED = 2_000;
/** The first page mostly comes from the end of the history. */
const TAIL_BYTES = 256 * 1024;
const MAX_REMEMBERED = 10_000;

/** All that was written to a vault, by whomever. */
export interface Activities {
  page(query: ActivityQuery, unrecorded: readonly HistoryEvent[]): Promise<ActivityPage>;
  /** Counts the writes of each agent in the newest events. */
  agents(): Promise<ActiveAgents>;
  /** One write by its id; null where there is none. */
  find(id: string, unrecorded: readonly HistoryEvent[]): Promise<Activity | null>;
}

/** Opens what was written for looking at it, as far as it is to be seen; nothing is read before. */
export function openActivities(store: Pick<FolderStore, 'records' | 'batches'>, sight: Sight = all): Activities {
  const history = store.records.events;
  const kept = new Map<string, { readonly tool: string | null; readonly isKept: boolean }>();
  const counts = openCounts(history, sight);

  const openBatch = (batch: string): { readonly tool: string | null; readonly isKept: boolean } => {
    const known = kept.get(batch);
    if (known !== undefined) return known;
    const found = { tool: null as string | null, isKept: false };
    try {
      Object.assign(found, { tool: store.batches.read(batch).operation, isKept: true });
    } catch {
      // Pruned, or from another machine: what it was is not known any more.
    }
    if (kept.size >= MAX_REMEMBERED) kept.clear();
    kept.set(batch, found);
    return found;
  };
  const toActivity = (events: readonly HistoryEvent[], isRecorded: boolean): Activity => {
    const { agent = '', timestamp = '' } = events[0] ?? {};
    const batch = batchOf(events);
    const kept = batch === null ? NOT_KEPT : openBatch(batch);
    return { id: idOf(events), batch, agent, timestamp, ...kept, isRecorded, isForeign: isForeign(events), events };
  };

  /** `isBehind`: asked of the writes that are seen, in their order. */
  const readPage = async (
    query: ActivityQuery,
    unrecorded: readonly HistoryEvent[],
    isBehind: (events: readonly HistoryEvent[]) => boolean,
  ): Promise<ActivityPage> => {
    const path = query.path === undefined ? null : foldKey(query.path);
    const entries: Activity[] = [];
    const ids = new Set<string>();
    let [looked, opened, last] = [0, 0, null as readonly HistoryEvent[] | null];
    const stop = (): ActivityPage => ({
      entries,
      nextCursor: last === null ? null : cursorOf(last),
      lookedUntil: last?.[0]?.timestamp ?? null,
    });
    for await (const { events: whole, isRecorded } of writesBackward(
      history,
      unrecorded,
      sight === all ? query : { ...query, limit: undefined },
    )) {
      const events = sight(whole);
      if (events.length === 0) continue;
      const id = idOf(events);
      // The same lines twice, as a merge or somebody else leaves them.
      if (ids.has(id)) continue;
      ids.add(id);
      if (!isBehind(events)) continue;
      if (entries.length === query.limit) return { ...stop(), lookedUntil: null };
      if (looked >= MAX_EXAMINED || opened >= MAX_OPENED) return stop();
      looked += events.length;
      last = events;
      const [first] = events;
      if (first === undefined) continue;
      // The clock may have been set back, so that older ones can be later; but not by a day.
      if (query.since !== undefined && !isForeign(events) && Date.parse(first.timestamp) < query.since - DAY_MS) break;
      if (query.since !== undefined && Date.parse(first.timestamp) < query.since) continue;
      if (query.agent !== undefined && first.agent !== query.agent) continue;
      if (path !== null && !events.some((event) => foldKey(event.path).includes(path) || foldKey(pathBefore(event)).includes(path)))
        continue;
      opened += batchOf(events) === null ? 0 : 1;
      const entry = toActivity(events, isRecorded);
      if (query.tool === undefined || entry.tool === query.tool) entries.push(entry);
    }
    return { entries, nextCursor: null, lookedUntil: null };
  };

  return {
    async page(query, unrecorded) {
      if (query.cursor === undefined) return await readPage(query, unrecorded, () => true);
      const after = readCursor(query.cursor);
      let isFound = false;
      const page = await readPage(query, unrecorded, (events) => {
        const isBehind = isFound;
        isFound ||= idOf(events) === after.id && lastSeqOf(events) === after.seq;
        return isBehind;
      });
      // Numbers of lines that were not written here say nothing about the order: they decide only where that write has another name by now.
      return isFound ? page : await readPage(query, unrecorded, (events) => comesAfter(events, after));
    },
    agents: counts,
    async find(id, unrecorded) {
      for await (const { events: whole, isRecorded } of writesBackward(history, unrecorded, {})) {
        const events = sight(whole);
        if (events.length > 0 && isNamed(events, id)) return toActivity(events, isRecorded);
      }
      return null;
    },
  };
}

const all: Sight = (events) => events;

const DAY_MS = 24 * 60 * 60 * 1000;
const NOT_KEPT = { tool: null, isKept: false } as const;

interface Write {
  /** In the order of the history. */
  readonly events: readonly HistoryEvent[];
  readonly isRecorded: boolean;
}

/** The writes of a history, newest first. A first page without conditions takes the end of the history only, where that is enough. */
async function* writesBackward(
  history: Segments<HistoryEvent>,
  unrecorded: readonly HistoryEvent[],
  { limit, cursor, agent, tool, path }: Omit<Partial<ActivityQuery>, 'limit'> & { readonly limit?: number | undefined },
): AsyncGenerator<Write> {
  for (const events of groupWrites(unrecorded)) yield { events, isRecorded: false };
  if (limit !== undefined && [cursor, agent, tool, path].every((each) => each === undefined)) {
    // The oldest of them may be cut.
    const newest = groupWrites(history.tail(TAIL_BYTES)).slice(0, -1);
    if (newest.length > limit) {
      for (const events of newest) yield { events, isRecorded: true };
      return;
    }
  }
  for (const segment of history.names().toReversed())
    for (const events of groupWrites(await history.read(segment))) yield { events, isRecorded: true };
}

/** Whether an id is that of a write, or of one of its events where it has no batch. */
function isNamed(events: readonly HistoryEvent[], id: string): boolean {
  const batch = batchOf(events);
  return batch === null ? events.some((event) => activityId(event) === id) : batch === id;
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
