import { setTimeout } from 'node:timers/promises';
import type { Machine } from '../../ports.ts';

/** How long work waits after a call, and how often in a row. */
const AFTER_CALL = 250;
const MAX_YIELDS = 8;
/** How often it is looked whether there is power again. */
const LOOK = 10_000;
/** Between two batches while it is busy. */
const BUSY_PAUSE = 5_000;

/** Lets work in the background go on when nobody is kept waiting by it. */
export class Pace {
  readonly #machine: Machine;
  readonly #end = new AbortController();
  #lastCall = -Infinity;
  #reason: string | null = null;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** Why it waits now. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Somebody asks something. */
  touch(): void {
    this.#lastCall = performance.now();
  }

  /** Resolves when work may go on, false when there will be none any more. */
  async turn(): Promise<boolean> {
    while (this.#machine.isOnBattery()) {
      this.#reason = 'the machine runs on battery';
      if (!(await this.wait(LOOK))) return false;
    }
    // Slowly, and not never: some machines are always busy.
    this.#reason = this.#machine.isBusy() ? 'slowly, as the machine is busy' : null;
    if (this.#reason !== null && !(await this.wait(BUSY_PAUSE))) return false;
    // An agent that asks without a pause does not stop it for ever.
    for (let yields = 0; yields < MAX_YIELDS && performance.now() - this.#lastCall < AFTER_CALL; yields += 1)
      if (!(await this.wait(AFTER_CALL))) return false;
    return !this.#end.signal.aborted;
  }

  /** Waits so many milliseconds; false when it was ended. Does not keep the process alive. */
  async wait(milliseconds: number): Promise<boolean> {
    try {
      await setTimeout(milliseconds, undefined, { ref: false, signal: this.#end.signal });
      return true;
    } catch {
      return false;
    }
  }

  end(): void {
    this.#end.abort();
  }
}
