import { effect } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, callOperation } from './api.ts';
import { lastChange } from './live.ts';
import type { Change } from './live.ts';
import { access } from './session.ts';

/** What an operation says, kept in step with the vault. What was said last stays while it is asked again. */
export interface OperationState<T> {
  readonly value: T | null;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
  /** What is there answers what is asked now, not what was asked before. */
  readonly isCurrent: boolean;
  readonly reload: () => void;
}

/** Changes that come this close together are answered together. */
const SETTLE_MS = 150;
/** What will be better later is asked again after so long. */
const RETRY_MS = 2000;

/**
 * Asks an operation whenever its arguments change, and again when `follows` says that a change of the vault concerns it.
 * Arguments null: nothing is asked. An answer that was overtaken by a later question is dropped.
 */
export function useOperation<T>(
  operation: string,
  args: Readonly<Record<string, unknown>> | null,
  follows: (change: Change) => boolean = () => true,
): OperationState<T> {
  const [state, setState] = useState<{ key: string; value: T | null; error: ApiError | null; isLoading: boolean }>({
    key: '',
    value: null,
    error: null,
    isLoading: args !== null,
  });
  const key = args === null ? '' : `${operation} ${JSON.stringify(args)}`;
  const control = useRef<AbortController | null>(null);
  /** What to do when the question that is under way is answered: ask again, as the vault has changed since it was put. */
  const whenAnswered = useRef<(() => void) | null>(null);
  const retry = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const follow = useRef(follows);
  follow.current = follows;

  const reload = useCallback(() => {
    control.current?.abort();
    clearTimeout(retry.current);
    whenAnswered.current = null;
    if (args === null) return;
    const current = new AbortController();
    control.current = current;
    setState((before) => ({ ...before, isLoading: true }));
    const answered = (): void => {
      control.current = null;
      whenAnswered.current?.();
    };
    callOperation<T>(operation, args, { signal: current.signal }).then(
      (value) => {
        if (current.signal.aborted) return;
        setState({ key, value, error: null, isLoading: false });
        answered();
      },
      (error: unknown) => {
        if (current.signal.aborted) return;
        const told = error instanceof ApiError ? error : new ApiError(String(error), { code: 'ERROR', status: 0 });
        setState((before) => ({ key, value: before.key === key ? before.value : null, error: told, isLoading: false }));
        if (told.isRetryable) retry.current = setTimeout(reload, RETRY_MS);
        answered();
      },
    );
  }, [key]);

  useEffect(() => {
    reload();
    return () => {
      control.current?.abort();
      control.current = null;
      clearTimeout(retry.current);
    };
  }, [reload]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let seen = lastChange.peek();
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, SETTLE_MS);
    };
    const stop = effect(() => {
      const change = lastChange.value;
      if (change === null || change === seen || access.peek() !== 'granted') return;
      seen = change;
      if (!follow.current(change)) return;
      // A question that is under way is answered first: else a note that is written all the time would never be shown.
      if (control.current === null) soon();
      else whenAnswered.current = soon;
    });
    return () => {
      stop();
      clearTimeout(timer);
      whenAnswered.current = null;
    };
  }, [reload]);

  return { ...state, isCurrent: state.key === key, reload };
}
