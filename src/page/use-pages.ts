import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, callOperation } from './api.ts';
import { useOperation } from './use-operation.ts';
import type { Change } from './live.ts';

/** A list that comes in pages, kept in step with the vault. */
export interface PagesState<T> {
  /** The pages that were asked for, the first one first; empty until there is one. */
  readonly pages: readonly T[];
  readonly error: ApiError | null;
  readonly isLoading: boolean;
  /** Whether there is a page behind the last one. */
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly reload: () => void;
}

/**
 * Asks an operation that answers in pages. When the vault changes, the first page is asked again, and those behind it follow as far as
 * they were open. `cursorOf`: where the next page begins; undefined behind the last one.
 */
export function usePages<T>(
  operation: string,
  args: Readonly<Record<string, unknown>> | null,
  cursorOf: (page: T) => string | undefined,
  follows?: (change: Change) => boolean,
): PagesState<T> {
  const first = useOperation<T>(operation, args, follows);
  const [rest, setRest] = useState<{
    readonly of: T | null;
    readonly pages: readonly T[];
    readonly error: ApiError | null;
    readonly isLoading: boolean;
  }>(NONE);
  const wanted = useRef(0);
  const control = useRef<AbortController | null>(null);
  const key = JSON.stringify(args);
  const lastKey = useRef(key);
  if (lastKey.current !== key) {
    lastKey.current = key;
    wanted.current = 0;
  }

  useEffect(() => {
    const { value } = first;
    if (value === null || wanted.current === 0) setRest(NONE);
    else void load(value);
    return () => control.current?.abort();
  }, [first.value]);

  const load = async (from: T, known: readonly T[] = []): Promise<void> => {
    control.current?.abort();
    control.current = new AbortController();
    const { signal } = control.current;
    const pages = [...known];
    setRest((before) => ({ ...before, isLoading: true, error: null }));
    try {
      for (let cursor = cursorOf(pages.at(-1) ?? from); pages.length < wanted.current && cursor !== undefined;) {
        const page: T = await callOperation<T>(operation, { ...args, cursor }, { signal });
        pages.push(page);
        cursor = cursorOf(page);
      }
      setRest({ of: from, pages, error: null, isLoading: false });
    } catch (error) {
      if (signal.aborted) return;
      const told = error instanceof ApiError ? error : new ApiError(String(error), { code: 'ERROR', status: 0 });
      setRest({ of: from, pages, error: told, isLoading: false });
    }
  };

  const more = useCallback(() => {
    if (first.value === null) return;
    wanted.current = rest.pages.length + 1;
    void load(first.value, rest.of === first.value ? rest.pages : []);
  }, [first.value, rest]);

  const pages = first.value === null ? [] : [first.value, ...rest.pages];
  const last = pages.at(-1);
  return {
    pages,
    error: first.error ?? rest.error,
    isLoading: first.isLoading || rest.isLoading,
    hasMore: last !== undefined && cursorOf(last) !== undefined,
    more,
    reload: first.reload,
  };
}

const NONE = { of: null, pages: [], error: null, isLoading: false } as const;
