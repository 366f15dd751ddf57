import type { RankedHits, SearchDocument, TermQuery } from '../inverted/text-index.ts';

/** The notes in a stored index, by document key. */
export interface StoredNotes {
  readonly paths: readonly string[];
  readonly hashes: readonly string[];
  readonly keys: readonly number[];
}

/** A text index that runs beside its caller: in its own thread, or in slices on the same one. */
export interface SearchHost {
  /** Adds documents. Resolves when they are indexed, so that the caller can limit its pace. */
  put(documents: readonly SearchDocument[]): Promise<void>;
  remove(keys: readonly number[]): Promise<void>;
  /** Ranks after all earlier changes. */
  rank(query: TermQuery): Promise<RankedHits>;
  /**
   * Encodes the index after its packed notes, whose blocks are taken over, in pieces: each is valid until the next one is asked for.
   * Returns whether they are all of one index: not if that changed after the first one was asked for. One at a time.
   */
  save(notes: Uint8Array[]): AsyncGenerator<Uint8Array, boolean>;
  /** Loads a stored index, whose bytes may be taken over; null when it is damaged or of another version. */
  load(bytes: Uint8Array): Promise<StoredNotes | null>;
  close(): Promise<void>;
}
