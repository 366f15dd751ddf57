import { OWNER } from '../guard.ts';

/**
 * Tracks how much of a resource each token uses. The owner has `max` for itself; all other tokens together have the same, and each of them
 * at most half of it. So no token can starve the owner or all other tokens.
 */
export class TokenShares {
  readonly #max: number;
  readonly #used = new Map<string, number>();
  #usedByOthers = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Reserves an amount for a token. Returns a function that releases it, or null if the token would exceed its share. */
  take(token: string, amount: number = 1): (() => void) | null {
    const used = this.#usedBy(token);
    if (used + amount > this.#maxFor(token)) return null;
    const isOwner = token === OWNER.name;
    if (!isOwner && this.#usedByOthers + amount > this.#max) return null;
    this.#add(token, amount);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(token, -amount);
      isTaken = false;
    };
  }

  /** Whether a token that `take` refused may evict something of another one: its own, or another token's while it uses less than half. */
  mayDisplace(token: string, holder: string): boolean {
    if (token === holder) return true;
    return token !== OWNER.name && holder !== OWNER.name && this.#usedBy(token) < this.#maxFor(token);
  }

  #usedBy(token: string): number {
    return this.#used.get(token) ?? 0;
  }

  #maxFor(token: string): number {
    return token === OWNER.name ? this.#max : Math.ceil(this.#max / 2);
  }

  #add(token: string, amount: number): void {
    const used = this.#usedBy(token) + amount;
    if (used === 0) this.#used.delete(token);
    else this.#used.set(token, used);
    if (token !== OWNER.name) this.#usedByOthers += amount;
  }
}
