import { errorMessage } from '../../../errors.ts';
import { HISTORY, KEYS } from '../records.ts';
import type { CompactAccess } from './compact-access.ts';
import { clearStaged, packBatches } from './compact-batches.ts';
import { packSegments } from './compact-segments.ts';

const DELAY_MS = 2_000;
const MIN_INTERVAL_MS = 10 * 60 * 1000;

/**
 * Compacts the records of a vault's older writes. The packed form is durable before the loose files are removed, and readers know both, so
 * a crash at any moment leaves every record readable. Two processes that compact at once only do some of the work twice. The writer lock is
 * held only while a finished file is renamed into place.
 */
export class Compaction {
  readonly #access: CompactAccess;
  readonly #closed = new AbortController();
  #lastRun = -Infinity;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;

  constructor(access: CompactAccess) {
    this.#access = access;
  }

  /** Schedules a compaction, unless one ran recently. Never throws. */
  soon(): void {
    const { ports } = this.#access;
    const now = ports.clock.now();
    if (this.#closed.signal.aborted || this.#timer !== null || Math.abs(now - this.#lastRun) < MIN_INTERVAL_MS) return;
    this.#lastRun = now;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.run().catch((error: unknown) => {
        if (!this.#closed.signal.aborted) ports.log.warn(`Compacting .roux/history failed: ${errorMessage(error)}`);
      });
    }, DELAY_MS);
    this.#timer.unref();
  }

  /** Compacts now; stops early when the store is closed. Rejects on a system error. */
  run(): Promise<void> {
    return (this.#running ??= this.#runOnce().finally(() => (this.#running = null)));
  }

  /** Stops and waits for a running compaction. */
  async close(): Promise<void> {
    this.#closed.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running?.catch(() => undefined);
  }

  async #runOnce(): Promise<void> {
    const { signal } = this.#closed;
    clearStaged(this.#access);
    await packBatches(this.#access, signal);
    for (const folder of [HISTORY, KEYS]) await packSegments(this.#access, folder, signal);
  }
}
