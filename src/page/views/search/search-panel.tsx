import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useOperation } from '../../use-operation.ts';
import { Failure } from '../../parts/states.tsx';
import { navigate, noteAddress, withQuery } from '../../router.ts';
import type { Address } from '../../router.ts';
import { Hits } from './hits.tsx';
import type { SearchResults } from './hits.tsx';

const LIMIT = 24;
/** Typed for one with a list of the browser's own. */
const COMBOBOX = { role: 'combobox' } as { readonly role?: never };

/** The search field with what it finds below it; with nothing in it, the children. Up, down and Enter work from the field. */
export function SearchPanel({ address, children }: { readonly address: Address; readonly children?: ComponentChildren }) {
  const asked = address.query.get('q') ?? '';
  const offset = Number(address.query.get('from') ?? '0') || 0;
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(asked);
  // Of this query alone, and not set back by an effect: on a busy machine that may run after the next key.
  const [chosen, setChosen] = useState({ at: -1, text: '', offset: 0 });
  const active = chosen.text === text && chosen.offset === offset ? chosen.at : -1;
  const setActive = (at: number): void => setChosen({ at, text, offset });
  const asking = text.trim() === '' ? null : { query: text, limit: LIMIT, offset };
  const { value, error, isLoading, isCurrent, reload } = useOperation<SearchResults>('suggest', asking);
  /** What Enter was pressed on before the answer came: what was found for other words is not what is meant. */
  const [awaited, setAwaited] = useState<string | null>(null);

  // Back, forward and links change the address. It is read when the effect runs: on a busy machine more was typed since it was rendered.
  useEffect(() => setText(queryNow()), [asked]);
  useEffect(() => {
    // Where keys are: a field with the cursor in it would open the keyboard of a phone.
    if (matchMedia('(hover: hover)').matches) field.current?.focus({ preventScroll: true });
  }, []);

  const options = value === null ? [] : listOptions(value);
  const open = (at: number): void => {
    const option = options[at];
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
    else if (event.key === 'ArrowDown') setActive(Math.min(active + 1, options.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, -1));
    else if (event.key === 'Enter' && active >= 0) open(active);
    else if (event.key === 'Enter') setAwaited(text);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    if (awaited === null || (awaited === text && !isCurrent)) return;
    setAwaited(null);
    if (awaited === text) open(options.findIndex(({ kind }) => kind === 'note'));
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
          type="text"
          {...COMBOBOX}
          aria-label="Search the vault"
          aria-expanded={isAsked && options.length > 0}
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
          {error === null ? null : <Failure error={error} reload={reload} />}
          <p class="visually-hidden" role="status">
            {value === null || isLoading ? '' : `${value.hits.length === 0 ? 'Nothing' : value.total} found`}
          </p>
          {value === null ? null : <Hits found={value} active={active} choose={type} isFirst={offset === 0} query={text} />}
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

/** What the arrow keys walk through, in the order in which it is shown. */
function listOptions(
  found: SearchResults,
): readonly ({ readonly kind: 'query'; readonly query: string } | { readonly kind: 'note'; readonly path: string })[] {
  return [
    ...found.completions.map(({ query }) => ({ kind: 'query' as const, query })),
    ...groupHits(found).map(({ path }) => ({ kind: 'note' as const, path })),
  ];
}

/** The hits with those of one kind together, the kind of the best hit first. */
export function groupHits({ hits }: SearchResults): SearchResults['hits'] {
  const kinds = [...new Set(hits.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => hits.filter((hit) => hit.kind === kind));
}
