import { createDotKernel, ROW_STEP } from './dot-kernel.ts';
import type { DotProducts, Memory } from './dot-kernel.ts';

const PAGE = 65_536;
/** The query vector and the products of one block are stored before the rows. */
const QUERY = 0;
const OUT = PAGE;
const ROWS = 2 * PAGE;
/** Rows per call of the kernel. */
const BLOCK = PAGE / 4;
const FIRST_ROWS = 256;

/** Maximum dimensions of a vector. */
export const MAX_DIMENSIONS = 16_384;

/**
 * Vectors of one length by the hash of their text, side by side in one memory. Adding or replacing a vector writes to its row; rows of
 * removed vectors are reused.
 */
export class Vectors {
  readonly dims: number;
  readonly #bytes: number;
  readonly #memory: Memory;
  readonly #dots: DotProducts;
  readonly #rows = new Map<string, number>();
  readonly #contents: (string | undefined)[] = [];
  readonly #free: number[] = [];
  #layout = 0;

  constructor(dims: number) {
    if (!Number.isInteger(dims) || dims < 1 || dims > MAX_DIMENSIONS) throw new RangeError(`Vectors of ${dims} numbers cannot be kept.`);
    this.dims = dims;
    this.#bytes = Math.ceil((dims * 4) / ROW_STEP) * ROW_STEP;
    ({ memory: this.#memory, dots: this.#dots } = createDotKernel(2 + Math.ceil((FIRST_ROWS * this.#bytes) / PAGE)));
  }

  /** Number of vectors. */
  get size(): number {
    return this.#rows.size;
  }

  has(content: string): boolean {
    return this.#rows.has(content);
  }

  /** Returns a copy of a vector; null where there is none. */
  get(content: string): Float32Array | null {
    const row = this.#rows.get(content);
    return row === undefined ? null : this.#view(row).slice();
  }

  /** Adds a vector. Throws a RangeError when its length is not `dims`. */
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

  /** Returns the row of a vector, -1 where there is none. Valid as long as `layout` does not change. */
  rowOf(content: string): number {
    return this.#rows.get(content) ?? -1;
  }

  /** Changes whenever rows are freed. */
  get layout(): number {
    return this.#layout;
  }

  /** Returns the dot product of a query with each row. Values of free rows are meaningless. */
  dotProducts(query: Float32Array): Float32Array {
    const products = new Float32Array(this.#contents.length);
    this.#reckon(query, (first, out) => products.set(out, first));
    return products;
  }

  /** Visits each vector with its dot product with the query. Products not above the number that the last visit returned are skipped. */
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

  /** Grows by half, so that growing is cheap overall. WebAssembly memory is mapped lazily: pages never written to cost nothing. */
  #reserve(rows: number): void {
    const missing = ROWS + rows * this.#bytes - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(Math.max(missing, (rows * this.#bytes) / 2) / PAGE));
  }
}
