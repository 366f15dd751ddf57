/** What changes have left open: links without a target yet, and keys whose files changed. */
export class Unsettled {
  readonly #keys = new Set<number>();
  /** The same keys, to take one off the end without walking over those that are gone. */
  readonly #queue: number[] = [];
  readonly #rows: number[] = [];

  get isEmpty(): boolean {
    return this.#queue.length === 0 && this.#rows.length === 0;
  }

  addKey(key: number): void {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#queue.push(key);
  }

  addRow(row: number): void {
    this.#rows.push(row);
  }

  /** One of the keys, which is settled by this. */
  takeKey(): number | undefined {
    const key = this.#queue.pop();
    if (key !== undefined) this.#keys.delete(key);
    return key;
  }

  /** Some of the links, which are settled by this. */
  takeRows(count: number): readonly number[] {
    return this.#rows.splice(-count);
  }
}
