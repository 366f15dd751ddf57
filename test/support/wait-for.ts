export interface WaitOptions {
  /** What is waited for, for the message of the failure. */
  readonly what?: string;
  readonly timeoutMs?: number;
}

/** Pauses between two looks: what has not come soon comes late, and many looks at it take the processor from what it waits for. */
const [PAUSE_MS, LATER_PAUSE_MS, SOON_MS] = [15, 50, 500];

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
    await new Promise((resolve) => setTimeout(resolve, waitedMs < SOON_MS ? PAUSE_MS : LATER_PAUSE_MS));
  }
}
