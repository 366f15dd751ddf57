import type { Clause } from '../query.ts';

/** What is looked at in a note, the title first. `properties` is the YAML as it stands, so that a broken block is found too. */
export const SEARCH_FIELDS = ['title', 'aliases', 'headings', 'tags', 'properties', 'body'] as const;
export type SearchField = (typeof SEARCH_FIELDS)[number];

/** A note as the index takes it: a number for a name, and plain text. */
export type SearchDocument = { readonly key: number } & Readonly<Record<SearchField, string>>;

/** What to rank by. Documents need all of `must` and `within`, none of `without`, and any of `clauses` when there are any; `within` is not scored. */
export interface TermQuery {
  readonly clauses: readonly Clause[];
  readonly must: readonly Clause[];
  readonly within: readonly Clause[];
  readonly without: readonly Clause[];
}

/** Hits, the best first; equal scores in no order. Two parallel arrays, because they cross a thread boundary. */
export interface RankedHits {
  readonly keys: Uint32Array;
  readonly scores: Float64Array;
}

/**
 * A full-text index. The same documents give the same ranks, in whatever order they came and whatever was removed before.
 * Long work is a generator that may be dropped between two steps; ranking goes on meanwhile, but changes must not.
 */
export interface TextIndex {
  /** Documents. */
  readonly size: number;
  /** Adds a document or replaces the one with its key. */
  put(document: SearchDocument): void;
  /** Removes a document; nothing happens when there is none. */
  remove(key: number): void;
  rank(query: TermQuery): RankedHits;
  /** Whether removed documents left enough behind for `tidy` to be worth its while. */
  readonly isUntidy: boolean;
  /** Frees what removed documents left. */
  tidy(): Generator<void, void>;
  save(): Generator<void, Uint8Array>;
  /** Takes what `save` gave in place of all there is, at the last step; throws a RangeError on bytes it cannot read. */
  load(bytes: Uint8Array): Generator<void, void>;
}
