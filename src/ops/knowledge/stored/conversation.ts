import { compareText } from '../../../note/text.ts';
import type { StoredEpisode } from './shapes.ts';

/** Messages further apart belong to different conversations. */
const MAX_PAUSE_MS = 6 * 60 * 60 * 1000;

/** The messages of a group in the order in which they were said. */
export class Conversation {
  readonly #messages: StoredEpisode[] = [];

  put(message: StoredEpisode): void {
    this.#messages.splice(this.#placeOf(message), 0, message);
  }

  drop(message: StoredEpisode): void {
    const at = this.#placeOf(message);
    if (this.#messages[at]?.path === message.path) this.#messages.splice(at, 1);
  }

  /** Returns the messages right before (`step` -1) or after (`step` 1) a message, the nearest first. */
  beside(message: StoredEpisode, step: -1 | 1, count: number): readonly StoredEpisode[] {
    const found: StoredEpisode[] = [];
    const place = this.#placeOf(message);
    for (let [at, last] = [place + step, message]; found.length < count; at += step) {
      const next = this.#messages[at];
      if (next === undefined || Math.abs(Date.parse(next.referenceTime) - Date.parse(last.referenceTime)) > MAX_PAUSE_MS) break;
      found.push(next);
      last = next;
    }
    return found;
  }

  /** Returns the index of a message, or the one at which it belongs. */
  #placeOf(message: StoredEpisode): number {
    let [low, high] = [0, this.#messages.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareSaid(this.#messages[middle]!, message) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Compares episodes by when they were said, then by the order in which they were accepted. */
export function compareSaid(a: StoredEpisode, b: StoredEpisode): number {
  return (
    compareText(a.referenceTime, b.referenceTime) ||
    compareText(a.createdAt, b.createdAt) ||
    (a.ingest?.item ?? 0) - (b.ingest?.item ?? 0) ||
    compareText(a.uuid, b.uuid) ||
    compareText(a.path, b.path)
  );
}
