import { compareText } from '../note/text.ts';

/** Changes between two reads above which they are merged at once instead of one by one. */
const MAX_SINGLE_INSERTS = 64;

/** A sorted set of paths, in which each folder is a contiguous range. */
export class SortedPaths {
  #sorted: string[];
  /** Changes since the last read: added (`true`) or removed. */
  readonly #changes = new Map<string, boolean>();

  /** `sorted`: the initial paths, in order. */
  constructor(sorted: readonly string[] = []) {
    this.#sorted = [...sorted];
  }

  /** Replaces the paths by others, in order. */
  fill(sorted: readonly string[]): void {
    this.#sorted = [...sorted];
    this.#changes.clear();
  }

  /** Adds or removes a path. */
  set(path: string, isIn: boolean): void {
    this.#changes.set(path, isIn);
  }

  add(path: string): void {
    this.#changes.set(path, true);
  }

  remove(path: string): void {
    this.#changes.set(path, false);
  }

  /** Returns the paths in a folder; all for `''`. */
  below(folder: string): readonly string[] {
    const [from, to] = this.#stretch(folder);
    return this.#sorted.slice(from, to);
  }

  /** Returns the number of paths in a folder. */
  countBelow(folder: string): number {
    const [from, to] = this.#stretch(folder);
    return to - from;
  }

  /** Returns a slice of the paths in a folder. */
  sliceBelow(folder: string, from: number, to: number): readonly string[] {
    const [start, end] = this.#stretch(folder);
    return this.#sorted.slice(Math.min(end, start + from), Math.min(end, start + to));
  }

  #stretch(folder: string): [from: number, to: number] {
    this.#order();
    if (folder === '') return [0, this.#sorted.length];
    // `0` follows `/`.
    return [lowerBound(this.#sorted, `${folder}/`), lowerBound(this.#sorted, `${folder}0`)];
  }

  #order(): void {
    if (this.#changes.size > MAX_SINGLE_INSERTS) {
      const kept = this.#sorted.filter((path) => !this.#changes.has(path));
      for (const [path, isIn] of this.#changes) if (isIn) kept.push(path);
      this.#sorted = kept.sort(compareText);
    } else {
      for (const [path, isIn] of this.#changes) {
        const at = lowerBound(this.#sorted, path);
        const isThere = this.#sorted[at] === path;
        if (isThere !== isIn) this.#sorted.splice(at, isThere ? 1 : 0, ...(isIn ? [path] : []));
      }
    }
    this.#changes.clear();
  }
}

/** Returns the index of a path in a sorted list, or where it would be inserted. */
export function lowerBound(sorted: readonly string[], path: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareText(sorted[middle] ?? '', path) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
