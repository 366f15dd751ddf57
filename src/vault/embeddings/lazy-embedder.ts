import { errorMessage } from '../../errors.ts';
import type { Clock, Embedder, EmbedderSource } from '../../ports.ts';

/** How long a failed embedder is left alone; doubles with each failure. */
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 600_000;

/** An embedder that is loaded on first use, and left alone for a while after a failure. */
export class LazyEmbedder {
  readonly source: EmbedderSource;
  readonly #clock: Clock;
  #opening: Promise<Embedder> | null = null;
  #failures = 0;
  #retryAt = -Infinity;
  #reason: string | null = null;

  constructor(source: EmbedderSource, clock: Clock) {
    this.source = source;
    this.#clock = clock;
  }

  get reason(): string | null {
    return this.#reason;
  }

  /** Milliseconds until the next attempt. */
  get pauseMs(): number {
    return Math.max(0, Math.min(MAX_PAUSE_MS, this.#retryAt - this.#clock.now()));
  }

  /** Returns the embedder; rejects where it cannot be loaded, or failed a moment ago. */
  async get(): Promise<Embedder> {
    if (this.pauseMs > 0) throw new Error(this.#reason ?? 'The embedder failed.');
    this.#opening ??= this.source.open();
    try {
      return await this.#opening;
    } catch (error) {
      if (this.#opening !== null) this.recordFailure(error);
      this.#opening = null;
      throw error;
    }
  }

  recordSuccess(): void {
    this.#failures = 0;
    this.#reason = null;
    this.#retryAt = -Infinity;
  }

  /** Records a failure of the embedder as a whole, not on one text. */
  recordFailure(error: unknown): void {
    this.#reason = errorMessage(error);
    this.#retryAt = this.#clock.now() + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = null;
    await opening?.then((embedder) => embedder.close()).catch(() => undefined);
  }
}
