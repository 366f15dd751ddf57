import type { RankedHits, SearchDocument, TermQuery } from '../inverted/text-index.ts';

/** Which notes a stored index holds: by document key. */
export interface StoredNotes {
  readonly paths: readonly string[];
  readonly hashes: readonly string[];
  readonly keys: readonly number[];
}

/** A text index that works beside its caller: in a thread of its own, or in slices on the same one. */
export interface SearchHost {
  /** Adds documents; resolves when they are in, so that the caller can hold back the next ones. */
  put(documents: readonly SearchDocument[]): Promise<void>;
  remove(keys: readonly number[]): Promise<void>;
  /** Ranks after all that was put or removed before. */
  rank(query: TermQuery): Promise<RankedHits>;
  /** The stored form of the index; null when it changed too often meanwhile. */
  save(notes: StoredNotes): Promise<Uint8Array | null>;
  /** Takes a stored index; null when the bytes are damaged or of another version. */
  load(bytes: Uint8Array): Promise<StoredNotes | null>;
  close(): Promise<void>;
}
