/** Links to resolve: single ones without a target, and those of keys whose files changed. */
export class PendingLinks {
  readonly #keys = new Set<number>();
  /** The same keys as a stack, to pop one without scanning removed ones. */
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

  /** Removes and returns one of the keys. */
  takeKey(): number | undefined {
    const key = this.#queue.pop();
    if (key !== undefined) this.#keys.delete(key);
    return key;
  }

  /** Removes and returns some of the links. */
  takeRows(count: number): readonly number[] {
    return this.#rows.splice(-count);
  }
}
