/** Numbers by text key. Most keys have one number, which is then kept without a set. */
export class KeyedSets {
  readonly #sets = new Map<string, number | Set<number>>();

  add(key: string, member: number): void {
    const found = this.#sets.get(key);
    if (found === undefined) this.#sets.set(key, member);
    else if (typeof found !== 'number') found.add(member);
    else if (found !== member) this.#sets.set(key, new Set([found, member]));
  }

  remove(key: string, member: number): void {
    const found = this.#sets.get(key);
    if (found === member) this.#sets.delete(key);
    else if (typeof found === 'object') {
      found.delete(member);
      if (found.size === 0) this.#sets.delete(key);
    }
  }

  get(key: string): readonly number[] {
    const found = this.#sets.get(key);
    if (found === undefined) return [];
    return typeof found === 'number' ? [found] : [...found];
  }

  keys(): IterableIterator<string> {
    return this.#sets.keys();
  }
}
