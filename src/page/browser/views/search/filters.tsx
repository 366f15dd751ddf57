import { useId, useState } from 'preact/hooks';
import { Select } from '../../parts/fields/select.tsx';
import { navigate, withQuery } from '../../router.ts';
import { FILTERS, KINDS } from './search-options.ts';
import type { SearchOptions, SearchResults } from './search-options.ts';

type Facets = SearchResults['facets'];

const SINCE: readonly (readonly [string, string])[] = [
  ['', 'Any time'],
  ['1', 'Last 24 hours'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
  ['365', 'Last year'],
];
const SORT: readonly (readonly [string, string])[] = [
  ['', 'Best first'],
  ['changed', 'Changed last'],
  ['title', 'Title'],
];

/** Words or meaning, kinds of hits, filters and the order. Each choice goes into the address. */
export function SearchFilters({ options, found }: { readonly options: SearchOptions; readonly found: SearchResults | null }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const set = (name: string, value: string): void => navigate(withQuery({ [name]: value, from: null }), { replace: true });
  const active = [options.folder, options.tag, options.type, options.since].filter((value) => value !== null).length;
  const isNarrowed = active > 0 || options.kind !== null;
  return (
    <div class="search-filters" data-open={isOpen}>
      <div class="search-choices">
        <div class="segments" role="group" aria-label="Search by">
          {([false, true] as const).map((isByMeaning) => (
            <button
              key={String(isByMeaning)}
              type="button"
              aria-pressed={options.isByMeaning === isByMeaning}
              onClick={() => set('mode', isByMeaning ? 'meaning' : '')}
            >
              {isByMeaning ? 'Meaning' : 'Words'}
            </button>
          ))}
        </div>
        {found === null ? null : <Kinds counts={found.counts} chosen={options.kind} onChoose={(kind) => set('kind', kind)} />}
        <button type="button" class="narrow-only" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          Filter and sort{active > 0 ? ` (${active})` : ''}
        </button>
      </div>
      <div class="search-selects" id={id}>
        <FacetSelect
          label="Folder"
          all="All folders"
          value={options.folder}
          facets={found?.facets.folders}
          onChoose={(to) => set('folder', to)}
        />
        <FacetSelect label="Tag" all="All tags" value={options.tag} facets={found?.facets.tags} onChoose={(to) => set('tag', to)} />
        <FacetSelect label="Type" all="All types" value={options.type} facets={found?.facets.types} onChoose={(to) => set('type', to)} />
        <Select
          label="Changed"
          value={String(options.since ?? '')}
          choices={withValue(SINCE, options.since)}
          onChoose={(to) => set('since', to)}
        />
        <Select label="Sort" value={options.sort === 'best' ? '' : options.sort} choices={SORT} onChoose={(to) => set('sort', to)} />
        {isNarrowed ? (
          <a class="button" href={withQuery({ ...Object.fromEntries(FILTERS.map((name) => [name, null])), from: null })}>
            Clear filters
          </a>
        ) : null}
      </div>
    </div>
  );
}

/** The kinds that were found. With one kind alone there is nothing to choose. */
function Kinds(props: {
  readonly counts: SearchResults['counts'];
  readonly chosen: SearchOptions['kind'];
  readonly onChoose: (kind: string) => void;
}) {
  const { counts, chosen, onChoose } = props;
  const kinds = KINDS.filter(([kind]) => counts[kind] > 0 || kind === chosen);
  if (kinds.length < 2 && chosen === null) return null;
  return (
    <div class="segments" role="group" aria-label="Show">
      {[['', 'All'] as const, ...kinds].map(([kind, label]) => (
        <button key={kind} type="button" aria-pressed={(chosen ?? '') === kind} onClick={() => onChoose(kind)}>
          {label}
          {kind === '' ? null : <span class="quiet"> {counts[kind].toLocaleString('en')}</span>}
        </button>
      ))}
    </div>
  );
}

/** A filter by what the hits have. Without hits that differ there is nothing to choose. */
function FacetSelect(props: {
  readonly label: string;
  readonly all: string;
  readonly value: string | null;
  readonly facets: Facets['folders'] | undefined;
  readonly onChoose: (value: string) => void;
}) {
  const { label, all, value, facets = [], onChoose } = props;
  if (value === null && facets.length === 0) return null;
  const listed = facets.some(({ name }) => name === value) || value === null ? facets : [{ name: value, count: null }, ...facets];
  const choices = listed.map(({ name, count }) => [name, count === null ? name : `${name} (${count.toLocaleString('en')})`] as const);
  return <Select label={label} value={value ?? ''} choices={[['', all], ...choices]} onChoose={onChoose} />;
}

/** Adds a number of days from the address that is not among the choices. */
function withValue(choices: typeof SINCE, since: number | null): typeof SINCE {
  if (since === null || choices.some(([value]) => value === String(since))) return choices;
  return [...choices, [String(since), `Last ${since} days`]];
}
