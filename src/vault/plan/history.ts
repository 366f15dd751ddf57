import { RouxError } from '../../errors.ts';
import type { GraphView } from '../../graph/view.ts';
import { foldKey, normalizeId } from '../../note/path.ts';
import { eventName } from '../../store/records/history-event.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import { findLastPath } from '../links/moved-notes.ts';
import { eventsBackward, writeNameOf } from '../history/events.ts';
import type { HistoriesQuery, HistoryPage, HistoryQuery } from './plan.ts';

/** The names of a note while walking back in time: its id, its path, and those of notes merged into it. */
class Trail {
  readonly #names = new Set<string>();
  /** The write that last moved the note. Its other moves are about other files, which may have left or taken the same names. */
  #moved: string | null = null;
  /** The write that is being walked through, the paths that other files left in it, and those from which the note came. */
  #write: string | null = null;
  readonly #vacated = new Set<string>();
  readonly #origins = new Set<string>();

  constructor(names: readonly string[]) {
    for (const name of names) this.#names.add(keyOf(name));
  }

  /**
   * Returns whether an event is about the note. After a rename or merge, older events match by the older names too. `keys`: those of the
   * event's node and paths.
   */
  follows(event: HistoryEvent, keys: readonly string[]): boolean {
    const write = writeNameOf(event);
    if (write === null || write !== this.#write) this.#leaveWrite();
    this.#write = write;
    const isAbout = this.#isAbout(event, keys, write);
    if (isAbout || event.foreign === true || event.action === 'created') return isAbout;
    for (const { field, before } of event.changes) if (field === 'path' && typeof before === 'string') this.#vacated.add(keyOf(before));
    return false;
  }

  /**
   * Goes on to what was before a write. The names that other files left in it were theirs, and those that the note left were not its own
   * for the other events of that write.
   */
  #leaveWrite(): void {
    for (const name of this.#vacated) this.#names.delete(name);
    for (const name of this.#origins) this.#names.add(name);
    this.#vacated.clear();
    this.#origins.clear();
  }

  #isAbout(event: HistoryEvent, keys: readonly string[], write: string | null): boolean {
    if (!keys.some((key) => this.#names.has(key))) return false;
    // A foreign line adds names but ends nothing, so it cannot hide own lines.
    if (event.foreign === true) {
      this.#add(event.node);
      for (const { field, before } of event.changes) if (field === 'path' && typeof before === 'string') this.#add(before);
      return true;
    }
    const isMove = event.action !== 'created' && event.changes.some(({ field }) => field === 'path');
    if (isMove && write !== null && write === this.#moved) return false;
    if (isMove) this.#moved = write;
    this.#add(event.node);
    for (const change of event.changes) {
      if (change.field === 'path' && typeof change.before === 'string' && event.action !== 'created') {
        // Before the move the new path named another note.
        if (typeof change.after === 'string') this.#names.delete(keyOf(change.after));
        this.#origins.add(keyOf(change.before));
      } else if (change.field === 'merged_from') {
        for (const name of [change.before, change.after].flat()) if (typeof name === 'string') this.#add(name);
      }
    }
    // The note was created here: earlier events with its names are about other notes.
    if (event.action === 'created') for (const name of [event.node, event.path]) this.#names.delete(keyOf(name));
    return true;
  }

  #add(name: string): void {
    this.#names.add(keyOf(name));
  }
}

function keyOf(name: string): string {
  return foldKey(normalizeId(name));
}

/** Creates the trail of a note by any present or previous name. */
async function createTrail(
  history: Segments<HistoryEvent>,
  graph: GraphView,
  node: string,
  unrecorded: readonly HistoryEvent[] = [],
): Promise<Trail> {
  const found = graph.lookup(node);
  if (found.kind === 'found') return new Trail([found.entry.id, found.entry.path]);
  const last = await findLastPath(history, node, unrecorded);
  if (last === null) return new Trail([node, `${node}.md`]);
  const present = graph.get(last);
  return new Trail(present === null ? [last] : [present.id, present.path]);
}

/** Yields the events of a history, newest first, with their trail keys. */
async function* keyedBackward(
  history: Segments<HistoryEvent>,
  { unrecorded = [], isOwn = false }: { readonly unrecorded?: readonly HistoryEvent[]; readonly isOwn?: boolean },
): AsyncGenerator<{ readonly event: HistoryEvent; readonly keys: readonly string[] }> {
  const keyed = (event: HistoryEvent) => ({ event, keys: keysOf(event) });
  for (const event of unrecorded.toReversed()) yield keyed(event);
  for await (const event of eventsBackward(history)) if (!isOwn || event.foreign !== true) yield keyed(event);
}

/**
 * Returns the trail keys of an event. A foreign move includes the previous path, since such a line does not count in lookups from there to
 * the present path.
 */
function keysOf({ node, path, changes, foreign }: HistoryEvent): readonly string[] {
  const previous =
    foreign === true ? changes.flatMap(({ field, before }) => (field === 'path' && typeof before === 'string' ? [before] : [])) : [];
  return [node, path, ...previous].map(keyOf);
}

/**
 * Yields the events of one file, newest first, by any present or previous name, without those of notes merged into it. `before`: sequence
 * number from which on events are about another file of that name.
 */
export async function* eventsOfFile(
  history: Segments<HistoryEvent>,
  graph: GraphView,
  query: { node: string; before?: number; unrecorded?: readonly HistoryEvent[] },
): AsyncGenerator<HistoryEvent> {
  const { node, before = Infinity } = query;
  const trail = before === Infinity ? await createTrail(history, graph, node, query.unrecorded) : new Trail([node, `${node}.md`]);
  const known = before === Infinity ? graph.lookup(node) : null;
  /** Path of the file at this point; several where a foreign line records a move. */
  const paths = new Set(known?.kind === 'found' ? [keyOf(known.entry.path)] : []);
  for await (const { event, keys } of keyedBackward(history, query)) {
    if (event.seq >= before || !trail.follows(event, keys)) continue;
    if (paths.size === 0) paths.add(keyOf(event.path));
    if (!paths.has(keyOf(event.path))) continue;
    yield event;
    const from = event.action === 'created' ? undefined : event.changes.find(({ field }) => field === 'path')?.before;
    if (typeof from !== 'string') continue;
    if (event.foreign !== true) paths.clear();
    paths.add(keyOf(from));
  }
}

/**
 * Returns one page of a note's audit trail, newest first. The cursor names the last event, so that pages neither lose nor repeat events; if
 * that event is gone, its sequence number decides.
 */
export async function readHistory(
  history: Segments<HistoryEvent>,
  graph: GraphView,
  query: Omit<HistoryQuery, 'isGlance'> & { readonly unrecorded?: readonly HistoryEvent[] },
): Promise<HistoryPage> {
  const { cursor } = query;
  if (cursor === undefined) return await readPage(history, graph, query, () => true);
  const number = seqOfCursor(cursor);
  let isFound = false;
  const page = await readPage(history, graph, query, (_, name) => {
    const isAfterCursor = isFound;
    isFound ||= name === cursor;
    return isAfterCursor;
  });
  return isFound ? page : await readPage(history, graph, query, ({ seq }) => seq < number);
}

/** Reads one page. `isAfterCursor` is called once per event of the note, in order, with the event's name. */
async function readPage(
  history: Segments<HistoryEvent>,
  graph: GraphView,
  query: Parameters<typeof readHistory>[2],
  isAfterCursor: (event: HistoryEvent, name: string) => boolean,
): Promise<HistoryPage> {
  const { node, limit, unrecorded } = query;
  const trail = await createTrail(history, graph, node, unrecorded);
  const events: HistoryEvent[] = [];
  const names = new Set<string>();
  for await (const { event, keys } of keyedBackward(history, query)) {
    if (!trail.follows(event, keys)) continue;
    const name = eventName(event);
    // A git merge can leave the same line twice.
    if (names.has(name)) continue;
    names.add(name);
    if (!isAfterCursor(event, name)) continue;
    if (events.length === limit) return { events, nextCursor: historyCursor(events.at(-1)) };
    events.push(event);
  }
  return { events, nextCursor: null };
}

/** Returns the newest events of several notes, keyed as requested. Reads the history once. */
export async function readHistories(
  history: Segments<HistoryEvent>,
  graph: GraphView,
  query: HistoriesQuery & { readonly unrecorded?: readonly HistoryEvent[] },
): Promise<ReadonlyMap<string, readonly HistoryEvent[]>> {
  const open = new Map<string, { readonly trail: Trail; readonly events: HistoryEvent[] }>();
  for (const node of query.nodes) open.set(node, { trail: await createTrail(history, graph, node, query.unrecorded), events: [] });
  const found = new Map([...open].map(([node, { events }]) => [node, events]));
  for await (const { event, keys } of keyedBackward(history, query)) {
    if (open.size === 0) break;
    for (const [node, { trail, events }] of open) {
      if (!trail.follows(event, keys)) continue;
      events.push(event);
      if (events.length === query.limit) open.delete(node);
    }
  }
  return found;
}

/** Returns the cursor of the page after an event; null for none. */
export function historyCursor(last: HistoryEvent | undefined): string | null {
  return last === undefined ? null : eventName(last);
}

/** Parses the sequence number in a cursor. Cursors of earlier versions were only that number. */
export function seqOfCursor(cursor: string): number {
  const [, number] = /^(\d{1,15})(?:-[0-9a-f]{8})?$/.exec(cursor) ?? [];
  if (number === undefined)
    throw new RouxError(
      'INVALID_PARAMS',
      `${JSON.stringify(cursor)} is no cursor of a history page; give the one that the last page returned.`,
      { cursor },
    );
  return Number(number);
}
