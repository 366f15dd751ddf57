import type { Files } from './links/files.ts';
import type { GraphChange, NoteEntry } from './view.ts';

/** What changes between the start and the end of a batch; listeners are told of it once, at the end. */
export class Changes {
  readonly #files: Files;
  readonly #listeners = new Set<(changes: readonly GraphChange[]) => void>();
  /** What the notes that changed were before the batch. */
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

  /** A file changes now; a note is remembered as it was. */
  record(id: number): void {
    this.#version += 1;
    if (!this.#before.has(id)) this.#before.set(id, this.#files.entryOf(id));
  }

  /** Runs one or more changes; at the end of the outermost batch the listeners are called, also when a change fails. */
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
