/**
 * A number for some of the documents, 0 for all others. Room for every document is kept from query to query, and only what was written is
 * cleared, so that a query costs what it finds and not what there is.
 */
export class Weights {
  #values = new Float64Array(0);
  #ids = new Uint32Array(64);
  #count = 0;

  /** The documents that have a number, in the order they came, each once. */
  get ids(): Uint32Array {
    return this.#ids.subarray(0, this.#count);
  }

  get count(): number {
    return this.#count;
  }

  get(id: number): number {
    return this.#values[id] ?? 0;
  }

  /** A number above 0. */
  set(id: number, value: number): void {
    if (this.#values[id] === 0) this.#touch(id);
    this.#values[id] = value;
  }

  scale(share: number): void {
    for (const id of this.ids) this.#values[id] = (this.#values[id] ?? 0) * share;
  }

  clear(end: number): void {
    if (this.#values.length < end) this.#values = new Float64Array(Math.max(end, 2 * this.#values.length));
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

/** Most rooms that are kept between two queries. */
const MAX_KEPT = 16;

/** Lends `Weights` to one query after another. */
export class WeightsPool {
  #free: Weights[] = [];
  #lent: Weights[] = [];

  /** Empty weights for documents below `end`. */
  take(end: number): Weights {
    const weights = this.#free.pop() ?? new Weights();
    weights.clear(end);
    this.#lent.push(weights);
    return weights;
  }

  /** The query is answered: what it was lent may be lent anew. */
  takeBack(): void {
    this.#free = [...this.#free, ...this.#lent].slice(0, MAX_KEPT);
    this.#lent = [];
  }
}
