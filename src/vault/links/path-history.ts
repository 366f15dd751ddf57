import { linkKey, foldKey } from '../../note/path.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';

interface MovedFile {
  /** Its present path. */
  path: string;
  readonly previous: Set<string>;
}

/** Maps previous paths of notes to their present paths. A move takes no longer the more previous paths its file has. */
export class PathHistory {
  /** Files by their previous paths. */
  readonly #byPrevious = new Map<string, MovedFile>();
  /** Files by their present paths. */
  readonly #byPath = new Map<string, MovedFile>();
  /** Previous paths by link key. */
  readonly #byKey = new Map<string, Set<string>>();

  /** Yields every previous path with its present one. */
  *entries(): Generator<readonly [string, string]> {
    for (const [from, { path }] of this.#byPrevious) yield [from, path];
  }

  /** Returns the present path of the note a broken link used to lead to, or null. */
  resolve(linkpath: string): string | null {
    const wanted = suffixOf(linkpath.replace(/^(?:\.\.?\/|\/)+/, ''));
    for (const from of this.#byKey.get(linkKey(linkpath)) ?? []) if (suffixOf(from).endsWith(wanted)) return this.placeOf(from) ?? null;
    return null;
  }

  /** Returns where the file is now that once had this path; undefined if none moved from there. */
  placeOf(previous: string): string | undefined {
    return this.#byPrevious.get(previous)?.path;
  }

  /** Copies it, one path a step. */
  *copy(): Generator<void, PathHistory> {
    const copy = new PathHistory();
    for (const [from, to] of this.entries()) {
      yield;
      copy.#add(from, copy.#fileAt(to));
    }
    return copy;
  }

  move(from: string, to: string): void {
    this.moveAll([{ from, to }]);
  }

  /** Applies moves that happened at once: files may have swapped names, or one took the name that another left. */
  moveAll(moves: readonly { readonly from: string; readonly to: string }[]): void {
    const arrived = new Set(moves.map(({ to }) => to));
    const moved = moves.map(({ from, to }) => ({ from, to, file: this.#fileAt(from) }));
    for (const { from } of moves) this.#byPath.delete(from);
    for (const to of arrived) this.claim(to);
    for (const { from, to, file } of moved) {
      // A path that names a file again is not a previous path: the file may have moved there and back.
      if (!arrived.has(from)) this.#add(from, file);
      this.#place(file, to);
    }
  }

  /** Records that a new file has this path, which no longer stands for a moved one. */
  claim(path: string): void {
    this.#byPrevious.get(path)?.previous.delete(path);
    if (this.#byPrevious.delete(path)) this.#byKey.get(linkKey(path))?.delete(path);
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

  #fileAt(path: string): MovedFile {
    const known = this.#byPath.get(path);
    if (known !== undefined) return known;
    const file = { path, previous: new Set<string>() };
    this.#byPath.set(path, file);
    return file;
  }

  #add(previous: string, file: MovedFile): void {
    this.#byPrevious.get(previous)?.previous.delete(previous);
    this.#byPrevious.set(previous, file);
    file.previous.add(previous);
    const key = linkKey(previous);
    this.#byKey.set(key, (this.#byKey.get(key) ?? new Set()).add(previous));
  }

  /** Gives a file its present path. The previous paths of a file that is there lead to the same place. */
  #place(file: MovedFile, path: string): void {
    if (this.#byPath.get(file.path) === file) this.#byPath.delete(file.path);
    const there = this.#byPath.get(path);
    const [larger, smaller] = there !== undefined && there.previous.size > file.previous.size ? [there, file] : [file, there];
    for (const previous of smaller?.previous ?? []) {
      larger.previous.add(previous);
      this.#byPrevious.set(previous, larger);
    }
    smaller?.previous.clear();
    larger.path = path;
    this.#byPath.set(path, larger);
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
