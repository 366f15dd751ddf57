/** Maps a name to the files that have it, in insertion order; usually one. */
export class NameIndex {
  readonly #paths = new Map<string, string[]>();

  put(name: string, path: string): void {
    const paths = this.#paths.get(name);
    if (paths === undefined) this.#paths.set(name, [path]);
    else if (!paths.includes(path)) paths.push(path);
  }

  drop(name: string, path: string): void {
    const left = this.#paths.get(name)?.filter((each) => each !== path) ?? [];
    if (left.length === 0) this.#paths.delete(name);
    else this.#paths.set(name, left);
  }

  get(name: string): readonly string[] {
    return this.#paths.get(name) ?? [];
  }

  keys(): readonly string[] {
    return [...this.#paths.keys()];
  }
}
