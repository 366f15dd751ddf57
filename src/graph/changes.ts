import type { Files } from './links/files.ts';
import type { GraphChange, NoteEntry } from './view.ts';

/** Collects the changes of a batch; listeners are called once, at the end. */
export class Changes {
  readonly #files: Files;
  readonly #listeners = new Set<(changes: readonly GraphChange[]) => void>();
  /** Changed notes as before the batch. */
  readonly #before = new Map<number, NoteEntry | null>();
  #depth = 0;
  #version = 0;

  constructor(files: Files) {
    this.#files = files;
  }

  get version(): number {
    return this.#version;
  }

  subscribe(listener: (changes: readonly GraphChange[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Records the present state of a file that is about to change. */
  record(id: number): void {
    this.#version += 1;
    if (!this.#before.has(id)) this.#before.set(id, this.#files.entryOf(id));
  }

  /** Runs changes. At the end of the outermost batch listeners are called, even when a change throws. */
  batch(change: () => void): void {
    this.#depth += 1;
    try {
      change();
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) this.#notify();
    }
  }

  #notify(): void {
    const changes: GraphChange[] = [];
    for (const [id, before] of this.#before) {
      const after = this.#files.entryOf(id);
      if (before !== null || after !== null) changes.push({ before, after });
    }
    this.#before.clear();
    this.#files.recycle();
    if (changes.length > 0) for (const listener of this.#listeners) listener(changes);
  }
}
