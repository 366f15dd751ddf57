/** How to retry a call that failed for a temporary reason (S4-29). */
export interface RetryOptions {
  readonly attempts?: number;
  readonly baseMs?: number;
  readonly capMs?: number;
  /** Returns whether to retry after a failure. Default: if its `retryable` is true. */
  readonly isRetryable?: (error: unknown) => boolean;
  readonly random?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
  readonly signal?: AbortSignal;
}

/** Returns the delay before a retry: random (full jitter) up to `base * 2^retry` and the limit. `retry` counts from 0. */
export function retryDelay(
  retry: number,
  { baseMs = 250, capMs = 4000, random = Math.random }: Pick<RetryOptions, 'baseMs' | 'capMs' | 'random'> = {},
): number {
  return Math.floor(random() * Math.min(capMs, baseMs * 2 ** retry));
}

function isMarkedRetryable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true;
}

function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Calls until it succeeds, by default at most 3 times, then throws the last error. Use it in one layer only: nested retries multiply.
 */
export async function withRetry<T>(call: (attempt: number) => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { attempts = 3, isRetryable = isMarkedRetryable, wait = waitFor, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call(attempt);
    } catch (error) {
      if (attempt >= attempts || signal?.aborted === true || !isRetryable(error)) throw error;
      await wait(retryDelay(attempt - 1, options));
    }
  }
}
