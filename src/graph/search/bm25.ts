import type { SearchField } from './inverted/text-index.ts';

/**
 * How much a word counts in a field, and how much the length of the field takes away: the weights and the `b` of BM25F. Only lengths count
 * that the graph knows without reading the note, so that reading the notes gives the scores of the index.
 */
export const FIELD_WEIGHTS: Readonly<Record<SearchField, { readonly boost: number; readonly lengthShare: number }>> = {
  title: { boost: 6, lengthShare: 0.4 },
  aliases: { boost: 5, lengthShare: 0.3 },
  headings: { boost: 2.5, lengthShare: 0 },
  tags: { boost: 2, lengthShare: 0 },
  properties: { boost: 1, lengthShare: 0 },
  body: { boost: 1, lengthShare: 0.7 },
};

/** More occurrences of a term in a field say nothing more. */
export const MAX_COUNTED = 15;

/** How soon further occurrences of a word say nothing more: the `k1` of BM25. */
const SATURATION = 1.2;

/** How much less a longer word counts than the word asked for that it begins with. */
export function prefixWeight(lengths: { asked: number; found: number }): number {
  return (0.7 * lengths.asked) / (lengths.asked + 0.3 * (lengths.found - lengths.asked));
}

/** How much less a word counts that differs by some letters. */
export function fuzzyWeight(distance: number): number {
  return 1 / distance;
}

/** Weight of one occurrence in a field: its boost, less in a field that is longer than most. */
export function occurrenceWeight(field: SearchField, lengths: { own: number; average: number }): number {
  const { boost, lengthShare } = FIELD_WEIGHTS[field];
  return boost / (1 - lengthShare + lengthShare * (lengths.average > 0 ? lengths.own / lengths.average : 1));
}

/** Strength of a word in a note, from 0 (absent) towards 1: each further occurrence adds less. */
export function saturate(occurrences: number): number {
  return occurrences / (occurrences + SATURATION);
}

/** What a word tells, by the share of the notes that have it. */
export function inverseDocumentFrequency(counts: { having: number; all: number }): number {
  return Math.log(1 + (counts.all - counts.having + 0.5) / (counts.having + 0.5));
}

/**
 * The score of a note from 0 to 1: the strength of its words against that of a note that could not have more of them,
 * each word weighed by its rarity (BM25F over its own maximum). Notes that have all the words are in the upper half, all others in the lower.
 * Six digits, so that sums in another order are the same.
 */
export function relevance(match: { strength: number; best: number; isFull: boolean }): number {
  const share = match.best > 0 ? match.strength / match.best : 1;
  return Math.round(((match.isFull ? 1 : 0) + share) * 500_000) / 1_000_000;
}
