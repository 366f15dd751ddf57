import { setTimeout } from 'node:timers/promises';
import type { Machine } from '../../ports.ts';

/** How long work pauses after a call, in milliseconds, and how often in a row. */
const CALL_PAUSE_MS = 250;
const MAX_YIELDS = 8;
/** How often to check whether the machine is on mains power again. */
const BATTERY_POLL_MS = 10_000;
/** Pause between two batches while the machine is busy. */
const BUSY_PAUSE_MS = 5_000;

/** Throttles background work: it pauses for calls, on battery and on a busy machine. */
export class Throttle {
  readonly #machine: Machine;
  readonly #end = new AbortController();
  #lastCall = -Infinity;
  #reason: string | null = null;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** Why work is paused or slow now; null if it is not. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Reports a call. */
  noteCall(): void {
    this.#lastCall = performance.now();
  }

  /** Resolves to true when work may continue, to false when the throttle has been closed. */
  async waitForTurn(): Promise<boolean> {
    while (this.#machine.isOnBattery()) {
      this.#reason = 'the machine runs on battery';
      if (!(await this.wait(BATTERY_POLL_MS))) return false;
    }
    // Slow down but never stop: some machines are always busy.
    this.#reason = this.#machine.isBusy() ? 'slowly, as the machine is busy' : null;
    if (this.#reason !== null && !(await this.wait(BUSY_PAUSE_MS))) return false;
    // A caller that never pauses must not stop the work forever.
    for (let yields = 0; yields < MAX_YIELDS && performance.now() - this.#lastCall < CALL_PAUSE_MS; yields += 1)
      if (!(await this.wait(CALL_PAUSE_MS))) return false;
    return !this.#end.signal.aborted;
  }

  /** Waits; false when the throttle was closed meanwhile. Does not keep the process alive. */
  async wait(milliseconds: number): Promise<boolean> {
    try {
      await setTimeout(milliseconds, undefined, { ref: false, signal: this.#end.signal });
      return true;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#end.abort();
  }
}
