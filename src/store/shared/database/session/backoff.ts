/** The longest pause between two tries, in milliseconds. */
const MAX_MS = 15_000;
const FIRST_MS = 200;

/** Waits before the next try after so many that failed, longer each time, and never as long as another machine does; no longer than until the signal. */
export async function backOff(failures: number, random: () => number, signal: AbortSignal): Promise<void> {
  const most = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures, 10));
  await pause(most * (0.5 + random() / 2), signal);
}

/** Waits so many milliseconds, or until the signal. */
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
