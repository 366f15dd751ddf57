import { RouxError } from '../../errors.ts';
import type { GraphView } from '../../graph/view.ts';
import { foldKey, normalizeId } from '../../note/path.ts';
import { eventName } from '../../store/records/history-event.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import { findLastPath } from '../links/moved-notes.ts';
import { eventsBackward } from '../history/events.ts';
import type { HistoriesQuery, HistoryPage, HistoryQuery } from './plan.ts';

/** The names that a note had, walking back in time: its id, its path, those of notes merged into it. */
class Trail {
  readonly #names = new Set<string>();
  /** The write that moved the note last: what else it moved is about others, which may have left or taken the same names. */
  #moved: string | undefined;

  constructor(names: readonly string[]) {
    for (const name of names) this.#names.add(keyOf(name));
  }

  /** Whether an event is about the note; from a rename or merge on, older events are looked for under the older names too. `keys`: those of its node and its path. */
  follows(event: HistoryEvent, keys: readonly string[]): boolean {
    if (!keys.some((key) => this.#names.has(key))) return false;
    // A line that was not written here hides none that was: it adds names, and ends nothing.
    if (event.foreign === true) {
      this.#add(event.node);
      for (const { field, before } of event.changes) if (field === 'path' && typeof before === 'string') this.#add(before);
      return true;
    }
    const isMove = event.action !== 'created' && event.changes.some(({ field }) => field === 'path');
    if (isMove && event.batch !== undefined && event.batch === this.#moved) return false;
    if (isMove) this.#moved = event.batch;
    this.#add(event.node);
    for (const change of event.changes) {
      if (change.field === 'path' && typeof change.before === 'string' && event.action !== 'created') {
        // What lay under the new name before was another note.
        if (typeof change.after === 'string') this.#names.delete(keyOf(change.after));
        this.#add(change.before);
      } else if (change.field === 'merged_from') {
        for (const name of [change.before, change.after].flat()) if (typeof name === 'string') this.#add(name);
      }
    }
    // Here it began: what had its name before was another note.
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

/** The trail of a note by any name that it has or had. */
async function openTrail(
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

/** Yields the events of a history with the keys by which trails know them, newest first. */
async function* keyedBackward(
  history: Segments<HistoryEvent>,
  { unrecorded = [], isOwn = false }: { readonly unrecorded?: readonly HistoryEvent[]; readonly isOwn?: boolean },
): AsyncGenerator<{ readonly event: HistoryEvent; readonly keys: readonly string[] }> {
  const keyed = (event: HistoryEvent) => ({ event, keys: keysOf(event) });
  for (const event of unrecorded.toReversed()) yield keyed(event);
  for await (const event of eventsBackward(history)) if (!isOwn || event.foreign !== true) yield keyed(event);
}

/** A foreign move is found by the former path too: such a line leads no lookup from there to the present one. */
function keysOf({ node, path, changes, foreign }: HistoryEvent): readonly string[] {
  const former =
    foreign === true ? changes.flatMap(({ field, before }) => (field === 'path' && typeof before === 'string' ? [before] : [])) : [];
  return [node, path, ...former].map(keyOf);
}

/**
 * The events of one file, newest first, by any name that it has or had: of notes that were merged into it, nothing. `before`: what happened
 * from this number on was about another file of that name.
 */
export async function* eventsOfFile(
  history: Segments<HistoryEvent>,
  graph: GraphView,
  query: { node: string; before?: number; unrecorded?: readonly HistoryEvent[] },
): AsyncGenerator<HistoryEvent> {
  const { node, before = Infinity } = query;
  const trail = before === Infinity ? await openTrail(history, graph, node, query.unrecorded) : new Trail([node, `${node}.md`]);
  const known = before === Infinity ? graph.lookup(node) : null;
  /** Where the file was; at several places where a line that was not written here says that it was moved. */
  const places = new Set(known?.kind === 'found' ? [keyOf(known.entry.path)] : []);
  for await (const { event, keys } of keyedBackward(history, query)) {
    if (event.seq >= before || !trail.follows(event, keys)) continue;
    if (places.size === 0) places.add(keyOf(event.path));
    if (!places.has(keyOf(event.path))) continue;
    yield event;
    const from = event.action === 'created' ? undefined : event.changes.find(({ field }) => field === 'path')?.before;
    if (typeof from !== 'string') continue;
    if (event.foreign !== true) places.clear();
    places.add(keyOf(from));
  }
}

/**
 * One page of a note's audit trail, newest first. The cursor names the last event, and the next page goes on behind it, so that pages neither
 * lose nor repeat an event; by its number where that event is not found any more.
 */
export async function readHistory(
  history: Segments<HistoryEvent>,
  graph: GraphView,
  query: Omit<HistoryQuery, 'isGlance'> & { readonly unrecorded?: readonly HistoryEvent[] },
): Promise<HistoryPage> {
  const { cursor } = query;
  if (cursor === undefined) return await readPage(history, graph, query, () => true);
  const number = numberOf(cursor);
  let isFound = false;
  const page = await readPage(history, graph, query, (_, name) => {
    const isBehind = isFound;
    isFound ||= name === cursor;
    return isBehind;
  });
  return isFound ? page : await readPage(history, graph, query, ({ seq }) => seq < number);
}

/** `isBehind`: asked of the events of the note in their order, each once, with its name. */
async function readPage(
  history: Segments<HistoryEvent>,
  graph: GraphView,
  query: Parameters<typeof readHistory>[2],
  isBehind: (event: HistoryEvent, name: string) => boolean,
): Promise<HistoryPage> {
  const { node, limit, unrecorded } = query;
  const trail = await openTrail(history, graph, node, unrecorded);
  const events: HistoryEvent[] = [];
  const names = new Set<string>();
  for await (const { event, keys } of keyedBackward(history, query)) {
    if (!trail.follows(event, keys)) continue;
    const name = eventName(event);
    // The same line twice, as a merge or somebody else leaves it.
    if (names.has(name)) continue;
    names.add(name);
    if (!isBehind(event, name)) continue;
    if (events.length === limit) return { events, nextCursor: historyCursor(events.at(-1)) };
    events.push(event);
  }
  return { events, nextCursor: null };
}

/** The newest events of several notes, by the names that were asked; the history is gone through once. */
export async function readHistories(
  history: Segments<HistoryEvent>,
  graph: GraphView,
  query: HistoriesQuery & { readonly unrecorded?: readonly HistoryEvent[] },
): Promise<ReadonlyMap<string, readonly HistoryEvent[]>> {
  const open = new Map<string, { readonly trail: Trail; readonly events: HistoryEvent[] }>();
  for (const node of query.nodes) open.set(node, { trail: await openTrail(history, graph, node, query.unrecorded), events: [] });
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

/** The cursor of the page that goes on after an event; null after none. */
export function historyCursor(last: HistoryEvent | undefined): string | null {
  return last === undefined ? null : eventName(last);
}

/** The number in a cursor. Earlier ones were that number alone. */
function numberOf(cursor: string): number {
  const [, number] = /^(\d{1,15})(?:-[0-9a-f]{8})?$/.exec(cursor) ?? [];
  if (number === undefined)
    throw new RouxError(
      'INVALID_PARAMS',
      `${JSON.stringify(cursor)} is no cursor of a history page; give the one that the last page returned.`,
      { cursor },
    );
  return Number(number);
}
