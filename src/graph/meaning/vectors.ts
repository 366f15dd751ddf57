import { openDots, ROW_STEP } from './dot-kernel.ts';
import type { Dots, Memory } from './dot-kernel.ts';

const PAGE = 65_536;
/** The vector that is asked about, and the products of one block, stand before the rows. */
const QUERY = 0;
const OUT = PAGE;
const ROWS = 2 * PAGE;
/** Rows whose products are reckoned at one go. */
const BLOCK = PAGE / 4;
const FIRST_ROWS = 256;

/** Longest vector that can be kept. */
export const MAX_DIMS = 16_384;

/**
 * Vectors of one length by the hash of what they stand for, side by side in one memory. Adding or replacing one is a write into its slot.
 * Rows are numbers; those of removed vectors are used again.
 */
export class Vectors {
  readonly dims: number;
  readonly #bytes: number;
  readonly #memory: Memory;
  readonly #dots: Dots;
  readonly #rows = new Map<string, number>();
  readonly #contents: (string | undefined)[] = [];
  readonly #free: number[] = [];
  #layout = 0;

  constructor(dims: number) {
    if (!Number.isInteger(dims) || dims < 1 || dims > MAX_DIMS) throw new RangeError(`Vectors of ${dims} numbers cannot be kept.`);
    this.dims = dims;
    this.#bytes = Math.ceil((dims * 4) / ROW_STEP) * ROW_STEP;
    ({ memory: this.#memory, dots: this.#dots } = openDots(2 + Math.ceil((FIRST_ROWS * this.#bytes) / PAGE)));
  }

  /** Vectors that are kept. */
  get size(): number {
    return this.#rows.size;
  }

  has(content: string): boolean {
    return this.#rows.has(content);
  }

  /** A copy of a vector; null where there is none. */
  get(content: string): Float32Array | null {
    const row = this.#rows.get(content);
    return row === undefined ? null : this.#view(row).slice();
  }

  /** Keeps a vector; of another length than `dims` it is refused. */
  put(content: string, vector: Float32Array): void {
    if (vector.length !== this.dims) throw new RangeError(`A vector of ${vector.length} numbers is not one of ${this.dims}.`);
    const row = this.#rows.get(content) ?? this.#free.pop() ?? this.#contents.length;
    this.#reserve(row + 1);
    this.#rows.set(content, row);
    this.#contents[row] = content;
    this.#view(row).set(vector);
  }

  remove(content: string): void {
    const row = this.#rows.get(content);
    if (row === undefined) return;
    this.#rows.delete(content);
    this.#contents[row] = undefined;
    this.#free.push(row);
    this.#layout += 1;
  }

  contents(): IterableIterator<string> {
    return this.#rows.keys();
  }

  /** The row of a vector, -1 where there is none; it stays the same as long as `layout` does. */
  rowOf(content: string): number {
    return this.#rows.get(content) ?? -1;
  }

  /** Another number whenever rows were given up. */
  get layout(): number {
    return this.#layout;
  }

  /** The scalar product with each row; those of rows that were given up mean nothing. */
  products(query: Float32Array): Float32Array {
    const products = new Float32Array(this.#contents.length);
    this.#reckon(query, (first, out) => products.set(out, first));
    return products;
  }

  /** Visits vectors with their scalar product with the one that is asked about; what is not above the number that a visit gave last is passed over. */
  scan(query: Float32Array, visit: (content: string, score: number) => number): void {
    let least = -Infinity;
    this.#reckon(query, (first, out) => {
      for (let at = 0; at < out.length; at += 1) {
        const score = out[at]!;
        if (score < least) continue;
        const content = this.#contents[first + at];
        if (content !== undefined) least = visit(content, score);
      }
    });
  }

  #reckon(query: Float32Array, take: (first: number, out: Float32Array) => void): void {
    if (query.length !== this.dims)
      throw new RangeError(`A vector of ${query.length} numbers cannot be compared with ones of ${this.dims}.`);
    new Float32Array(this.#memory.buffer, QUERY, this.#bytes / 4).fill(0).set(query);
    for (let first = 0; first < this.#contents.length; first += BLOCK) {
      const count = Math.min(BLOCK, this.#contents.length - first);
      this.#dots(ROWS + first * this.#bytes, QUERY, OUT, count, this.#bytes);
      take(first, new Float32Array(this.#memory.buffer, OUT, count));
    }
  }

  #view(row: number): Float32Array {
    return new Float32Array(this.#memory.buffer, ROWS + row * this.#bytes, this.dims);
  }

  /** Half as much again, so that growing costs little in all. Memory of WebAssembly is mapped: what is not written to takes none. */
  #reserve(rows: number): void {
    const missing = ROWS + rows * this.#bytes - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(Math.max(missing, (rows * this.#bytes) / 2) / PAGE));
  }
}
