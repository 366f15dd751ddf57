import type { GraphView } from '../../graph/view.ts';
import { foldKey, normalizeId } from '../../note/path.ts';
import { isSameState } from '../../store/folder/file-system.ts';
import type { FileState } from '../../store/folder/file-system.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import { groupByBatch, inSlices } from '../history/events.ts';
import { PathHistory } from './path-history.ts';
import type { FileMove } from './path-history.ts';

/** Previous paths of notes with their present paths, without paths that name another file now and notes that were deleted. */
export interface MovedNotes {
  /** According to own lines of the history and to moves that this process saw. */
  readonly own: ReadonlyMap<string, string>;
  /** Further moves that only foreign lines record. They are reported; links follow them only on request. */
  readonly foreign: ReadonlyMap<string, string>;
  /** Moves by own lines to paths where this process knows no note: it was deleted since, or another process has just renamed it. */
  readonly unread: ReadonlyMap<string, string>;
}

/** Lists the notes that were moved, according to the whole history and to `seen`, the moves that this process saw. */
export async function listMovedNotes(
  history: Segments<HistoryEvent>,
  seen: PathHistory,
  graph: Pick<GraphView, 'get' | 'isAttachment'>,
): Promise<MovedNotes> {
  const moves = await readMoves(history);
  const isFree = (path: string): boolean => graph.get(path) === null && !graph.isAttachment(path);
  const list = function* (former: PathHistory, isWanted: (to: string) => boolean): Generator<void, ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const [from, to] of former.entries()) {
      yield;
      if (isFree(from) && isWanted(to)) found.set(from, to);
    }
    return found;
  };
  const isThere = (path: string): boolean => !isFree(path);
  // First, so that a note that is found meanwhile is in both lists, and not in none.
  const unread = await inSlices(list(moves.own, isFree));
  for (const former of [moves.own, moves.all])
    for (const [from, to] of seen.entries()) if (former.placeOf(from) !== to) former.move(from, to);
  const own = await inSlices(list(moves.own, isThere));
  const all = await inSlices(list(moves.all, isThere));
  return { own, unread, foreign: new Map([...all].filter(([from]) => !own.has(from))) };
}

/**
 * Returns the last path of the note that once had this path, with or without `.md`, even if it was deleted since; null when the own lines of
 * the history know none. `unrecorded`: events that the next write will add.
 */
export async function findLastPath(
  history: Segments<HistoryEvent>,
  name: string,
  unrecorded: readonly HistoryEvent[] = [],
): Promise<string | null> {
  const keys = new Set([name, `${name}.md`].map((each) => foldKey(normalizeId(each))));
  const { own: former } = await readMoves(history);
  for (const events of groupByBatch(unrecorded)) former.apply(events);
  for (const [from, to] of former.entries()) if (keys.has(foldKey(normalizeId(from)))) return to;
  return null;
}

/**
 * Returns a function that finds where a file is now, given a transaction and its path right after it. Foreign lines are ignored, since an
 * undo would change the wrong file. The history is read backward, and no further than to the transaction.
 */
export function placesSince(history: Segments<HistoryEvent>): (batch: string, path: string) => Promise<string> {
  let unread: readonly string[] | null = null;
  let writes: readonly Write[] = [];
  const places = new Map<string, ReadonlyMap<string, string>>();
  return async (batch, path) => {
    unread ??= history.names();
    while (unread.length > 0 && !writes.some((write) => write.batch === batch)) {
      const events = await history.read(unread.at(-1) ?? '');
      unread = unread.slice(0, -1);
      writes = [...listWrites(events), ...writes];
    }
    const at = writes.findLastIndex((write) => write.batch === batch);
    const known = places.get(batch) ?? follow(at === -1 ? [] : writes.slice(at + 1));
    places.set(batch, known);
    return known.get(path) ?? path;
  };
}

/** The moves of a write. */
interface Write {
  readonly batch: string | undefined;
  readonly moves: readonly FileMove[];
}

