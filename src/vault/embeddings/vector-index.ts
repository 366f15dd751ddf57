import { setImmediate } from 'node:timers/promises';
import { Vectors } from '../../graph/semantic/vectors.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';
import { listStoredIndexes, loadShard, removeShards, saveIndexList, saveShard, SHARD_ROWS } from './vector-cache.ts';
import type { StoredIndex } from './vector-cache.ts';

/** The contents of one file, or what it will have once saved. */
interface Part {
  readonly keys: string[];
  readonly documents: (readonly [string, readonly string[]])[];
  isDirty: boolean;
}

/** Unused vectors are retained up to this number, or to the number of used ones: a git checkout may bring their texts back. */
const MIN_UNUSED = 5_000;

/** The vectors of one embedder by the hash of their text, in memory and on disk. */
export class VectorIndex {
  readonly id: string;
  /** The texts of notes, by the hash of the note, so that a start need not read notes to find their vectors. */
  readonly documents = new Map<string, readonly string[]>();
  readonly #files: CacheFiles | null;
  readonly #newId: () => string;
  #vectors: Vectors | null = null;
  #stored: StoredIndex | null = null;
  #parts: Part[] = [];
  /** Number of files on disk that are not used any more. */
  #unusedFiles = 0;

  /** `files` null: nothing is saved. */
  constructor(id: string, files: CacheFiles | null, newId: () => string) {
    this.id = id;
    this.#files = files;
    this.#newId = newId;
  }

  get vectors(): Vectors | null {
    return this.#vectors;
  }

  get size(): number {
    return this.#vectors?.size ?? 0;
  }

  has(content: string): boolean {
    return this.#vectors?.has(content) === true;
  }

  /** Loads what is on disk and not in memory yet, yielding after each file. True where there was anything new. */
  async load(): Promise<boolean> {
    const files = this.#files;
    const stored = files === null ? undefined : listStoredIndexes(files).find(({ id }) => id === this.id);
    if (files === null || stored === undefined || (this.#vectors !== null && this.#vectors.dims !== stored.dims)) return false;
    const before = this.#stored;
    if (before?.generation === stored.generation && before.rows === stored.rows && before.files === stored.files) return false;
    this.#vectors ??= new Vectors(stored.dims);
    this.#stored = stored;
    // The last file may have grown since it was read.
    const from = before?.generation === stored.generation ? Math.max(0, before.files - 1) : 0;
    for (let number = from; number < stored.files; number += 1) {
      this.#take(files, stored, number);
      await setImmediate();
    }
    return true;
  }

  #take(files: CacheFiles, stored: StoredIndex, number: number): void {
    const shard = loadShard(files, stored, number);
    // A damaged file is written again; its texts are embedded again.
    this.#parts[number] = { keys: [...(shard?.keys ?? [])], documents: [...(shard?.documents ?? [])], isDirty: shard === null };
    for (const [at, key] of (shard?.keys ?? []).entries()) this.#vectors?.put(key, shard!.vectors[at]!);
    for (const [key, contents] of shard?.documents ?? []) this.documents.set(key, contents);
  }

  /** Adds a vector. The first one sets the dimensions; throws a RangeError for any other length. */
  add(content: string, vector: Float32Array): void {
    this.#vectors ??= new Vectors(vector.length);
    const isNew = !this.#vectors.has(content);
    this.#vectors.put(content, vector);
    if (isNew) this.#open().keys.push(content);
  }

  /** Remembers the texts of a note. */
  setDocument(document: string, contents: readonly string[]): void {
    if (this.documents.has(document)) return;
    this.documents.set(document, contents);
    this.#open().documents.push([document, contents]);
  }

  /** Deletes all vectors, after the embedder changed their length. */
  clear(): void {
    this.#vectors = null;
    this.#replaceParts([]);
  }

  /** Drops unused vectors if there are many; true if it did. */
  shrink(used: { readonly contents: ReadonlySet<string>; readonly documents: ReadonlySet<string> }): boolean {
    const vectors = this.#vectors;
    const most = Math.max(MIN_UNUSED, used.contents.size);
    if (vectors === null || vectors.size - used.contents.size <= most) return false;
    for (const content of vectors.contents()) if (!used.contents.has(content)) vectors.remove(content);
    for (const document of this.documents.keys()) if (!used.documents.has(document)) this.documents.delete(document);
    const keys = [...vectors.contents()];
    const parts: Part[] = [{ keys: keys.slice(0, SHARD_ROWS), documents: [...this.documents], isDirty: true }];
    for (let at = SHARD_ROWS; at < keys.length; at += SHARD_ROWS)
      parts.push({ keys: keys.slice(at, at + SHARD_ROWS), documents: [], isDirty: true });
    this.#replaceParts(parts);
    return true;
  }

  /** Saves what is new; rejects where that fails. */
  async save(): Promise<void> {
    const [files, vectors] = [this.#files, this.#vectors];
    if (files === null || vectors === null || !this.#parts.some(({ isDirty }) => isDirty)) return;
    const generation = this.#stored?.generation ?? this.#newId();
    for (const [number, part] of this.#parts.entries()) {
      if (!part.isDirty) continue;
      // Vectors added while the file is written make it dirty again.
      part.isDirty = false;
      await saveShard(files, { id: this.id, vectors }, { number, keys: [...part.keys], documents: [...part.documents] });
    }
    this.#stored = { id: this.id, generation, dims: vectors.dims, files: this.#parts.length, rows: vectors.size };
    await saveIndexList(files, this.#stored);
    removeShards(files, this.id, this.#stored.files, this.#unusedFiles);
    this.#unusedFiles = 0;
  }

  #open(): Part {
    let part = this.#parts.at(-1);
    if (part === undefined || part.keys.length >= SHARD_ROWS) {
      part = { keys: [], documents: [], isDirty: true };
      this.#parts.push(part);
    }
    part.isDirty = true;
    return part;
  }

  #replaceParts(parts: Part[]): void {
    this.#unusedFiles = Math.max(this.#unusedFiles, this.#stored?.files ?? 0, this.#parts.length);
    this.#parts = parts;
    this.#stored = null;
  }
}
