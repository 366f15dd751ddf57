/** If more than one cell in this many was written, clearing all at once is quicker than one by one. */
const FILLED_SHARE = 16;

/**
 * A sparse number per document, 0 by default. The arrays are reused between queries and only written cells are cleared, so that a query
 * costs what it finds.
 */
export class Weights {
  #values = new Float64Array(0);
  #ids = new Uint32Array(64);
  #count = 0;

  /** The documents with a number, in insertion order. */
  get ids(): Uint32Array {
    return this.#ids.subarray(0, this.#count);
  }

  get count(): number {
    return this.#count;
  }

  get(id: number): number {
    return this.#values[id] ?? 0;
  }

  /** Sets a number above 0. */
  set(id: number, value: number): void {
    if (this.#values[id] === 0) this.#touch(id);
    this.#values[id] = value;
  }

  scale(share: number): void {
    for (const id of this.ids) this.#values[id] = (this.#values[id] ?? 0) * share;
  }

  clear(end: number): void {
    if (this.#values.length < end) this.#values = new Float64Array(Math.max(end, 2 * this.#values.length));
    else if (this.#count > end / FILLED_SHARE) this.#values.fill(0);
    else for (const id of this.ids) this.#values[id] = 0;
    this.#count = 0;
  }

  #touch(id: number): void {
    if (this.#count === this.#ids.length) {
      const ids = new Uint32Array(2 * this.#ids.length);
      ids.set(this.#ids);
      this.#ids = ids;
    }
    this.#ids[this.#count] = id;
    this.#count += 1;
  }
}

/** `Weights` kept between two queries. */
const MAX_POOLED = 16;

/** Reuses `Weights` between queries. */
export class WeightsPool {
  #free: Weights[] = [];
  #lent: Weights[] = [];

  /** Returns empty weights for documents below `end`. */
  take(end: number): Weights {
    const weights = this.#free.pop() ?? new Weights();
    weights.clear(end);
    this.#lent.push(weights);
    return weights;
  }

  /** Releases all weights after a query. */
  takeBack(): void {
    this.#free = [...this.#free, ...this.#lent].slice(0, MAX_POOLED);
    this.#lent = [];
  }
}
