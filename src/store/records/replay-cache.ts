import type { Keys } from './keys.ts';
import type { Records } from './records.ts';

/** Answers given under idempotency keys. A repeat gets the same answer, whatever happened to the notes since. */
export interface ReplayCache {
  /** Returns the answer given under a key, or undefined. Throws `IDEMPOTENCY_MISMATCH` when the key was used for another payload. */
  find(key: string, payload: string): unknown;
  /** Saves an answer, unless it is too long. The transaction must have been recorded before. */
  save(key: string, payload: string, answer: unknown): Promise<void>;
}

/** Longest answer that is saved, in characters. */
const MAX_ANSWER_CHARACTERS = 64 * 1024;

/** Opens the replay cache. `underLock` runs a task while no other process writes. */
export function createReplayCache(
  keys: Keys,
  records: Pick<Records, 'keys'>,
  underLock: (task: () => Promise<void>) => Promise<void>,
): ReplayCache {
  return {
    find: (key, payload) => keys.find(key, payload)?.told,
    async save(key, payload, answer) {
      if (JSON.stringify(answer ?? null).length > MAX_ANSWER_CHARACTERS) return;
      await underLock(async () => {
        const first = keys.find(key, payload);
        // Not synced: the write itself is durable. If the answer is lost, a repeat gets one built from the current note.
        if (first !== null && first.told === undefined) await records.keys.append([keys.recordWithAnswer(first, answer)], false);
      });
    },
  };
}
