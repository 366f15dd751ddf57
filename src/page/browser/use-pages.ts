import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, callOperation } from './api.ts';
import { useOperation } from './use-operation.ts';
import type { Change } from './live.ts';
import type { Arguments, OperationName, Result } from './operations.ts';

/** The pages of a list, refreshed when the vault changes. */
export interface PagesState<T> {
  /** The loaded pages in order; empty until the first one arrives. */
  readonly pages: readonly T[];
  readonly error: ApiError | null;
  readonly isLoading: boolean;
  /** Whether there is a page after the last loaded one. */
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly reload: () => void;
}

const NONE = { of: null, pages: [], error: null, isLoading: false } as const;

/**
 * Calls an operation that returns pages. When the vault changes, all loaded pages are fetched again. `cursorOf` returns the cursor of the
 * next page, or undefined after the last one.
 */
export function usePages<Name extends OperationName>(
  operation: Name,
  args: Arguments<Name> | null,
  cursorOf: (page: Result<Name>) => string | undefined,
  follows?: (change: Change) => boolean,
): PagesState<Result<Name>> {
  const first = useOperation(operation, args, follows);
  const [rest, setRest] = useState<{
    readonly of: Result<Name> | null;
    readonly pages: readonly Result<Name>[];
    readonly error: ApiError | null;
    readonly isLoading: boolean;
  }>(NONE);
  const loadedCount = useRef(0);
  const controller = useRef<AbortController | null>(null);
  const key = JSON.stringify(args);
  const lastKey = useRef(key);
  if (lastKey.current !== key) {
    lastKey.current = key;
    loadedCount.current = 0;
  }

  useEffect(() => {
    const { value } = first;
    if (value === null || loadedCount.current === 0) setRest(NONE);
    else void load(value);
    return () => controller.current?.abort();
  }, [first.value]);

  const load = async (from: Result<Name>, known: readonly Result<Name>[] = []): Promise<void> => {
    controller.current?.abort();
    controller.current = new AbortController();
    const { signal } = controller.current;
    const pages = [...known];
    setRest((before) => ({ ...before, isLoading: true, error: null }));
    try {
      for (let cursor = cursorOf(pages.at(-1) ?? from); pages.length < loadedCount.current && cursor !== undefined;) {
        const page = await callOperation(operation, { ...args, cursor } as Arguments<Name>, { signal });
        pages.push(page);
        cursor = cursorOf(page);
      }
      setRest({ of: from, pages, error: null, isLoading: false });
    } catch (error) {
      if (signal.aborted) return;
      const apiError = error instanceof ApiError ? error : new ApiError(String(error), { code: 'ERROR', status: 0 });
      setRest({ of: from, pages, error: apiError, isLoading: false });
    }
  };

  const more = useCallback(() => {
    if (first.value === null) return;
    loadedCount.current = rest.pages.length + 1;
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
