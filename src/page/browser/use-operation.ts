import { effect } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, callOperation, isStillReading } from './api.ts';
import { lastChange } from './live.ts';
import type { Change } from './live.ts';
import type { Arguments, OperationName, Result } from './operations.ts';
import { access } from './session.ts';

/** The result of an operation, refreshed when the vault changes. The last value stays available during a refresh. */
export interface OperationState<T> {
  readonly value: T | null;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
  /** Whether `value` or `error` belongs to the current arguments, not to previous ones. */
  readonly isCurrent: boolean;
  readonly reload: () => void;
}

/** Minimum time between two calls: the first change is shown at once, and those within this time after it share the next call. */
const SETTLE_MS = 150;
/** Delay before a call that failed with a retryable error is repeated. */
const RETRY_MS = 2000;

/**
 * Calls an operation when its arguments change, and again after each change of the vault for which `follows` returns true. Does nothing
 * while the arguments are null. Results of outdated calls are dropped.
 */
export function useOperation<Name extends OperationName>(
  operation: Name,
  args: Arguments<Name> | null,
  follows: (change: Change) => boolean = () => true,
): OperationState<Result<Name>> {
  const [state, setState] = useState<{ key: string; value: Result<Name> | null; error: ApiError | null; isLoading: boolean }>({
    key: '',
    value: null,
    error: null,
    isLoading: args !== null,
  });
  const key = args === null ? '' : `${operation} ${JSON.stringify(args)}`;
  const controller = useRef<AbortController | null>(null);
  /** Runs after the pending call: set when the vault changed in the meantime. */
  const afterCall = useRef<(() => void) | null>(null);
  const retry = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const startedAt = useRef(0);
  const follow = useRef(follows);
  follow.current = follows;

  const reload = useCallback(() => {
    controller.current?.abort();
    clearTimeout(retry.current);
    afterCall.current = null;
    if (args === null) return;
    const current = new AbortController();
    controller.current = current;
    startedAt.current = performance.now();
    setState((before) => ({ ...before, isLoading: true }));
    const onSettled = (): void => {
      controller.current = null;
      afterCall.current?.();
    };
    callOperation(operation, args, { signal: current.signal }).then(
      (value) => {
        if (current.signal.aborted) return;
        setState({ key, value, error: null, isLoading: false });
        onSettled();
      },
      (error: unknown) => {
        if (current.signal.aborted) return;
        const apiError = error instanceof ApiError ? error : new ApiError(String(error), { code: 'ERROR', status: 0 });
        // The status line says how far reading is: until all is read, the answer is on its way, and what failed before is over.
        if (isStillReading(apiError)) setState((before) => ({ ...before, error: null }));
        else setState((before) => ({ key, value: before.key === key ? before.value : null, error: apiError, isLoading: false }));
        if (apiError.isRetryable) retry.current = setTimeout(reload, RETRY_MS);
        onSettled();
      },
    );
  }, [key]);

  useEffect(() => {
    reload();
    return () => {
      controller.current?.abort();
      controller.current = null;
      clearTimeout(retry.current);
    };
  }, [reload]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let seen = lastChange.peek();
    const soon = (): void => {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          reload();
        },
        startedAt.current + SETTLE_MS - performance.now(),
      );
    };
    const stop = effect(() => {
      const change = lastChange.value;
      if (change === null || change === seen || access.peek() !== 'granted') return;
      seen = change;
      if (!follow.current(change)) return;
      // Wait for a pending call to finish: otherwise a note that changes all the time would never be shown.
      if (controller.current === null) soon();
      else afterCall.current = soon;
    });
    return () => {
      stop();
      clearTimeout(timer);
      afterCall.current = null;
    };
  }, [reload]);

  return { ...state, isCurrent: state.key === key, reload };
}
