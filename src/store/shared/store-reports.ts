import type { Log } from '../../ports.ts';
import type { StoreListener } from '../folder-store.ts';

/** Passes on to the listener of a store, and to the log, what happens in its folder. */
export class StoreReports {
  listener: Partial<StoreListener> = {};
  readonly #log: Log;
  readonly #reported = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Files were written to the folder. */
  onApplied(paths: readonly string[], warnings: readonly string[]): void {
    for (const warning of warnings) this.#report(warning);
    if (paths.length > 0) this.listener.onChanged?.(paths);
  }

  reportOnce(message: string): void {
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#report(message);
  }

  #report(message: string): void {
    this.#log.warn(message);
    this.listener.onReport?.(message);
  }
}
