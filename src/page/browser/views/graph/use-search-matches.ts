import { useMemo } from 'preact/hooks';
import { useOperation } from '../../use-operation.ts';
import { useSettled } from '../../use-settled.ts';

/** Pause in typing after which the server is asked. Names are found at once, by the page itself. */
const PAUSE_MS = 120;
const NONE: ReadonlyMap<string, number> = new Map();

/** The notes that have the words of a query. */
export interface SearchMatches {
  /** Their paths with their places in the order of the search, the best first. */
  readonly ranks: ReadonlyMap<string, number>;
  /** Whether they are those of the query, not of an earlier one. */
  readonly isCurrent: boolean;
}

/** Finds the notes that have the words of a query, in their text too, as the search does. */
export function useSearchMatches(query: string): SearchMatches {
  const asked = useSettled(query, PAUSE_MS);
  const isAsked = asked.trim() !== '';
  const { value, error, isCurrent } = useOperation('find_words', isAsked ? { query: asked } : null);
  const ranks = useMemo(() => new Map(value?.paths.map((path, rank) => [path, rank] as const)), [value]);
  const isKnown = !isAsked || isCurrent || error !== null;
  return { ranks: query.trim() === '' || !isAsked ? NONE : ranks, isCurrent: asked === query && isKnown };
}
