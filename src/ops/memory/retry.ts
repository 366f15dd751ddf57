/** How a client repeats a call that failed for a passing reason (S4-29). */
export interface RetryOptions {
  readonly attempts?: number;
  readonly baseMs?: number;
  readonly capMs?: number;
  /** Whether a failure is worth another try. Default: an error whose `retryable` is true. */
  readonly isRetryable?: (error: unknown) => boolean;
  readonly random?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
  readonly signal?: AbortSignal;
}

/** The wait before a try: a random part (full jitter) of `base * 2^retry`, at most the cap. `retry` counts from 0. */
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
 * Calls until it succeeds, at most 3 times by default, and passes the last failure on.
 * Use it in one layer only: nested retries multiply.
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
