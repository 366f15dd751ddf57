/** What is still to be resolved: links that have no target yet, and keys whose files changed. */
export class PendingLinks {
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

  /** One of the keys, which is pending no more. */
  takeKey(): number | undefined {
    const key = this.#queue.pop();
    if (key !== undefined) this.#keys.delete(key);
    return key;
  }

  /** Some of the links, which are pending no more. */
  takeRows(count: number): readonly number[] {
    return this.#rows.splice(-count);
  }
}
