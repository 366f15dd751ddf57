import type { NotePath } from '../../note/path.ts';

/** How search by meaning stands. */
export interface MeaningStatus {
  /** What turns texts into vectors, for people; `none` where nothing does. */
  readonly provider: string;
  /** `off`: there is none, or none is wanted. `loading`: not yet asked for a vector. `failed`: it is there and does not work now. */
  readonly state: 'off' | 'loading' | 'ready' | 'failed';
  /** Texts that have a vector, and those that wait for one. A note has one for its beginning, and further ones for its sections. */
  readonly embedded: number;
  readonly waiting: number;
  /** Notes whose beginning has a vector, of all that search shows. */
  readonly notes: { readonly embedded: number; readonly all: number };
  /** Why it is off, failed or waits. */
  readonly reason?: string;
}

/** A text near to a vector. */
export interface Near {
  readonly key: string;
  /** The cosine of the angle between both: 1 is the same direction. */
  readonly score: number;
}

/** Texts by key, and which of them are near to a vector. Nothing waits for a text to be embedded: until then it is not found here. */
export interface VectorSpace {
  /** Wants `text` embedded under `key`: at once where the same text was embedded before, else in the background, the newest want first. */
  set(key: string, text: string): void;
  delete(key: string): void;
  /** Embedded by now. */
  has(key: string): boolean;
  /** Resolves when the text of a key is embedded, or cannot be: there is no embedder (`unavailable`), or it failed on it. Rejects only when `signal` ends it. */
  settled(key: string, signal?: AbortSignal): Promise<'embedded' | 'unavailable' | 'failed'>;
  /** Exact: the best first, equal ones by key. `accept` is asked before the cut. Empty for a vector of another embedder. */
  nearest(vector: Float32Array, options: { readonly limit: number; readonly accept?: (key: string) => boolean }): Near[];
}

/** Search by meaning, as far as there is any. */
export interface Meaning {
  status(): MeaningStatus;
  /** The vector of a question; null when no embedder is ready, or none in time: callers go on by keyword. */
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array | null>;
  /** `notes`, `facts` …: a space by its name, made when it is first asked for. */
  space(name: string): VectorSpace;
}

/** Notes and how near they are, in no order: a cosine, and which passage is the nearest one. */
export type NearNotes = readonly { readonly path: NotePath; readonly score: number; readonly at: number }[];

/** What search over notes needs of search by meaning. */
export interface NoteMeaning extends Meaning {
  /** Resolves when what is kept is there to be searched. */
  attached(): Promise<void>;
  /** The share of the notes, 0 to 1, that are known to what answers questions: while an embedder is exchanged that is the one before. */
  readonly coverage: number;
  /** Whether the beginning of a note has a vector. */
  isEmbedded(path: NotePath): boolean;
  /** Notes that have a vector, and how near they are to one of a question or a note; none for a vector of another embedder. Hidden notes are not among them. */
  nearNotes(vector: Float32Array): NearNotes;
  /** The vector of what a note begins with; where it waits for one, it is made now where `signal` leaves time. Null when there is none. */
  vectorOf(path: NotePath, signal?: AbortSignal): Promise<Float32Array | null>;
}
