/** A multimap from text to file numbers. Most texts have one number, which is stored without a set. */
export class IdMultimap {
  readonly #ids = new Map<string, number | Set<number>>();

  add(key: string, id: number): void {
    const found = this.#ids.get(key);
    if (found === undefined) this.#ids.set(key, id);
    else if (typeof found !== 'number') found.add(id);
    else if (found !== id) this.#ids.set(key, new Set([found, id]));
  }

  remove(key: string, id: number): void {
    const found = this.#ids.get(key);
    if (found === id) this.#ids.delete(key);
    else if (typeof found === 'object') {
      found.delete(id);
      if (found.size === 0) this.#ids.delete(key);
    }
  }

  get(key: string): readonly number[] {
    const found = this.#ids.get(key);
    if (found === undefined) return [];
    return typeof found === 'number' ? [found] : [...found];
  }

  keys(): IterableIterator<string> {
    return this.#ids.keys();
  }
}
