import { useState } from 'preact/hooks';
import { formatCount } from '../../parts/files/count.ts';
import { MarkedText } from '../../parts/marked-text.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { NoteLink } from '../../parts/note-link.tsx';
import { searchAddress } from '../../router.ts';
import { useOperation } from '../../use-operation.ts';

/** Hits at first, and at most. */
const FIRST_HITS = 10;
const MAX_HITS = 50;
const MAX_QUERY_CHARACTERS = 2_000;

/** Shows the hits of a search that a note embeds. */
export function QueryBlock({ query }: { readonly query: string }) {
  const [limit, setLimit] = useState(FIRST_HITS);
  const isTooLong = query.length > MAX_QUERY_CHARACTERS;
  const { value, error, reload } = useOperation('suggest', query === '' || isTooLong ? null : { query, limit });
  const href = searchAddress(query);
  return (
    <section class="block query-block" aria-label={`Search: ${query}`}>
      <header class="block-head">
        <a href={href} class="block-title" dir="auto">
          {query === '' ? 'Search' : query}
        </a>
        {value === null ? null : (
          <span class="quiet">
            {value.is_lower_bound ? 'at least ' : ''}
            {formatCount(value.total, 'note')}
          </span>
        )}
      </header>
      {query === '' ? <p class="quiet">This block has no search words.</p> : null}
      {isTooLong ? (
        <p class="quiet">This search is longer than {MAX_QUERY_CHARACTERS.toLocaleString('en')} characters, so it is not run.</p>
      ) : null}
      {error === null ? null : <Failure error={error} reload={reload} />}
      {value === null && error === null && query !== '' && !isTooLong ? <Loading what="the hits" /> : null}
      {value === null || value.hits.length > 0 ? null : <p class="quiet">Nothing found.</p>}
      <ul class="query-hits">
        {(value?.hits ?? []).map(({ path, title, folder, snippet, marks }) => (
          <li key={path}>
            <NoteLink path={path} title={title} /> {folder === '' ? null : <bdi class="quiet">{folder}</bdi>}
            {snippet === '' ? null : (
              <p class="query-snippet" dir="auto">
                <MarkedText text={snippet} marks={marks} />
              </p>
            )}
          </li>
        ))}
      </ul>
      {value === null || value.total <= value.hits.length ? null : limit < MAX_HITS ? (
        <button type="button" onClick={() => setLimit(MAX_HITS)}>
          Show more
        </button>
      ) : (
        <p>
          <a href={href}>All hits</a>
        </p>
      )}
    </section>
  );
}
