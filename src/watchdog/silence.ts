import { HEARTBEAT_MS } from './at-work.ts';
import type { Work } from './at-work.ts';
import type { Times } from './times.ts';

/** A little more than between heartbeats, so that each check sees a new one; and while one is missed. */
const CHECK_MS = HEARTBEAT_MS + 50;
const SILENT_CHECK_MS = 250;
/** A check that is later than this is ignored: the machine slept, or the process was suspended. */
const MAX_CHECK_DELAY_MS = 1_000;

/** Where the times come from; `now` costs more than `clockMs`. */
export interface Clock {
  readonly clockMs: () => number;
  readonly now: () => Times;
}

/** What a check found. */
export interface Heard {
  /** For how many milliseconds the main thread has been blocked; 0 if it is not. */
  readonly heldMs: number;
  /** After how many milliseconds to check again. */
  readonly nextMs: number;
}

/** Tells by its heartbeats for how long the main thread has been blocked. */
export class Silence {
  readonly #clock: Clock;
  #heartbeats: number;
  /** Since when the main thread is silent. Until its first heartbeat it may still be starting. */
  #since: Times;
  #lastCheck: number;
  #nextMs = CHECK_MS;

  constructor(heartbeats: number, clock: Clock) {
    this.#clock = clock;
    this.#heartbeats = heartbeats;
    this.#since = clock.now();
    this.#lastCheck = this.#since.at;
  }

  check({ heartbeats, heard }: Pick<Work, 'heartbeats' | 'heard'>): Heard {
    const at = this.#clock.clockMs();
    const isLate = at - this.#lastCheck > this.#nextMs + MAX_CHECK_DELAY_MS;
    if (isLate || heartbeats !== this.#heartbeats) this.#since = isLate ? this.#clock.now() : heard;
    this.#lastCheck = at;
    this.#heartbeats = heartbeats;
    // A process that was suspended for less sends its heartbeat when it goes on, perhaps after this check: only the next one is sure.
    const wasMissed = this.#nextMs === SILENT_CHECK_MS;
    const isMissed = at - this.#since.at > CHECK_MS;
    this.#nextMs = isMissed ? SILENT_CHECK_MS : CHECK_MS;
    // At rest nothing more is read.
    return { heldMs: isMissed && wasMissed ? this.#held() : 0, nextMs: this.#nextMs };
  }

  #held(): number {
    const now = this.#clock.now();
    return Math.min(now.at - this.#since.at, now.own - this.#since.own);
  }
}
