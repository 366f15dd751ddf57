const MINUTE_MS = 60_000;
/** So many callers are counted at once; those who were not seen for longest are forgotten. */
const MAX_CALLERS = 10_000;

/** So many a minute for each caller: what was not used comes back bit by bit, so that a burst is let through and a loop is not. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #callers = new Map<string, { left: number; at: number }>();

  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Counts one; false when the caller has had all of a minute. */
  take(caller: string): boolean {
    const at = this.#now();
    const known = this.#callers.get(caller);
    const back = known === undefined ? 0 : ((at - known.at) / MINUTE_MS) * this.#perMinute;
    const left = known === undefined ? this.#perMinute : Math.min(this.#perMinute, known.left + back);
    this.#callers.delete(caller);
    this.#callers.set(caller, { left: left >= 1 ? left - 1 : left, at });
    if (this.#callers.size > MAX_CALLERS) {
      const [oldest = caller] = this.#callers.keys();
      this.#callers.delete(oldest);
    }
    return left >= 1;
  }
}
