import { compareText } from '../../../note/text.ts';

/** Maps a name to the files that have it, by path; usually one. */
export class NameIndex {
  /** A path alone where there is one: a list for each would take most of the memory. */
  readonly #paths = new Map<string, string | readonly string[]>();

  put(name: string, path: string): void {
    const before = this.#paths.get(name);
    if (before === undefined) this.#paths.set(name, path);
    else if (!this.get(name).includes(path)) this.#paths.set(name, [...this.get(name), path].sort(compareText));
  }

  drop(name: string, path: string): void {
    const left = this.get(name).filter((each) => each !== path);
    if (left.length === 0) this.#paths.delete(name);
    else this.#paths.set(name, left);
  }

  get(name: string): readonly string[] {
    const paths = this.#paths.get(name) ?? [];
    return typeof paths === 'string' ? [paths] : paths;
  }

  get size(): number {
    return this.#paths.size;
  }

  keys(): readonly string[] {
    return [...this.#paths.keys()];
  }

  /** Returns the names that several files have. */
  *shared(): Generator<string> {
    for (const [name, paths] of this.#paths) if (typeof paths !== 'string' && paths.length > 1) yield name;
  }
}
