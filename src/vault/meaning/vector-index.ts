import { setImmediate } from 'node:timers/promises';
import { Vectors } from '../../graph/meaning/vectors.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';
import { listStored, loadShard, removeShards, saveHead, saveShard, SHARD_ROWS } from './vector-cache.ts';
import type { StoredIndex } from './vector-cache.ts';

/** What is in a file, or will be when it is written. */
interface Part {
  readonly keys: string[];
  readonly documents: (readonly [string, readonly string[]])[];
  isDirty: boolean;
}

/** The vectors of one embedder by the hashes of their texts, in memory and on the disk. */
export class VectorIndex {
  readonly id: string;
  /** The texts of notes, by the hash of a note: a start need not read them to know which vectors are theirs. */
  readonly documents = new Map<string, readonly string[]>();
  readonly #files: CacheFiles | null;
  readonly #newId: () => string;
  #vectors: Vectors | null = null;
  #stored: StoredIndex | null = null;
  #parts: Part[] = [];
  /** Files of the disk that are in no part any more. */
  #spare = 0;

  /** `files` null: nothing is kept. */
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

  /** Takes what is on the disk and not here yet, file by file, so that others have their turn. True where there was anything. */
  async load(): Promise<boolean> {
    const files = this.#files;
    const stored = files === null ? undefined : listStored(files).find(({ id }) => id === this.id);
    if (files === null || stored === undefined || (this.#vectors !== null && this.#vectors.dims !== stored.dims)) return false;
    const before = this.#stored;
    if (before?.generation === stored.generation && before.rows === stored.rows && before.files === stored.files) return false;
    this.#vectors ??= new Vectors(stored.dims);
    this.#stored = stored;
    // The last file that was read may have grown since.
    const from = before?.generation === stored.generation ? Math.max(0, before.files - 1) : 0;
    for (let number = from; number < stored.files; number += 1) {
      this.#take(files, stored, number);
      await setImmediate();
    }
    return true;
  }

  #take(files: CacheFiles, stored: StoredIndex, number: number): void {
    const shard = loadShard(files, stored, number);
    // One that is damaged is written anew: what it held waits again.
    this.#parts[number] = { keys: [...(shard?.keys ?? [])], documents: [...(shard?.documents ?? [])], isDirty: shard === null };
    for (const [at, key] of (shard?.keys ?? []).entries()) this.#vectors?.put(key, shard!.vectors[at]!);
    for (const [key, contents] of shard?.documents ?? []) this.documents.set(key, contents);
  }

  /** A vector was made. The first one says how long all are; another length is a RangeError. */
  add(content: string, vector: Float32Array): void {
    this.#vectors ??= new Vectors(vector.length);
    const isNew = !this.#vectors.has(content);
    this.#vectors.put(content, vector);
    if (isNew) this.#open().keys.push(content);
  }

  /** The texts of a note are known. */
  describe(document: string, contents: readonly string[]): void {
    if (this.documents.has(document)) return;
    this.documents.set(document, contents);
    this.#open().documents.push([document, contents]);
  }

  /** Forgets all, as the embedder of this id gives vectors of another length now. */
  clear(): void {
    this.#vectors = null;
    this.#startAnew([]);
  }

  /** Keeps only what is used, or the little that is not; true where there was much. */
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
    this.#startAnew(parts);
    return true;
  }

  /** Writes what is new; rejects where the disk does not take it. */
  async save(): Promise<void> {
    const [files, vectors] = [this.#files, this.#vectors];
    if (files === null || vectors === null || !this.#parts.some(({ isDirty }) => isDirty)) return;
    const generation = this.#stored?.generation ?? this.#newId();
    for (const [number, part] of this.#parts.entries()) {
      if (!part.isDirty) continue;
      // What comes while it is written makes it dirty again.
      part.isDirty = false;
      await saveShard(files, { id: this.id, vectors }, { number, keys: [...part.keys], documents: [...part.documents] });
    }
    this.#stored = { id: this.id, generation, dims: vectors.dims, files: this.#parts.length, rows: vectors.size };
    await saveHead(files, this.#stored);
    removeShards(files, this.id, this.#stored.files, this.#spare);
    this.#spare = 0;
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

  #startAnew(parts: Part[]): void {
    this.#spare = Math.max(this.#spare, this.#stored?.files ?? 0, this.#parts.length);
    this.#parts = parts;
    this.#stored = null;
  }
}

/** Vectors that nobody wants are kept up to so many, or as many as are wanted: a branch of git may bring their texts back. */
const MIN_UNUSED = 5_000;
