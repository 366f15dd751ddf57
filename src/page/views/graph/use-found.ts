import { useEffect, useState } from 'preact/hooks';
import { ask } from '../../api.ts';

/** A pause in typing after which the server is asked too. */
const PAUSE_MS = 200;
const MOST = 50;
const NONE: ReadonlySet<string> = new Set();

/** Paths of notes that the search of the vault finds for a text, operators and all; what has it in its name the page finds by itself. */
export function useFound(query: string): ReadonlySet<string> {
  const [found, setFound] = useState<ReadonlySet<string>>(NONE);
  useEffect(() => {
    setFound(NONE);
    if (query.trim().length < 2) return;
    const control = new AbortController();
    const timer = setTimeout(() => {
      ask<readonly { readonly path?: string }[]>('search', { query, limit: MOST, include_content: false }, { signal: control.signal }).then(
        (hits) => setFound(new Set(hits.flatMap(({ path }) => path ?? []))),
        // Names are still found; what is wrong with a query the search view tells.
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [query]);
  return found;
}
