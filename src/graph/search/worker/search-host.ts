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
  /** Encodes the index after its packed notes, whose blocks may be taken over. Returns blocks; null when it changed too often meanwhile. */
  save(notes: readonly Uint8Array[]): Promise<readonly Uint8Array[] | null>;
  /** Loads a stored index, whose bytes may be taken over; null when it is damaged or of another version. */
  load(bytes: Uint8Array): Promise<StoredNotes | null>;
  close(): Promise<void>;
}
