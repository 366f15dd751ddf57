import { setTimeout } from 'node:timers/promises';
import type { Machine } from '../../ports.ts';

/** How long work pauses after a call, in milliseconds, and how often in a row. */
const CALL_PAUSE_MS = 250;
const MAX_YIELDS = 8;
/** How often to check whether the machine is on mains power again. */
const BATTERY_POLL_MS = 10_000;
/**
 * How long work rests after a batch, as a multiple of the CPU time that the batch took: it has a little less than a quarter of a core, since
 * what it leaves behind is cleared away while it rests, and a tenth while the machine is busy. By CPU time, which does not grow with the load
 * as elapsed time does, so that work never stands still.
 */
const REST = 3.6;
const BUSY_REST = 9;
const MAX_REST_MS = 600_000;

/** Throttles background work: it pauses for calls, on battery and on a busy machine. */
export class Throttle {
  readonly #machine: Machine;
  readonly #cpuMs: () => number;
  readonly #end = new AbortController();
  #rest = new AbortController();
  #lastCall = -Infinity;
  #reason: string | null = null;
  /** The CPU time of this process when the present work began. */
  #begun = 0;

  /** `cpuMs`: the CPU time of this process so far, of all its threads. */
  constructor(machine: Machine, cpuMs: () => number = processCpu) {
    this.#machine = machine;
    this.#cpuMs = cpuMs;
  }

  /** Why work is paused or slow now; null if it is not. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Reports a call. */
  noteCall(): void {
    this.#lastCall = performance.now();
  }

  /**
   * Resolves to true when work may continue, to false when the throttle has been closed. Work gives way to calls, except to one that waits
   * for it. What this process does from then on counts as work until `rest`.
   */
  async waitForTurn(isAwaited: () => boolean = () => false): Promise<boolean> {
    while (this.#machine.isOnBattery()) {
      this.#reason = 'the machine runs on battery';
      if (!(await this.wait(BATTERY_POLL_MS))) return false;
    }
    this.#reason = this.#machine.isBusy() ? 'slowly, as the machine is busy' : null;
    // A caller that never pauses must not stop the work forever.
    for (let yields = 0; yields < MAX_YIELDS && !isAwaited() && performance.now() - this.#lastCall < CALL_PAUSE_MS; yields += 1)
      if (!(await this.wait(CALL_PAUSE_MS))) return false;
    this.#begun = this.#cpuMs();
    return !this.#end.signal.aborted;
  }

  /** Returns how long to rest after work that took this much CPU time in other processes of this machine. */
  restMs(elsewhereMs: number): number {
    const worked = this.#cpuMs() - this.#begun + elsewhereMs;
    return Math.min(MAX_REST_MS, worked * (this.#machine.isBusy() ? BUSY_REST : REST));
  }

  /** Rests after such work, until `wake`. */
  async rest(elsewhereMs: number): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#rest = new AbortController();
    await this.wait(this.restMs(elsewhereMs), this.#rest.signal);
  }

  /** Ends the present rest, since a caller waits. */
  wake(): void {
    this.#rest.abort();
  }

  /** Waits; false when the throttle was closed or the signal aborted meanwhile. Does not keep the process alive. */
  async wait(milliseconds: number, signal: AbortSignal = this.#end.signal): Promise<boolean> {
    try {
      await setTimeout(milliseconds, undefined, { ref: false, signal });
      return true;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#end.abort();
    this.#rest.abort();
  }
}

function processCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
