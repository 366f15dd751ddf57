import { linkKey } from '../../graph/links/resolve.ts';
import { foldKey } from '../../note/path.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';

/** Maps previous paths of notes to their present paths. */
export class PathHistory {
  readonly #now = new Map<string, string>();
  /** Previous paths by link key. */
  readonly #byKey = new Map<string, Set<string>>();
  /** Previous paths by present path. */
  readonly #previous = new Map<string, Set<string>>();

  /** Returns every previous path with its present one. */
  entries(): ReadonlyMap<string, string> {
    return this.#now;
  }

  /** Returns the present path of the note a broken link used to lead to, or null. */
  resolve(linkpath: string): string | null {
    const wanted = suffixOf(linkpath.replace(/^(?:\.\.?\/|\/)+/, ''));
    for (const from of this.#byKey.get(linkKey(linkpath)) ?? []) if (suffixOf(from).endsWith(wanted)) return this.#now.get(from) ?? null;
    return null;
  }

  copy(): PathHistory {
    const copy = new PathHistory();
    for (const [from, to] of this.#now) copy.#set(from, to);
    return copy;
  }

  move(from: string, to: string): void {
    this.moveAll([{ from, to }]);
  }

  /** Applies moves that happened at once: files may have swapped names, or one took the name that another left. */
  moveAll(moves: readonly { readonly from: string; readonly to: string }[]): void {
    const arrived = new Set(moves.map(({ to }) => to));
    const moved = moves.map(({ from, to }) => ({ from, to, paths: this.#previous.get(from) ?? new Set<string>() }));
    for (const { from } of moves) this.#previous.delete(from);
    for (const to of arrived) this.claim(to);
    for (const { from, to, paths } of moved) {
      paths.add(from);
      // A path that names a file again is not a previous path: the file may have moved there and back.
      for (const path of paths) if (!arrived.has(path)) this.#set(path, to);
    }
  }

  /** Records that a new file has this path, which no longer stands for a moved one. */
  claim(path: string): void {
    const to = this.#now.get(path);
    if (to === undefined) return;
    this.#now.delete(path);
    this.#byKey.get(linkKey(path))?.delete(path);
    this.#previous.get(to)?.delete(path);
  }

  /** Applies the events of one write, in their order. */
  apply(events: readonly HistoryEvent[]): void {
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
    if (before !== undefined) this.#previous.get(before)?.delete(path);
    this.#now.set(path, to);
    const key = linkKey(path);
    this.#byKey.set(key, (this.#byKey.get(key) ?? new Set()).add(path));
    const paths = this.#previous.get(to);
    if (paths === undefined) this.#previous.set(to, new Set([path]));
    else paths.add(path);
  }
}

/** A change of a file's path. */
export interface FileMove {
  readonly from: string;
  readonly to: string;
}

/** Returns the moves that events record. */
export function movesIn(events: readonly HistoryEvent[]): readonly FileMove[] {
  return events.flatMap(({ changes }) =>
    changes.flatMap(({ field, before, after }) =>
      field === 'path' && typeof before === 'string' && typeof after === 'string' ? [{ from: before, to: after }] : [],
    ),
  );
}

/** Normalizes a path for comparing suffixes: whole segments, folded, without `.md`. */
function suffixOf(path: string): string {
  return `/${foldKey(path).replace(/\.md$/, '')}`;
}
