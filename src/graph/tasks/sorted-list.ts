const CHUNK_LENGTH = 256;

/** A list sorted by `compare` (a total order: 0 only for the same entry). Adding and removing take logarithmic time plus one chunk. */
export class SortedList<T> {
  readonly #compare: (a: T, b: T) => number;
  /** Non-empty chunks in order, so that an insertion shifts one chunk only. */
  readonly #chunks: T[][] = [];
  #size = 0;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  add(entry: T): void {
    const at = Math.min(this.#chunkFor(entry), this.#chunks.length - 1);
    const chunk = this.#chunks[at];
    this.#size += 1;
    if (chunk === undefined) {
      this.#chunks.push([entry]);
      return;
    }
    chunk.splice(this.#position(chunk, entry), 0, entry);
    if (chunk.length > CHUNK_LENGTH * 2) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK_LENGTH));
  }

  /** Removes the entry that compares equal; false when there is none. */
  delete(entry: T): boolean {
    const at = this.#chunkFor(entry);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return false;
    const position = this.#position(chunk, entry);
    const found = chunk[position];
    if (found === undefined || this.#compare(found, entry) !== 0) return false;
    chunk.splice(position, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
    this.#size -= 1;
    return true;
  }

  /** Yields the entries in order; `isBefore` is true for entries to skip, which must be a prefix of the list. */
  *values(isBefore?: (entry: T) => boolean): IterableIterator<T> {
    for (const chunk of this.#chunks) {
      const last = chunk.at(-1);
      if (isBefore !== undefined && last !== undefined && isBefore(last)) continue;
      for (const entry of chunk) if (isBefore === undefined || !isBefore(entry)) yield entry;
    }
  }

  /** Returns the first chunk whose last entry is not before `entry`. */
  #chunkFor(entry: T): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const last = this.#chunks[middle]?.at(-1);
      if (last !== undefined && this.#compare(last, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #position(chunk: readonly T[], entry: T): number {
    let low = 0;
    let high = chunk.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = chunk[middle];
      if (found !== undefined && this.#compare(found, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
