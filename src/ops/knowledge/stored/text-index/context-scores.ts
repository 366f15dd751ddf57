import { toShare } from '../../../../graph/search/bm25.ts';
import { heldWidth, holdsWord, SCORE_UNITS } from '../../../../graph/search/inverted/text-index.ts';
import type { RankedHits } from '../../../../graph/search/inverted/text-index.ts';

/** Texts next to a text. The best of their scores counts for it, with a share. */
export interface Neighbors {
  readonly keys: readonly string[];
  readonly share: number;
}

/** The weight, next to the scores, of how much of the query a text and its neighbors have together. */
const COVERAGE_WEIGHT = 0.6;

/**
 * Scores texts together with their neighbors: "She moved there in May" is found by the name in the sentence before. Fitted on
 * half of the conversations of LoCoMo (docs/benchmarks.md).
 */
export class ContextScores {
  readonly #hits: RankedHits;
  readonly #numberOf: (key: string) => number | undefined;
  /** The index of each document's hit, plus one; 0 for documents without any word. */
  readonly #places: Uint32Array;
  readonly #width: number;
  readonly #rarity: number;

  /** `documents`: all numbers of documents are below it. */
  constructor(hits: RankedHits, options: { readonly documents: number; readonly numberOf: (key: string) => number | undefined }) {
    this.#hits = hits;
    this.#numberOf = options.numberOf;
    this.#places = new Uint32Array(options.documents);
    for (let at = 0; at < hits.keys.length; at += 1) this.#places[hits.keys[at]!] = at + 1;
    this.#width = heldWidth(hits.rarities.length);
    this.#rarity = hits.rarities.reduce((sum, { rarity }) => sum + rarity, 0);
  }

  of(key: string, neighbors: readonly Neighbors[]): number {
    const coverage = new Float64Array(this.#hits.rarities.length);
    this.#cover(coverage, key, 1);
    let score = this.#own(key);
    for (const { keys, share } of neighbors) {
      score += share * keys.reduce((most, each) => Math.max(most, this.#own(each)), 0);
      for (const each of keys) this.#cover(coverage, each, share);
    }
    const covered = this.#hits.rarities.reduce((sum, { rarity }, at) => sum + rarity * (coverage[at] ?? 0), 0);
    return score + (this.#rarity > 0 ? (COVERAGE_WEIGHT * covered) / this.#rarity : 0);
  }

  #placeOf(key: string): number {
    return (this.#places[this.#numberOf(key) ?? -1] ?? 0) - 1;
  }

  #own(key: string): number {
    return toShare((this.#hits.scores[this.#placeOf(key)] ?? 0) / SCORE_UNITS).share;
  }

  #cover(coverage: Float64Array, key: string, share: number): void {
    const place = this.#placeOf(key);
    if (place < 0) return;
    for (const at of coverage.keys()) {
      if (holdsWord(this.#hits.held, this.#width, { hit: place, word: at })) coverage[at] = Math.max(coverage[at] ?? 0, share);
    }
  }
}
