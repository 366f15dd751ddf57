import { compareText } from '../../note/text.ts';
import type { ScoredKey } from './embeddings.ts';

/** Collects the best few of many scored keys, in order. */
export class BestKeys {
  readonly #limit: number;
  readonly #found: ScoredKey[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Scores below this cannot get in any more. */
  get minScore(): number {
    return this.#limit <= 0 ? Infinity : this.#found.length < this.#limit ? -Infinity : (this.#found.at(-1)?.score ?? -Infinity);
  }

  /** Whether a key would be among the best found so far. */
  wouldFit(near: ScoredKey): boolean {
    if (near.score < this.minScore) return false;
    const last = this.#found.at(-1);
    return this.#found.length < this.#limit || last === undefined || compareScoredKeys(near, last) < 0;
  }

  add(near: ScoredKey): void {
    if (!this.wouldFit(near)) return;
    let [low, high] = [0, this.#found.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareScoredKeys(this.#found[middle]!, near) < 0) low = middle + 1;
      else high = middle;
    }
    this.#found.splice(low, 0, near);
    if (this.#found.length > this.#limit) this.#found.pop();
  }

  results(): ScoredKey[] {
    return this.#found;
  }
}

/** Compares by score, highest first, then by key. */
export function compareScoredKeys(a: ScoredKey, b: ScoredKey): number {
  return b.score - a.score || compareText(a.key, b.key);
}
