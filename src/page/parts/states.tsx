import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api.ts';

/** Shown while something is fetched; not at once, since what comes at once needs no word. */
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

/** What to do where there is nothing yet. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
    </section>
  );
}

/** What went wrong, in the server's words, and a way to try again. */
export function Failure({ error, reload }: { readonly error: Error; readonly reload?: () => void }) {
  const isGone = error instanceof ApiError && error.code === 'UNREACHABLE';
  return (
    <section class="failure" role="alert">
      <p>{isGone ? 'The server cannot be reached. The page reconnects by itself.' : error.message}</p>
      {reload === undefined ? null : (
        <button type="button" onClick={reload}>
          Try again
        </button>
      )}
    </section>
  );
}
