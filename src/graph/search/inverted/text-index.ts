import type { Clause } from '../query/clauses.ts';
import type { IndexTest, RankedWord } from '../query/query.ts';

/** What is looked at in a note, the title first. `properties` is the YAML as it stands, so that a broken block is found too. */
export const SEARCH_FIELDS = ['title', 'aliases', 'headings', 'tags', 'properties', 'body'] as const;
export type SearchField = (typeof SEARCH_FIELDS)[number];

/** The fields whose length counts: a word in a long one says less. */
export const MEASURED_FIELDS = ['title', 'aliases', 'body'] as const satisfies readonly SearchField[];
export type MeasuredField = (typeof MEASURED_FIELDS)[number];

/** A note as the index takes it: a number for a name, plain text, and how long it is beside others, in any unit that all of them share. */
export type SearchDocument = { readonly key: number; readonly lengths: Readonly<Record<MeasuredField, number>> } & Readonly<
  Record<SearchField, string>
>;

/** What to rank by. `test` may let notes through that the query does not want. */
export interface TermQuery {
  readonly words: readonly Clause[];
  readonly ranked: readonly RankedWord[];
  /** Documents that have all of these are in the upper half. */
  readonly full: readonly number[];
  readonly test: IndexTest;
}

/** Hits in no order. Parallel arrays, because they cross a thread boundary. */
export interface RankedHits {
  readonly keys: Uint32Array;
  readonly scores: Float64Array;
  /** Which words of the query each has: a bit a word, `heldWidth` numbers a hit. */
  readonly held: Uint32Array;
}

/** How many numbers hold a bit for each of so many words. */
export function heldWidth(words: number): number {
  return Math.ceil(words / 32);
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
