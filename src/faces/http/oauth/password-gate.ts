import { setTimeout } from 'node:timers/promises';
import type { OauthFile } from '../../host.ts';

const MINUTE_MS = 60_000;
/**
 * Wrong passwords of everybody together: behind a tunnel all requests come from one address. Whoever guesses can keep the owner out while they do,
 * but not those who have access already.
 */
const MAX_WRONG_PER_MINUTE = 10;
const MAX_WAITING = 5;
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 1_000;

/** Checks the owner's password: one at a time, a limited number of wrong ones a minute, each of them answered later than the one before. */
export class PasswordGate {
  readonly #file: OauthFile;
  #wrongAt: readonly number[] = [];
  #waiting = 0;
  #wrongInARow = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: OauthFile) {
    this.#file = file;
  }

  /** The number of wrong attempts since the last right one. */
  get wrongInARow(): number {
    return this.#wrongInARow;
  }

  /** `busy`: there were too many wrong ones, and the password was not looked at. */
  async check(password: string): Promise<'right' | 'wrong' | 'busy'> {
    if (this.#waiting >= MAX_WAITING) return 'busy';
    this.#waiting += 1;
    const done = this.#last.then(() => this.#checkNow(password));
    this.#last = done.catch(() => undefined);
    try {
      return await done;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #checkNow(password: string): Promise<'right' | 'wrong' | 'busy'> {
    const since = performance.now() - MINUTE_MS;
    this.#wrongAt = this.#wrongAt.filter((at) => at > since);
    if (this.#wrongAt.length >= MAX_WRONG_PER_MINUTE) return 'busy';
    if (await this.#file.isPassword(password)) {
      this.#wrongInARow = 0;
      return 'right';
    }
    this.#wrongInARow += 1;
    this.#wrongAt = [...this.#wrongAt, performance.now()];
    await setTimeout(Math.min(MIN_DELAY_MS * 2 ** (this.#wrongInARow - 1), MAX_DELAY_MS));
    return 'wrong';
  }
}
