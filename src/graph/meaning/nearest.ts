import { compareText } from '../../note/text.ts';
import type { Near } from './meaning.ts';

/** Collects the best few of many scored keys, in order. */
export class Nearest {
  readonly #limit: number;
  readonly #found: Near[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Scores below this cannot get in any more. */
  get least(): number {
    return this.#limit <= 0 ? Infinity : this.#found.length < this.#limit ? -Infinity : (this.#found.at(-1)?.score ?? -Infinity);
  }

  /** Whether a key would be among the best found so far. */
  isWanted(near: Near): boolean {
    if (near.score < this.least) return false;
    const last = this.#found.at(-1);
    return this.#found.length < this.#limit || last === undefined || compareNear(near, last) < 0;
  }

  add(near: Near): void {
    if (!this.isWanted(near)) return;
    let [low, high] = [0, this.#found.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareNear(this.#found[middle]!, near) < 0) low = middle + 1;
      else high = middle;
    }
    this.#found.splice(low, 0, near);
    if (this.#found.length > this.#limit) this.#found.pop();
  }

  found(): Near[] {
    return this.#found;
  }
}

/** Compares by score, highest first, then by key. */
export function compareNear(a: Near, b: Near): number {
  return b.score - a.score || compareText(a.key, b.key);
}
