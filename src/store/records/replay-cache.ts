import type { Keys } from './keys.ts';
import type { Records } from './records.ts';

/** What callers were told under idempotency keys: a repeat is told the same, whatever became of the notes. */
export interface ReplayCache {
  /** What was told under this key, or undefined. Throws `IDEMPOTENCY_MISMATCH` where the key came with another payload. */
  find(key: string, payload: string): unknown;
  /** Keeps it beside what the transaction came to; an answer that is very long is not kept. */
  keep(key: string, payload: string, answer: unknown): Promise<void>;
}

/** Longer answers, in characters, are not kept for repeats. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** The answers beside these keys. `underLock`: runs a task while no other process writes. */
export function openReplayCache(
  keys: Keys,
  records: Pick<Records, 'keys'>,
  underLock: (task: () => Promise<void>) => Promise<void>,
): ReplayCache {
  return {
    find: (key, payload) => keys.find(key, payload)?.told,
    async keep(key, payload, answer) {
      if (JSON.stringify(answer ?? null).length > MAX_ANSWER_BYTES) return;
      await underLock(async () => {
        const first = keys.find(key, payload);
        // Not synced: the write itself is on the disk, and where this is lost a repeat is told how the note is then.
        if (first !== null && first.told === undefined) await records.keys.append([keys.recordTold(first, answer)], false);
      });
    },
  };
}
