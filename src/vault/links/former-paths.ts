import { linkKey } from '../../graph/links/resolve.ts';
import type { GraphView } from '../../graph/view.ts';
import { foldKey, normalizeId } from '../../note/path.ts';
import { ifAllowed } from '../../store/folder/read-allowed.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';

/** Where notes went: the paths that they had, and the path that each of those notes has now. */
export class FormerPaths {
  readonly #now = new Map<string, string>();
  /** Former paths by the key that links to them have. */
  readonly #byKey = new Map<string, Set<string>>();
  /** The former paths of what is at a path now. */
  readonly #former = new Map<string, Set<string>>();

  /** Every former path with the present one. */
  entries(): ReadonlyMap<string, string> {
    return this.#now;
  }

  /** Where a link that leads nowhere now led before: the present path of what was called so, or null. */
  resolve(linkpath: string): string | null {
    const wanted = suffixOf(linkpath.replace(/^(?:\.\.?\/|\/)+/, ''));
    for (const from of this.#byKey.get(linkKey(linkpath)) ?? []) if (suffixOf(from).endsWith(wanted)) return this.#now.get(from) ?? null;
    return null;
  }

  move(from: string, to: string): void {
    this.moveAll([{ from, to }]);
  }

  /** Moves of one step: files may have exchanged their names, or one has taken the name that another left. */
  moveAll(moves: readonly { readonly from: string; readonly to: string }[]): void {
    const arrived = new Set(moves.map(({ to }) => to));
    const moved = moves.map(({ from, to }) => ({ from, to, paths: this.#former.get(from) ?? new Set<string>() }));
    for (const { from } of moves) this.#former.delete(from);
    for (const to of arrived) this.claim(to);
    for (const { from, to, paths } of moved) {
      paths.add(from);
      // What names a file again is no former path: there and back again, it is where it was.
      for (const path of paths) if (!arrived.has(path)) this.#set(path, to);
    }
  }

  /** A file of its own is at this path now: the name means no other one any more. */
  claim(path: string): void {
    const to = this.#now.get(path);
    if (to === undefined) return;
    this.#now.delete(path);
    this.#byKey.get(linkKey(path))?.delete(path);
    this.#former.get(to)?.delete(path);
  }

  /** Takes over what the events of one write tell, in their order. */
  learn(events: readonly HistoryEvent[]): void {
    const moves = movesIn(events);
    if (moves.length > 0) this.moveAll(moves);
    for (const event of events) {
      if (event.changes.some(({ field }) => field === 'path')) continue;
      if (event.action === 'created' || event.action === 'restored') this.claim(event.path);
      if (event.changes.some(({ field, before }) => field === 'file' && before === null)) this.claim(event.path);
    }
  }

  #set(path: string, to: string): void {
    const before = this.#now.get(path);
    if (before !== undefined) this.#former.get(before)?.delete(path);
    this.#now.set(path, to);
    const key = linkKey(path);
    this.#byKey.set(key, (this.#byKey.get(key) ?? new Set()).add(path));
    const paths = this.#former.get(to);
    if (paths === undefined) this.#former.set(to, new Set([path]));
    else paths.add(path);
  }
}

/** The moves that events tell of. */
export function movesIn(events: readonly HistoryEvent[]): readonly FileMove[] {
  return events.flatMap(({ changes }) =>
    changes.flatMap(({ field, before, after }) =>
      field === 'path' && typeof before === 'string' && typeof after === 'string' ? [{ from: before, to: after }] : [],
    ),
  );
}

/** Tells whether a line was written in this folder: only such a line says where a note is now. */
function isOwn({ foreign }: HistoryEvent): boolean {
  return foreign !== true;
}

/** A path for comparing its end with that of another: whole segments, folded, without `.md`. */
function suffixOf(path: string): string {
  return `/${foldKey(path).replace(/\.md$/, '')}`;
}

/**
 * Returns the last path that a note had whose former path this name is, with or without `.md`, by the own lines of the history; also where
 * nothing is there any more. `unrecorded`: events that the next write adds to it.
 */
export function lastPathOf(history: Segments<HistoryEvent>, name: string, unrecorded: readonly HistoryEvent[] = []): string | null {
  const keys = new Set([name, `${name}.md`].map((each) => foldKey(normalizeId(each))));
  const { own: former } = readMoves(history);
  for (const events of byBatch(unrecorded)) former.learn(events);
  for (const [from, to] of former.entries()) if (keys.has(foldKey(normalizeId(from)))) return to;
  return null;
}

/** A file that changed its path. */
export interface FileMove {
  readonly from: string;
  readonly to: string;
}

/**
 * Where files are now that transactions left at paths, by the moves after them; the path itself where a file did not move. Lines that were
 * not written here tell of no move: an undo would go to the wrong file. The history is read once, when it is first asked for.
 */
export function placesSince(history: Segments<HistoryEvent>): (batch: string, path: string) => string {
  const writes: (readonly FileMove[])[] = [];
  const ends = new Map<string, number>();
  const read = (): void => {
    for (const segment of history.names()) {
      const own = history.read(segment).filter(isOwn);
      for (const events of byBatch(own.toSorted(byTime))) {
        const moves = events.flatMap(({ path: to, changes }): FileMove[] => {
          const from = changes.find(({ field }) => field === 'path')?.before;
          return typeof from === 'string' ? [{ from, to }] : [];
        });
        if (moves.length > 0) writes.push(moves);
        const batch = events[0]?.batch;
        if (batch !== undefined) ends.set(batch, writes.length);
      }
    }
  };
  const places = new Map<string, ReadonlyMap<string, string>>();
  return (batch, path) => {
    if (ends.size === 0) read();
    const known = places.get(batch) ?? follow(writes.slice(ends.get(batch) ?? writes.length));
    places.set(batch, known);
    return known.get(path) ?? path;
  };
}

/**
 * Where each file went that moved, by its path before the first of these writes. The moves of one write happen at once, as in a swap; what
 * came to a path that was left is another file.
 */
function follow(writes: readonly (readonly FileMove[])[]): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const first = new Map<string, string>();
  for (const moves of writes) {
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

/** The moves of a history by its own lines, and by all of its lines. */
function readMoves(history: Segments<HistoryEvent>): { readonly own: FormerPaths; readonly all: FormerPaths } {
  const own = new FormerPaths();
  const all = new FormerPaths();
  for (const segment of ifAllowed(() => history.names(), [])) {
    const events = history.read(segment).toSorted(byTime);
    for (const written of byBatch(events.filter(isOwn))) own.learn(written);
    for (const written of byBatch(events)) all.learn(written);
  }
  return { own, all };
}

/** Events in their order, those of one write together. */
export function byBatch(events: readonly HistoryEvent[]): readonly (readonly HistoryEvent[])[] {
  const groups: HistoryEvent[][] = [];
  for (const event of events) {
    const [first] = groups.at(-1) ?? [];
    const isSameWrite = event.batch !== undefined && first?.batch === event.batch && first.foreign === event.foreign;
    if (isSameWrite) groups.at(-1)?.push(event);
    else groups.push([event]);
  }
  return groups;
}

/** Where notes went: former paths with the present ones, without paths that name a file again, or lead to none. */
export interface MovedNotes {
  /** As own lines of the history and this process tell it. */
  readonly own: ReadonlyMap<string, string>;
  /** Of other paths, as lines tell it that were not written here: nothing is done because of them unless somebody asks for it. */
  readonly foreign: ReadonlyMap<string, string>;
}

/** Lists where notes went, by the whole history and by what this process saw. */
export function listMovedNotes(
  history: Segments<HistoryEvent>,
  seen: FormerPaths,
  graph: Pick<GraphView, 'get' | 'isAttachment'>,
): MovedNotes {
  const moves = readMoves(history);
  const isFree = (path: string): boolean => graph.get(path) === null && !graph.isAttachment(path);
  const [own, all] = [moves.own, moves.all].map((former) => {
    for (const [from, to] of seen.entries()) if (former.entries().get(from) !== to) former.move(from, to);
    return new Map([...former.entries()].filter(([from, to]) => isFree(from) && !isFree(to)));
  }) as [Map<string, string>, Map<string, string>];
  return { own, foreign: new Map([...all].filter(([from]) => !own.has(from))) };
}

/** Two branches that git merged count on from the same number: the time orders them. */
function byTime(a: HistoryEvent, b: HistoryEvent): number {
  return a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : a.seq - b.seq;
}
