import type { Clause } from '../query/clauses.ts';
import type { IndexTest, RankedWord } from '../query/query.ts';
import type { ByteWriter } from './byte-stream.ts';

/** The searched fields of a note, title first. `properties` is the raw YAML, so that a broken block is found too. */
export const SEARCH_FIELDS = ['title', 'aliases', 'headings', 'tags', 'properties', 'body'] as const;
export type SearchField = (typeof SEARCH_FIELDS)[number];

/** Fields whose length counts: a word in a long one weighs less. */
export const MEASURED_FIELDS = ['title', 'aliases', 'body'] as const satisfies readonly SearchField[];
export type MeasuredField = (typeof MEASURED_FIELDS)[number];

/** A note for the index: a number as its key, plain text, and field lengths in any common unit. */
export type SearchDocument = { readonly key: number; readonly lengths: Readonly<Record<MeasuredField, number>> } & Readonly<
  Record<SearchField, string>
>;

/** A query to rank. `test` may pass notes that do not match the query. */
export interface TermQuery {
  readonly words: readonly Clause[];
  readonly ranked: readonly RankedWord[];
  /** Documents with all of these words score in the upper half. */
  readonly full: readonly number[];
  readonly test: IndexTest;
}

/** How much a word of a query tells among all documents. */
export interface WordRarity {
  /** Its index in the query's list. */
  readonly word: number;
  /** Its share of the score: its inverse document frequency, times the share that the query gives it. */
  readonly rarity: number;
  /** The indexed words that were taken for it, since no document has it as it is written; empty otherwise. */
  readonly near: readonly string[];
  /** Whether no document has it, nor one of those. */
  readonly isUnknown: boolean;
}

/** Unordered hits, as parallel arrays because they cross a thread boundary. */
export interface RankedHits {
  readonly keys: Uint32Array;
  /** In millionths, to which they are rounded. */
  readonly scores: Uint32Array;
  /** Bit sets of the query's words that each hit has: `heldWidth` bytes per hit. */
  readonly held: Uint8Array;
  /** The ranked words of the query. */
  readonly rarities: readonly WordRarity[];
}

/** What scores of an index are fractions of. */
export const SCORE_UNITS = 1_000_000;

/** Returns the number of bytes for one bit per word. */
export function heldWidth(words: number): number {
  return Math.ceil(words / 8);
}

/** Returns whether a hit has a word, by the numbers of both; `width`: `heldWidth` of the query's words. */
export function holdsWord(held: Uint8Array, width: number, of: { readonly hit: number; readonly word: number }): boolean {
  return (((held[of.hit * width + (of.word >> 3)] ?? 0) >>> (of.word & 7)) & 1) === 1;
}

/**
 * A full-text index. The same documents give the same ranks, regardless of the order of changes. Long work is a generator that may be
 * dropped between two steps; ranking is allowed between steps, changes are not.
 */
export interface TextIndex {
  /** Number of documents. */
  readonly size: number;
  /** Adds a document or replaces the one with its key. */
  put(document: SearchDocument): void;
  /** Removes a document if it exists. */
  remove(key: number): void;
  rank(query: TermQuery): RankedHits;
  /** Whether removed documents left enough garbage for `tidy` to be worthwhile. */
  readonly isUntidy: boolean;
  /** Frees the garbage of removed documents. */
  tidy(): Generator<void, void>;
  /** Writes the whole index. What is written can be taken after each step. */
  save(writer: ByteWriter): Generator<void, void>;
  /** Replaces the content by the output of `save` at the last step. Throws a RangeError for invalid bytes. */
  load(bytes: Uint8Array): Generator<void, void>;
}
