import { useEffect } from 'preact/hooks';
import type { ApiError } from '../../api.ts';
import { useOperation } from '../../use-operation.ts';
import { useSettled } from '../../use-settled.ts';
import { toArguments } from './search-options.ts';
import type { Hit, SearchOptions, SearchResults } from './search-options.ts';

const LIMIT = 24;
/** Notes of similar meaning that are listed below those with the words. */
const MAX_SIMILAR = 5;
/** Pause in typing after which notes are searched by meaning. */
const PAUSE_MS = 400;
/** How often to ask again while notes are made ready for search by meaning. */
const WAIT_MS = 3_000;

export interface SearchState {
  readonly value: SearchResults | null;
  /** Notes that have other words for the same. */
  readonly similar: readonly Hit[];
  readonly error: ApiError | null;
  readonly isLoading: boolean;
  /** Whether `value` is for the text. */
  readonly isCurrent: boolean;
  readonly reload: () => void;
}

/**
 * Searches by words as the user types. After a pause also by meaning: in place of that where the user chose so, else for a few more notes.
 */
export function useSearch(text: string, options: SearchOptions): SearchState {
  const settled = useSettled(text, PAUSE_MS);
  const isAsked = text.trim() !== '';
  const { isByMeaning } = options;
  const asked = toArguments(text, options, LIMIT);
  const isMeant = isByMeaning && settled === text;
  const { value, error, isLoading, isCurrent, reload } = useOperation(
    'suggest',
    isAsked ? { ...asked, mode: isMeant ? 'meaning' : 'words' } : null,
  );
  const wantsMore = isAsked && !isByMeaning && settled === text && options.sort === 'best' && options.offset === 0;
  const more = useOperation('suggest', wantsMore ? { ...asked, mode: 'auto' } : null);

  const isWaiting = isMeant && isCurrent && value !== null && !value.meaning.is_used && value.meaning.state !== 'off';
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(reload, WAIT_MS);
    return () => clearInterval(timer);
  }, [isWaiting, reload]);

  const hits = wantsMore && more.isCurrent && more.value?.meaning.is_used === true ? more.value.hits : [];
  const known = new Set(value?.hits.map(({ path }) => path));
  const similar = hits.filter(({ kind, path }) => kind === (options.kind ?? 'note') && !known.has(path)).slice(0, MAX_SIMILAR);
  return { value, similar, error, isLoading, isCurrent, reload };
}
