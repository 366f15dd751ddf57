import { useEffect, useState } from 'preact/hooks';
import { callOperation } from '../../api.ts';

/** Pause in typing after which the server is asked. */
const DEBOUNCE_MS = 200;
const MAX_MATCHES = 50;
const NONE: ReadonlySet<string> = new Set();

/** Returns the paths of the notes that the vault's search finds for a query. Matches in names are found by the page itself. */
export function useSearchMatches(query: string): ReadonlySet<string> {
  const [found, setFound] = useState<ReadonlySet<string>>(NONE);
  useEffect(() => {
    setFound(NONE);
    if (query.trim().length < 2) return;
    const control = new AbortController();
    const timer = setTimeout(() => {
      callOperation('search', { query, limit: MAX_MATCHES, include_content: false }, { signal: control.signal }).then(
        (hits) => setFound(new Set(hits.flatMap(({ path }) => path ?? []))),
        // Matches in names remain. The search view explains what is wrong with a query.
        () => undefined,
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [query]);
  return found;
}
