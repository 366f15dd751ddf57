import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure } from '../../parts/states.tsx';
import { navigate, noteAddress, withQuery } from '../../router.ts';
import type { Address } from '../../router.ts';
import { SearchFilters } from './filters.tsx';
import { Hits } from './hits.tsx';
import { arrangeHits, describeWaiting, readSearchOptions } from './search-options.ts';
import type { HitGroup, SearchResults } from './search-options.ts';
import { useSearch } from './use-search.ts';

/** A search field with its results, or `children` while it is empty. Up, down and Enter work from the field. */
export function SearchPanel({ address, children }: { readonly address: Address; readonly children?: ComponentChildren }) {
  const asked = address.query.get('q') ?? '';
  const options = readSearchOptions(address.query);
  const { offset } = options;
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(asked);
  // Stored with its query instead of being reset by an effect, which on a busy machine may run after the next key.
  const [chosen, setChosen] = useState({ at: -1, text: '', offset: 0 });
  const active = chosen.text === text && chosen.offset === offset ? chosen.at : -1;
  const setActive = (at: number): void => setChosen({ at, text, offset });
  const { value, similar, error, isLoading, isCurrent, reload } = useSearch(text, options);
  /** The query on which Enter was pressed before its results arrived. Results of an earlier query must not be opened. */
  const [awaited, setAwaited] = useState<string | null>(null);

  // Back, forward and links change the address. Read it when the effect runs, because more may have been typed since the render.
  useEffect(() => setText(queryNow()), [asked]);
  useEffect(() => {
    // Not on touch devices, where focus opens the on-screen keyboard.
    if (matchMedia('(hover: hover)').matches) field.current?.focus({ preventScroll: true });
  }, []);

  const groups = value === null ? [] : arrangeHits(value, similar);
  const choices = value === null ? [] : listChoices(value, groups);
  const open = (at: number): void => {
    const option = choices[at];
    if (option?.kind === 'query') type(option.query);
    else if (option !== undefined) navigate(noteAddress(option.path));
  };
  const type = (query: string): void => {
    setText(query);
    navigate(withQuery({ q: query, from: null }), { replace: true });
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && text !== '') type('');
    else if (event.key === 'ArrowDown') setActive(Math.min(active + 1, choices.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, -1));
    else if (event.key === 'Enter' && active >= 0) open(active);
    else if (event.key === 'Enter') setAwaited(text);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    if (awaited === null || (awaited === text && !isCurrent)) return;
    setAwaited(null);
    if (awaited === text) open(choices.findIndex(({ kind }) => kind === 'note'));
  });
  useEffect(() => {
    if (active >= 0) document.getElementById(`hit-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const isAsked = text.trim() !== '';
  return (
    <div class="search">
      <div role="search" class="search-field">
        <input
          ref={field}
          data-main
          role="combobox"
          aria-label="Search the vault"
          aria-expanded={isAsked && choices.length > 0}
          aria-controls="hits"
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 ? `hit-${active}` : undefined}
          inputMode="search"
          enterkeyhint="search"
          placeholder="Search notes, tasks and facts"
          autocomplete="off"
          spellcheck={false}
          dir="auto"
          maxLength={2000}
          value={text}
          onInput={(event: Event) => type((event.currentTarget as HTMLInputElement).value)}
          onKeyDown={onKeyDown}
        />
      </div>
      {isAsked ? (
        <>
          <SearchFilters options={options} found={value} />
          {error === null ? null : <Failure error={error} reload={reload} />}
          <p class="visually-hidden" role="status">
            {value === null || isLoading ? '' : describeCount(value, similar.length)}
          </p>
          {options.isByMeaning && value !== null ? <Waiting found={value} isAsked={isCurrent} /> : null}
          {value === null ? null : <Hits found={value} groups={groups} active={active} choose={type} isFirst={offset === 0} query={text} />}
        </>
      ) : (
        children
      )}
    </div>
  );
}

function queryNow(): string {
  return new URLSearchParams(location.search).get('q') ?? '';
}

/** Says what waits where notes could not be searched by meaning. */
function Waiting({ found, isAsked }: { readonly found: SearchResults; readonly isAsked: boolean }) {
  const text = isAsked ? describeWaiting(found) : null;
  return text === null ? null : <p class="notice">{text}</p>;
}

function describeCount({ total, files }: SearchResults, similar: number): string {
  const count = total + files.length;
  const more = similar === 0 ? '' : `, ${similar} close in meaning`;
  return `${count === 0 ? 'Nothing' : count.toLocaleString('en')} found${more}`;
}

/** Returns what the arrow keys go through, in the order in which it is shown. */
function listChoices(
  found: SearchResults,
  groups: readonly HitGroup[],
): readonly ({ readonly kind: 'query'; readonly query: string } | { readonly kind: 'note'; readonly path: string })[] {
  return [
    ...found.completions.map(({ query }) => ({ kind: 'query' as const, query })),
    ...groups.flatMap(({ hits }) => hits).map(({ path }) => ({ kind: 'note' as const, path })),
  ];
}
