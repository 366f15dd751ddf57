const MAX_PAUSE_MS = 15_000;
const FIRST_PAUSE_MS = 200;

/** Waits before the next attempt, longer after each failure, or until the signal aborts. The pause is random, so that machines do not retry at once. */
export async function backOff(failures: number, random: () => number, signal: AbortSignal): Promise<void> {
  const most = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
  await pause(most * (0.5 + random() / 2), signal);
}

/** Waits for this time, or until the signal aborts. Does not reject. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
