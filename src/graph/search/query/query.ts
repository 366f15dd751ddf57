import type { Clause } from './clauses.ts';

/** A part of a note that must contain all words. */
export type NotePart = 'content' | 'line' | 'block' | 'section' | 'task' | 'task-todo' | 'task-done';

/** A test of a property value. Comparisons are with a number or a date, depending on the text. */
export type PropertyValueTest =
  | { readonly kind: 'equals'; readonly value: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'compare'; readonly by: '<' | '<=' | '>' | '>='; readonly value: string };

/** A condition on a note. Words are indexes into the query's list. */
export type Test =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Test[] }
  | { readonly kind: 'not'; readonly of: Test }
  | { readonly kind: 'word'; readonly word: number }
  | { readonly kind: 'phrase'; readonly text: string; readonly words: readonly number[] }
  | { readonly kind: 'file' | 'path' | 'tag' | 'type'; readonly value: string }
  /** `values` null: the property is there, whatever it holds. `words`: those of the key. */
  | {
      readonly kind: 'property';
      readonly key: string;
      readonly values: readonly PropertyValueTest[] | null;
      readonly words: readonly number[];
    }
  | { readonly kind: 'part'; readonly part: NotePart; readonly of: Test };

/** A condition that the index can decide by itself: on words, and on pairs of adjacent words (`pairsOf`) that a note may have. */
export type IndexTest =
  | { readonly kind: 'all' | 'any'; readonly of: readonly IndexTest[] }
  | { readonly kind: 'not'; readonly of: IndexTest }
  | { readonly kind: 'word'; readonly word: number }
  | { readonly kind: 'pairs'; readonly pairs: readonly number[] };

/** A word that counts for the score: its rarity times `share`. */
export interface RankedWord {
  readonly word: number;
  readonly share: number;
}

export interface SearchQuery {
  /** All words of the query, without duplicates. */
  readonly words: readonly Clause[];
  readonly test: Test;
  /** The test without free words, for notes that are not found by their words. */
  readonly must: Test;
  /** The words and phrases without operators. */
  readonly plainTexts: string;
  readonly ranked: readonly RankedWord[];
  /** Words that a full match has; any of them is enough for a match. */
  readonly full: readonly number[];
  /** Words and phrases that snippets show. */
  readonly shown: { readonly words: readonly number[]; readonly literals: readonly string[] };
  /** Whether the query has neither words nor operators. */
  readonly isBlank: boolean;
  /** Parts of the query that may be misunderstood. */
  readonly warnings: readonly string[];
}

/** Matches every note. */
export const ANY_NOTE: Test = { kind: 'all', of: [] };
