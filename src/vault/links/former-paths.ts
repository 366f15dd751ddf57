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
    this.claim(to);
    const paths = this.#former.get(from) ?? new Set<string>();
    this.#former.delete(from);
    paths.add(from);
    // There and back again: it is where it was.
    paths.delete(to);
    for (const path of paths) this.#set(path, to);
  }

  /** A file of its own is at this path now: the name means no other one any more. */
  claim(path: string): void {
    const to = this.#now.get(path);
    if (to === undefined) return;
    this.#now.delete(path);
    this.#byKey.get(linkKey(path))?.delete(path);
    this.#former.get(to)?.delete(path);
  }

  /** Takes over what an event of the history tells, the events in their order. */
  learn(event: HistoryEvent): void {
    const moves = event.changes.filter(({ field }) => field === 'path');
    for (const { before, after } of moves) if (typeof before === 'string' && typeof after === 'string') this.move(before, after);
    if (moves.length > 0) return;
    if (event.action === 'created' || event.action === 'restored') this.claim(event.path);
    if (event.changes.some(({ field, before }) => field === 'file' && before === null)) this.claim(event.path);
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

/** A path for comparing its end with that of another: whole segments, folded, without `.md`. */
function suffixOf(path: string): string {
  return `/${foldKey(path).replace(/\.md$/, '')}`;
}

/** The last path that a note had whose former path this name is, with or without `.md`, by the history; also where nothing is there any more. */
export function lastPathOf(history: Segments<HistoryEvent>, name: string): string | null {
  const keys = new Set([name, `${name}.md`].map((each) => foldKey(normalizeId(each))));
  for (const [from, to] of readMoves(history).entries()) if (keys.has(foldKey(normalizeId(from)))) return to;
  return null;
}

/**
 * Where files are now that transactions left at paths, by the moves after them; the path itself where a file did not move. The history is
 * read once, when it is first asked for.
 */
export function placesSince(history: Segments<HistoryEvent>): (batch: string, path: string) => string {
  const moves: { readonly from: string; readonly to: string }[] = [];
  const ends = new Map<string, number>();
  const read = (): void => {
    for (const segment of history.names()) {
      for (const { batch, path: to, changes } of history.read(segment).toSorted(byTime)) {
        const from = changes.find(({ field }) => field === 'path')?.before;
        if (typeof from === 'string') moves.push({ from, to });
        if (batch !== undefined) ends.set(batch, moves.length);
      }
    }
  };
  const places = new Map<string, ReadonlyMap<string, string>>();
  return (batch, path) => {
    if (ends.size === 0) read();
    const known = places.get(batch) ?? follow(moves.slice(ends.get(batch) ?? moves.length));
    places.set(batch, known);
    return known.get(path) ?? path;
  };
}

/** Where each file went that moved, by its path before the first of these moves. What came to a path that was left is another file. */
function follow(moves: readonly { readonly from: string; readonly to: string }[]): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const first = new Map<string, string>();
  for (const { from, to } of moves) {
    const start = first.get(from) ?? (places.has(from) ? null : from);
    first.delete(from);
    if (start === null) continue;
    places.set(start, to);
    first.set(to, start);
  }
  return places;
}

function readMoves(history: Segments<HistoryEvent>): FormerPaths {
  const former = new FormerPaths();
  for (const segment of ifAllowed(() => history.names(), [])) {
    for (const event of history.read(segment).toSorted(byTime)) former.learn(event);
  }
  return former;
}

/** Where notes went, as the whole history and this process tell it; without paths that name a file again, or lead to none. */
export function listFormerPaths(
  history: Segments<HistoryEvent>,
  seen: FormerPaths,
  graph: Pick<GraphView, 'get' | 'isAttachment'>,
): ReadonlyMap<string, string> {
  const former = readMoves(history);
  for (const [from, to] of seen.entries()) if (former.entries().get(from) !== to) former.move(from, to);
  const isFree = (path: string): boolean => graph.get(path) === null && !graph.isAttachment(path);
  return new Map([...former.entries()].filter(([from, to]) => isFree(from) && !isFree(to)));
}

/** Two branches that git merged count on from the same number: the time orders them. */
function byTime(a: HistoryEvent, b: HistoryEvent): number {
  return a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : a.seq - b.seq;
}
