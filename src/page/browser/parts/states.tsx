import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PagesState } from '../use-pages.ts';
import { describeError } from './words/error-text.ts';

/** Shows that something is loading, after a short delay to avoid flicker. */
export function Loading({ what }: { readonly what: string }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 250);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p class="loading" role="status">
      {isLate ? `Loading ${what}…` : ''}
    </p>
  );
}

/** An empty state: what is missing and what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
    </section>
  );
}

/** A button that loads the next page of a list; nothing after the last one. */
export function ShowMore({ hasMore, isLoading, more }: Pick<PagesState<unknown>, 'hasMore' | 'isLoading' | 'more'>) {
  if (!hasMore) return null;
  return (
    <p>
      <button type="button" onClick={more} disabled={isLoading}>
        {isLoading ? 'Loading…' : 'Show more'}
      </button>
    </p>
  );
}

/** Shows an error and, with `reload`, a button to try again. */
export function Failure({ error, reload }: { readonly error: Error; readonly reload?: () => void }) {
  return (
    <section class="failure" role="alert">
      <p>{describeError(error)}</p>
      {reload === undefined ? null : (
        <button type="button" onClick={reload}>
          Try again
        </button>
      )}
    </section>
  );
}
