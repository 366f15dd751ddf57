/** A multimap from text to file numbers. Most texts have one number, which is stored without a set; those of a packed graph stay as they came. */
export class IdMultimap {
  readonly #ids = new Map<string, number | Int32Array | Set<number>>();
  #shared = 0;

  /** Number of texts that have several files. */
  get shared(): number {
    return this.#shared;
  }

  /** Sets the numbers of a text that has none, without copying them. */
  fill(key: string, ids: Int32Array): void {
    if (ids.length > 1) this.#shared += 1;
    this.#ids.set(key, ids.length === 1 ? (ids[0] ?? 0) : ids);
  }

  add(key: string, id: number): void {
    const found = this.#setOf(key);
    if (found === undefined) this.#ids.set(key, id);
    else if (typeof found !== 'number') {
      if (found.size === 1 && !found.has(id)) this.#shared += 1;
      found.add(id);
    } else if (found !== id) {
      this.#shared += 1;
      this.#ids.set(key, new Set([found, id]));
    }
  }

  remove(key: string, id: number): void {
    const found = this.#setOf(key);
    if (found === id) this.#ids.delete(key);
    else if (typeof found === 'object') {
      if (found.delete(id) && found.size === 1) this.#shared -= 1;
      if (found.size === 0) this.#ids.delete(key);
    }
  }

  get(key: string): readonly number[] {
    const found = this.#ids.get(key);
    if (found === undefined) return [];
    return typeof found === 'number' ? [found] : [...found];
  }

  /** Returns a test for the present numbers of a text. */
  test(key: string): (id: number) => boolean {
    const found = this.#setOf(key);
    return typeof found === 'object' ? (id) => found.has(id) : (id) => id === found;
  }

  keys(): IterableIterator<string> {
    return this.#ids.keys();
  }

  /** Returns the numbers of a text in the form in which they are changed and tested. */
  #setOf(key: string): number | Set<number> | undefined {
    const found = this.#ids.get(key);
    if (!(found instanceof Int32Array)) return found;
    const ids = new Set(found);
    this.#ids.set(key, ids);
    return ids;
  }
}
