import { linkKey } from '../../graph/links/resolve.ts';
import { foldKey } from '../../note/path.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';

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

  copy(): FormerPaths {
    const copy = new FormerPaths();
    for (const [from, to] of this.#now) copy.#set(from, to);
    return copy;
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

  /** Takes over the events of one write, in their order. */
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

/** A file that changed its path. */
export interface FileMove {
  readonly from: string;
  readonly to: string;
}

/** The moves that events tell of. */
export function movesIn(events: readonly HistoryEvent[]): readonly FileMove[] {
  return events.flatMap(({ changes }) =>
    changes.flatMap(({ field, before, after }) =>
      field === 'path' && typeof before === 'string' && typeof after === 'string' ? [{ from: before, to: after }] : [],
    ),
  );
}

/** A path for comparing its end with that of another: whole segments, folded, without `.md`. */
function suffixOf(path: string): string {
  return `/${foldKey(path).replace(/\.md$/, '')}`;
}
