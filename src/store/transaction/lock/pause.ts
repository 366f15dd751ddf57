import { RouxError } from '../../../errors.ts';

/** Pauses of a waiter before its next attempt, by round. Each is multiplied by 0.5 to 1.5. */
const PAUSES_MS = [1, 2, 4, 8];
const MAX_PAUSE_MS = 12;

/** Waits before the next attempt. `chance`: a random number from 0 to 1, so that waiters do not all try at once. */
export function pause(round: number, chance: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      (PAUSES_MS[round] ?? MAX_PAUSE_MS) * (0.5 + chance),
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Returns the error for a lock that another process held for too long. */
export function lockTimeout(timeoutMs: number): RouxError {
  return new RouxError(
    'LOCK_TIMEOUT',
    `Another process has been writing to this vault for ${timeoutMs} ms; try again.`,
    { timeout_ms: timeoutMs },
    { retryable: true },
  );
}
