import { compareText } from '../../note/text.ts';
import type { Near } from './meaning.ts';

/** The best few of many, held in order while they come. */
export class Nearest {
  readonly #limit: number;
  readonly #found: Near[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Below this score nothing is taken any more. */
  get least(): number {
    return this.#limit <= 0 ? Infinity : this.#found.length < this.#limit ? -Infinity : (this.#found.at(-1)?.score ?? -Infinity);
  }

  /** Whether it would be among the best as things stand. */
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

/** The higher score first, equal ones by key. */
export function compareNear(a: Near, b: Near): number {
  return b.score - a.score || compareText(a.key, b.key);
}
