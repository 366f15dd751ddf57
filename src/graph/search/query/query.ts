import type { Clause } from './clauses.ts';

/** A part of a note that words must stand in together. */
export type NotePart = 'content' | 'line' | 'block' | 'section' | 'task' | 'task-todo' | 'task-done';

/** One value that a property may have. A comparison is with a number or a date, as the text of both says. */
export type PropertyValueTest =
  | { readonly kind: 'equals'; readonly value: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'compare'; readonly by: '<' | '<=' | '>' | '>='; readonly value: string };

/** What a note must be. Words are numbers into the list of the query. */
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

/** What the index can tell of a note by itself: which words it has, and which pairs of words side by side (`pairsOf`) it may have. */
export type IndexTest =
  | { readonly kind: 'all' | 'any'; readonly of: readonly IndexTest[] }
  | { readonly kind: 'not'; readonly of: IndexTest }
  | { readonly kind: 'word'; readonly word: number }
  | { readonly kind: 'pairs'; readonly pairs: readonly number[] };

/** A word that counts for the score of a note, as much as its rarity times `share`. */
export interface RankedWord {
  readonly word: number;
  readonly share: number;
}

/** A query as read. */
export interface SearchQuery {
  /** Every word that it names anywhere, each once. */
  readonly words: readonly Clause[];
  readonly test: Test;
  /** What of the test is no free word: what has to hold for a note that is found otherwise than by its words. */
  readonly must: Test;
  /** The words and phrases that are asked for, without operators: what the query says. */
  readonly said: string;
  readonly ranked: readonly RankedWord[];
  /** Words that a note has all of when it answers the query fully; any of them is enough to be in the answer. */
  readonly full: readonly number[];
  /** What a snippet shows: words that were asked for, and phrases. */
  readonly shown: { readonly words: readonly number[]; readonly literals: readonly string[] };
  /** Neither words nor operators: marks only. */
  readonly isBlank: boolean;
  /** What of the query was read otherwise than it may be meant. */
  readonly warnings: readonly string[];
}

/** A test that every note passes. */
export const ANY_NOTE: Test = { kind: 'all', of: [] };