/** The own writes of a segment, oldest first. */
function listWrites(events: readonly HistoryEvent[]): readonly Write[] {
  return groupByBatch(events.filter(isOwn).toSorted(byTime)).map((written) => ({
    batch: written[0]?.batch,
    moves: written.flatMap(({ path: to, changes }): FileMove[] => {
      const from = changes.find(({ field }) => field === 'path')?.before;
      return typeof from === 'string' ? [{ from, to }] : [];
    }),
  }));
}

/**
 * Returns where each file went that moved, by its path before the first of these writes. The moves of one write happen at once, as in a swap;
 * what came to a path that was left is another file.
 */
function follow(writes: readonly Write[]): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const first = new Map<string, string>();
  for (const { moves } of writes) {
    const starts = moves.map(({ from }) => first.get(from) ?? (places.has(from) ? null : from));
    for (const { from } of moves) first.delete(from);
    for (const [index, { to }] of moves.entries()) {
      const start = starts[index] ?? null;
      if (start === null) continue;
      places.set(start, to);
      first.set(to, start);
    }
  }
  return places;
}

/** Previous paths by the own lines of a history, and by all of its lines. */
interface Moves {
  readonly own: PathHistory;
  readonly all: PathHistory;
}

const readers = new WeakMap<Segments<HistoryEvent>, () => Promise<Moves>>();

/** Returns the moves of a history, in copies that the caller may change. After the first call only segments are read that changed since. */
async function readMoves(history: Segments<HistoryEvent>): Promise<Moves> {
  const read = readers.get(history) ?? createMovesReader(history);
  readers.set(history, read);
  return inSlices(copyOf(await read()));
}

function createMovesReader(history: Segments<HistoryEvent>): () => Promise<Moves> {
  /** State after all segments but the last, which is the one that grows. */
  let full: { readonly states: readonly SegmentState[]; readonly moves: Moves } = { states: [], moves: noMoves() };
  let whole: { readonly states: readonly SegmentState[]; readonly moves: Moves } = full;

  async function readNew(): Promise<Moves> {
    // States from before reading: what is appended meanwhile is read again next time.
    const states = history.names().map((name): SegmentState => ({ name, state: history.stateOf(name) }));
    if (states.length === whole.states.length && beginsWith(states, whole.states)) return whole.moves;
    const earlier = states.slice(0, -1);
    const known = beginsWith(earlier, full.states) ? full : { states: [], moves: noMoves() };
    const moves = await inSlices(copyOf(known.moves));
    for (const { name } of earlier.slice(known.states.length)) await inSlices(applySegment(moves, await history.read(name)));
    full = { states: earlier, moves };
    const all = await inSlices(copyOf(moves));
    for (const { name } of states.slice(-1)) await inSlices(applySegment(all, await history.read(name)));
    whole = { states, moves: all };
    return all;
  }

  let last: Promise<unknown> = Promise.resolve();
  return () => {
    // Sequential, so that a second call reuses what the first one reads.
    const result = last.then(readNew);
    last = result.catch(() => undefined);
    return result;
  };
}

interface SegmentState {
  readonly name: string;
  readonly state: FileState | null;
}

function beginsWith(states: readonly SegmentState[], beginning: readonly SegmentState[]): boolean {
  return beginning.every(({ name, state }, at) => {
    const other = states[at];
    return other?.name === name && state !== null && other.state !== null && isSameState(state, other.state);
  });
}

function* applySegment({ own, all }: Moves, segment: readonly HistoryEvent[]): Generator<void, void> {
  const events = segment.toSorted(byTime);
  for (const written of groupByBatch(events.filter(isOwn))) own.apply(written);
  for (const written of groupByBatch(events)) {
    yield;
    all.apply(written);
  }
}

function noMoves(): Moves {
  return { own: new PathHistory(), all: new PathHistory() };
}

function* copyOf({ own, all }: Moves): Generator<void, Moves> {
  return { own: yield* own.copy(), all: yield* all.copy() };
}

/** Returns whether a line was written in this folder. Only such a line can say where a note is now. */
function isOwn({ foreign }: HistoryEvent): boolean {
  return foreign !== true;
}

/** Sequence numbers of branches that git merged overlap, so time orders them. */
function byTime(a: HistoryEvent, b: HistoryEvent): number {
  return a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : a.seq - b.seq;
}
