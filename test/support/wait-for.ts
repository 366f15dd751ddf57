export interface WaitOptions {
  /** What is waited for, for the message of the failure. */
  readonly what?: string;
  readonly timeoutMs?: number;
}

/** Pauses between two looks, a tenth of what was waited: what has not come soon comes late, and many looks take the processor from it. */
const [LEAST_PAUSE_MS, MOST_PAUSE_MS] = [15, 250];

/** Polls until the condition gives a truthy value, and gives that value; fails when the time is over. */
export async function waitFor<T>(condition: () => T | Promise<T>, options: WaitOptions = {}): Promise<NonNullable<T>> {
  const { what = 'the condition', timeoutMs = 120_000 } = options;
  const start = performance.now();
  let failure: unknown;
  for (;;) {
    try {
      const value = await condition();
      failure = undefined;
      if (value) return value;
    } catch (error) {
      failure = error;
    }
    const waitedMs = performance.now() - start;
    if (waitedMs > timeoutMs) throw new Error(`${what} did not come about in ${timeoutMs} ms`, { cause: failure });
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(waitedMs / 10, LEAST_PAUSE_MS), MOST_PAUSE_MS)));
  }
}
