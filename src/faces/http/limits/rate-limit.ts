const MINUTE_MS = 60_000;
/** Beyond this number of callers, the least recently seen one is forgotten. */
const MAX_CALLERS = 10_000;

/** A token bucket for each caller: a burst of up to a minute's requests is allowed, a steady excess is not. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #callers = new Map<string, { left: number; at: number }>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Counts one request; false if the caller has exceeded its rate. */
  take(caller: string): boolean {
    const at = performance.now();
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
