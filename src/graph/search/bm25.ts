import type { SearchField } from './inverted/text-index.ts';

/**
 * Weight of a word in a field, and the influence of the field's length: the weights and `b` of BM25F. Only lengths that the graph knows
 * without reading count, so that scanning gives the index's scores.
 */
export const FIELD_WEIGHTS: Readonly<Record<SearchField, { readonly boost: number; readonly lengthShare: number }>> = {
  title: { boost: 6, lengthShare: 0.4 },
  aliases: { boost: 5, lengthShare: 0.3 },
  headings: { boost: 2.5, lengthShare: 0 },
  tags: { boost: 2, lengthShare: 0 },
  properties: { boost: 1, lengthShare: 0 },
  body: { boost: 1, lengthShare: 0.7 },
};

/** Occurrences of a term in a field beyond this are ignored. */
export const MAX_COUNTED = 15;

/** Saturation of repeated words: the `k1` of BM25. */
const SATURATION = 1.2;

/** Returns the weight of a longer word that starts with the requested one. */
export function prefixWeight(lengths: { asked: number; found: number }): number {
  return (0.7 * lengths.asked) / (lengths.asked + 0.3 * (lengths.found - lengths.asked));
}

/** Returns the weight of a word that differs by some letters. */
export function fuzzyWeight(distance: number): number {
  return 1 / distance;
}

/** Returns the weight of one occurrence in a field: its boost, reduced in long fields. */
export function occurrenceWeight(field: SearchField, lengths: { own: number; average: number }): number {
  const { boost, lengthShare } = FIELD_WEIGHTS[field];
  return boost / (1 - lengthShare + lengthShare * (lengths.average > 0 ? lengths.own / lengths.average : 1));
}

/** Returns the strength of a word in a note, from 0 (absent) towards 1 with diminishing returns. */
export function saturate(occurrences: number): number {
  return occurrences / (occurrences + SATURATION);
}

/** Returns the weight of a word's rarity among all notes. */
export function inverseDocumentFrequency(counts: { having: number; all: number }): number {
  return Math.log(1 + (counts.all - counts.having + 0.5) / (counts.having + 0.5));
}

/** Fitted with the weights of `graph/semantic/fusion.ts`. */
const CONFIDENCE = { always: -2.57, share: 8.3 };

/** Returns how likely a note with this score answers the query, where no other has a better one; 0 to 1. */
export function confidenceByWords(best: number): number {
  return best <= 0 ? 0 : Math.round(1_000_000 / (1 + Math.exp(-CONFIDENCE.always - CONFIDENCE.share * toShare(best).share))) / 1_000_000;
}

/** Returns what `relevance` made a score of. */
export function toShare(score: number): { readonly share: number; readonly isFull: boolean } {
  return score >= 0.5 ? { share: 2 * score - 1, isFull: true } : { share: 2 * score, isFull: false };
}

/**
 * Returns the score of a note from 0 to 1: the strength of its words relative to the maximum, weighted by rarity (BM25F over its own
 * maximum). Full matches are in the upper half, others in the lower. Rounded to six digits, so that the order of summation does not matter.
 */
export function relevance(match: { strength: number; best: number; isFull: boolean }): number {
  const share = match.best > 0 ? match.strength / match.best : 1;
  return Math.round(((match.isFull ? 1 : 0) + share) * 500_000) / 1_000_000;
}
