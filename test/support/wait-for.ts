export interface WaitOptions {
  /** What is waited for, for the message of the failure. */
  readonly what?: string;
  readonly timeoutMs?: number;
}

/** Polls until the condition gives a truthy value, and gives that value; fails when the time is over. */
export async function waitFor<T>(condition: () => T | Promise<T>, options: WaitOptions = {}): Promise<NonNullable<T>> {
  const { what = 'the condition', timeoutMs = 40_000 } = options;
  const end = performance.now() + timeoutMs;
  let failure: unknown;
  for (;;) {
    try {
      const value = await condition();
      failure = undefined;
      if (value) return value;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > end) throw new Error(`${what} did not come about in ${timeoutMs} ms`, { cause: failure });
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
