import type { Files } from './links/files.ts';
import type { GraphChange, NoteEntry } from './view.ts';

/** What happens to notes between the start and the end of a batch, told once at its end. */
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

  listen(listener: (changes: readonly GraphChange[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something changes now; a note that does is remembered as it was. */
  note(id: number): void {
    this.#version += 1;
    if (!this.#before.has(id)) this.#before.set(id, this.#files.entryOf(id));
  }

  /** Run one or more changes; at the end of the outermost batch the listeners are told, also when a change fails. */
  batch(apply: () => void): void {
    this.#depth += 1;
    try {
      apply();
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) this.#tell();
    }
  }

  #tell(): void {
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
