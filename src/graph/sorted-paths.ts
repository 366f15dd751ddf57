import { compareText } from '../note/text.ts';

/** More changes than this between two readings are sorted in at once instead of one by one. */
const FEW = 64;

/** A set of paths kept in order, so that a folder is a stretch of it. */
export class SortedPaths {
  #sorted: string[];
  /** What changed since the last reading: in (`true`) or out. */
  readonly #changes = new Map<string, boolean>();

  /** `sorted`: the paths to begin with, in order. */
  constructor(sorted: readonly string[] = []) {
    this.#sorted = [...sorted];
  }

  /** A path is in from now on, or out. */
  set(path: string, isIn: boolean): void {
    this.#changes.set(path, isIn);
  }

  add(path: string): void {
    this.#changes.set(path, true);
  }

  remove(path: string): void {
    this.#changes.set(path, false);
  }

  /** The paths below a folder (`''`: all of them) as they are now. */
  below(folder: string): readonly string[] {
    const [from, to] = this.#stretch(folder);
    return this.#sorted.slice(from, to);
  }

  /** How many paths are below a folder as they are now. */
  countBelow(folder: string): number {
    const [from, to] = this.#stretch(folder);
    return to - from;
  }

  /** The paths from one place to another among those below a folder. */
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
    if (this.#changes.size > FEW) {
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

/** Where a path is in a sorted list, or would be. */
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
