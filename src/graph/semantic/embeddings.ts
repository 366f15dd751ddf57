import type { NotePath } from '../../note/path.ts';

/** The state of the embeddings of a vault. */
export interface EmbeddingStatus {
  /** The embedder's name, for people; `none` without one. */
  readonly provider: string;
  /** `off`: no embedder, or not wanted. `loading`: not used yet. `failed`: configured, but does not work now. */
  readonly state: 'off' | 'loading' | 'ready' | 'failed';
  /** Number of texts with a vector, and of texts that wait for one. A note has one for its beginning and one for each further passage. */
  readonly embedded: number;
  readonly waiting: number;
  /** Number of notes whose beginning has a vector, out of all that search shows. */
  readonly notes: { readonly embedded: number; readonly all: number };
  /** Number of vectors that came from the store of a shared vault, and why it has no part now; absent where the vault is not shared. */
  readonly store?: { readonly found: number; readonly problem?: string };
  /** The only language that the embedder reads; absent where it reads many. */
  readonly language?: 'en';
  /** Why the state is `off` or `failed`, or why texts wait. */
  readonly reason?: string;
}

/** A text, by its key, and how similar it is to a vector. */
export interface ScoredKey {
  readonly key: string;
  /** Cosine similarity: 1 is the same direction. */
  readonly score: number;
}

/** Texts by key, searchable by vector. A text is found here only after it was embedded; no search waits for that. */
export interface VectorCollection {
  /**
   * Sets the text of `key`. It is embedded at once where the same text was embedded before, else in the background, the newest request
   * first.
   */
  set(key: string, text: string): void;
  delete(key: string): void;
  /** Whether the text of a key has been embedded. */
  has(key: string): boolean;
  /**
   * Resolves when the text of a key is embedded, or cannot be: there is no embedder (`unavailable`), or it failed on it. Rejects only when
   * `signal` aborts.
   */
  whenSettled(key: string, signal?: AbortSignal): Promise<'embedded' | 'unavailable' | 'failed'>;
  /** Exact search: best first, ties by key. `accept` filters before the limit applies. Returns nothing for a vector of another embedder. */
  findNearest(vector: Float32Array, options: { readonly limit: number; readonly accept?: (key: string) => boolean }): ScoredKey[];
}

/** The embeddings of a vault. */
export interface Embeddings {
  status(): EmbeddingStatus;
  /** Embeds a query. Null when no embedder is ready, or not in time: callers then search by keyword. */
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array | null>;
  /** Returns the collection of a name (`notes`, `facts`, …), creating it on first use. */
  collection(name: string): VectorCollection;
}

/** How similar a note is to a vector. */
export interface SimilarNote {
  readonly path: NotePath;
  /** The mean of the cosines of its beginning and of its best passage. */
  readonly score: number;
  /** The cosine of its best passage, and the index of that. */
  readonly best: number;
  readonly at: number;
  /** Number of its passages, and of those that have a vector. */
  readonly passages: number;
  readonly embedded: number;
}

/** Notes with their similarity to a vector, in no order. */
export type ScoredNotes = readonly SimilarNote[];

/** The embeddings of notes, as search uses them. */
export interface NoteEmbeddings extends Embeddings {
  /** Resolves when the cached vectors are loaded. */
  ensureLoaded(): Promise<void>;
  /** Resolves when an embedder was chosen and its cached vectors are loaded, without causing it; never if there is none. */
  whenLoaded(): Promise<void>;
  /** Asks the store of a shared vault whether it takes part, for `status`. Never rejects. */
  checkStore(): Promise<void>;
  /** Share of the notes, 0 to 1, known to the embedder that answers queries. While embedders are exchanged, that is the previous one. */
  readonly coverage: number;
  /** Whether the beginning of a note has a vector. */
  isEmbedded(path: NotePath): boolean;
  /** Scores all embedded notes against a vector; none for a vector of another embedder. Hidden notes are left out. */
  scoreNotes(vector: Float32Array): ScoredNotes;
  /**
   * Returns the vector of a note's beginning. If it has none yet, it is embedded now, as long as `signal` allows. Null when there is none.
   */
  getNoteVector(path: NotePath, signal?: AbortSignal): Promise<Float32Array | null>;
}
