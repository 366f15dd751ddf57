import { toShare } from '../../../graph/search/bm25.ts';
import { heldWidth } from '../../../graph/search/inverted/text-index.ts';
import type { RankedHits } from '../../../graph/search/inverted/text-index.ts';

/** Texts beside a text, the best of which counts for it with a share. */
export interface Beside {
  readonly keys: readonly string[];
  readonly share: number;
}

/** What the share of the query's words counts that a text and those beside it have together, next to their scores. */
const COVERAGE_WEIGHT = 0.6;

/**
 * Scores of texts together with what is said around them: "She moved there in May" is found by the name in the sentence before. Fitted on
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
    for (const [at, number] of hits.keys.entries()) this.#places[number] = at + 1;
    this.#width = heldWidth(hits.rarities.length);
    this.#rarity = hits.rarities.reduce((sum, { rarity }) => sum + rarity, 0);
  }

  of(key: string, around: readonly Beside[]): number {
    const coverage = new Float64Array(this.#hits.rarities.length);
    this.#cover(coverage, key, 1);
    let score = this.#own(key);
    for (const { keys, share } of around) {
      score += share * Math.max(0, ...keys.map((each) => this.#own(each)));
      for (const each of keys) this.#cover(coverage, each, share);
    }
    const covered = this.#hits.rarities.reduce((sum, { rarity }, at) => sum + rarity * (coverage[at] ?? 0), 0);
    return score + (this.#rarity > 0 ? (COVERAGE_WEIGHT * covered) / this.#rarity : 0);
  }

  #placeOf(key: string): number {
    return (this.#places[this.#numberOf(key) ?? -1] ?? 0) - 1;
  }

  #own(key: string): number {
    return toShare(this.#hits.scores[this.#placeOf(key)] ?? 0).share;
  }

  #cover(coverage: Float64Array, key: string, share: number): void {
    const place = this.#placeOf(key);
    if (place < 0) return;
    for (const at of coverage.keys()) {
      const bits = this.#hits.held[place * this.#width + (at >> 5)] ?? 0;
      if (((bits >>> (at & 31)) & 1) === 1) coverage[at] = Math.max(coverage[at] ?? 0, share);
    }
  }
}
