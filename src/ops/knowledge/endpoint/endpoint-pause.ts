import { MAX_RETRY_AFTER_MS } from '../ingest/outcome.ts';
import type { Failure } from '../ingest/outcome.ts';

const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 300_000;

/** Pauses calls to an endpoint that is away: it cannot be reached, is overloaded, or does not answer in time (K-10). */
export class EndpointPause {
  #failures = 0;
  #until = 0;
  #reason = '';

  /** Starts a pause, twice as long as the previous one, or as long as the endpoint asks for. Returns its end in milliseconds since 1970. */
  fail({ message, retryAfterMs }: Pick<Failure, 'message' | 'retryAfterMs'>, nowMs: number): number {
    // Calls that were under way together are one failure.
    if (this.#until <= nowMs) this.#failures += 1;
    const pauseMs = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (this.#failures - 1));
    const until = nowMs + Math.max(pauseMs, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
    this.#until = Math.max(until, this.#until);
    this.#reason = message;
    return this.#until;
  }

  /** Ends the pause: the endpoint has answered. */
  succeed(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** Returns the number of calls that may be made: none during a pause, one after it, until that one was answered. */
  allowed(most: number, nowMs: number): number {
    if (this.#failures === 0) return most;
    return this.#isOver(nowMs) ? 1 : 0;
  }

  /** Returns the end of the pause in milliseconds since 1970; 0 if there is none. */
  endMs(nowMs: number): number {
    return this.#isOver(nowMs) ? 0 : this.#until;
  }

  /** Describes the pause; null if the endpoint is not away. */
  describe(): string | null {
    if (this.#failures === 0) return null;
    return `The endpoint that reads facts does not answer: ${this.#reason} Its items wait, and it is tried again at ${new Date(this.#until).toISOString()}.`;
  }

  /** A pause that ends later than any can means that the clock was set back. */
  #isOver(nowMs: number): boolean {
    return this.#until <= nowMs || this.#until > nowMs + MAX_RETRY_AFTER_MS;
  }
}
