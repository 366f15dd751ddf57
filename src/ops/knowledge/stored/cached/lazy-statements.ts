import type { StoredStatement } from '../shapes.ts';

/** The statements of an episode, read when they are first asked for. */
export class LazyStatements {
  readonly #read: () => readonly StoredStatement[];
  #all: readonly StoredStatement[] | null = null;

  constructor(read: () => readonly StoredStatement[]) {
    this.#read = read;
  }

  get statements(): readonly StoredStatement[] {
    return (this.#all ??= this.#read());
  }
}
