import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { MarkedText } from '../parts/marked-text.tsx';
import { foldWords, splitWords } from '../../site/words.ts';
import { fileUrl } from './site-files.ts';
import { fetchSnippet, marksOf, searchSite } from './site-search.ts';
import type { SiteHit, Snippet } from './site-search.ts';

export const isSearchOpen = signal(false);

const MAX_HITS = 12;

interface Found {
  readonly query: string;
  readonly hits: readonly SiteHit[];
  readonly total: number;
  readonly hasFailed?: boolean;
}

const NOTHING: Found = { query: '', hits: [], total: 0 };

/** Opens the search with `/` and Ctrl-K. */
export function startSearchKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    const isChord = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
    if (!isChord && (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    isSearchOpen.value = true;
  });
}

/** The search of a site, as a dialog over every page. */
export function SearchDialog() {
  if (!isSearchOpen.value) return null;
  return (
    <Dialog title="Search" onClose={() => (isSearchOpen.value = false)}>
      <SearchPanel />
    </Dialog>
  );
}

function SearchPanel() {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [found, setFound] = useState(NOTHING);
  const [active, setActive] = useState(0);
  /** The text on which Enter was pressed before its notes were found. */
  const [awaited, setAwaited] = useState<string | null>(null);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    let isOver = false;
    searchSite(text).then(
      (hits) => {
        if (isOver) return;
        setFound({ query: text, hits: hits.slice(0, MAX_HITS), total: hits.length });
        setActive(0);
      },
      () => isOver || setFound({ ...NOTHING, query: text, hasFailed: true }),
    );
    return () => void (isOver = true);
  }, [text]);
  useEffect(() => document.getElementById(`hit-${active}`)?.scrollIntoView({ block: 'nearest' }), [active]);

  const { hits } = found;
  const isCurrent = found.query === text;
  const open = (hit: SiteHit | undefined): void => {
    if (hit !== undefined) location.assign(fileUrl(hit.note.file));
  };
  useEffect(() => {
    if (awaited === null || (awaited === text && !isCurrent)) return;
    setAwaited(null);
    if (awaited === text) open(hits[0]);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, hits.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0));
    else if (event.key === 'Enter' && isCurrent) open(hits[active]);
    else if (event.key === 'Enter') setAwaited(text);
    else return;
    event.preventDefault();
  };
  const isAsked = found.query.trim() !== '';
  return (
    <div class="site-search">
      <input
        ref={field}
        role="combobox"
        aria-label="Search the notes"
        aria-expanded={hits.length > 0}
        aria-controls="hits"
        aria-autocomplete="list"
        aria-activedescendant={hits.length > 0 ? `hit-${active}` : undefined}
        inputMode="search"
        enterkeyhint="search"
        placeholder="Search the notes"
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        maxLength={500}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <p class="visually-hidden" role="status">
        {isAsked ? `${found.total} found` : ''}
      </p>
      {found.hasFailed === true ? <p class="quiet">The search could not be loaded. It needs the site to be on a web server.</p> : null}
      <div role="listbox" id="hits" aria-label="Found" class="site-hits">
        {hits.map((hit, at) => (
          <Hit key={hit.note.file} hit={hit} id={`hit-${at}`} isActive={at === active} query={found.query} />
        ))}
      </div>
      {isAsked && hits.length === 0 && found.hasFailed !== true ? <p class="quiet">Nothing found.</p> : null}
      {found.total > hits.length ? <p class="quiet">and {found.total - hits.length} more; add a word to narrow it down</p> : null}
    </div>
  );
}

function Hit({
  hit: { note },
  id,
  isActive,
  query,
}: {
  readonly hit: SiteHit;
  readonly id: string;
  readonly isActive: boolean;
  readonly query: string;
}) {
  const [snippet, setSnippet] = useState<Snippet | null>(null);
  useEffect(() => {
    let isOver = false;
    // Without its page a hit has no snippet, and still leads there.
    fetchSnippet(note, query).then(
      (found) => isOver || setSnippet(found),
      () => undefined,
    );
    return () => void (isOver = true);
  }, [note.file, query]);
  const folded = foldWords(note.title);
  return (
    <a role="option" class="hit" id={id} href={fileUrl(note.file)} aria-selected={isActive} tabIndex={-1}>
      <span class="hit-head">
        <span class="hit-title" dir="auto">
          <MarkedText text={note.title} marks={folded.length === note.title.length ? marksOf(folded, splitWords(query)) : []} />
        </span>
        <span class="quiet">
          <bdi>{note.folder}</bdi>
        </span>
      </span>
      {snippet === null ? null : (
        <span class="hit-snippet" dir="auto">
          <MarkedText text={snippet.text} marks={snippet.marks} />
        </span>
      )}
    </a>
  );
}
