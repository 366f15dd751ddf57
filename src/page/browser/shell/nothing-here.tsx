import { NoteLink } from '../parts/note-link.tsx';
import { usePageTitle } from '../parts/page-title.ts';
import { SearchFor } from '../parts/fields/search-for.tsx';
import { useOperation } from '../use-operation.ts';

/** Shown for an address that no view has: notes with similar names, and a field to search for them. */
export function NothingHere({ path }: { readonly path: string }) {
  const name = path.split('/').findLast((part) => part !== '') ?? '';
  const near = useOperation('missing_page', name === '' ? null : { path: name }).value?.near ?? [];
  usePageTitle('Nothing has this address');
  return (
    <section class="empty">
      <h1>Nothing has this address</h1>
      <p>
        There is nothing at <code dir="auto">{path}</code>.{' '}
        {near.length === 0 ? 'Search for what you had in mind, or go home.' : 'Did you mean one of these notes?'}
      </p>
      {near.length === 0 ? null : (
        <ul>
          {near.map(({ path: each, title }) => (
            <li key={each}>
              <NoteLink path={each} title={title} />
            </li>
          ))}
        </ul>
      )}
      <SearchFor text={name} />
      <p>
        <a class="button" href="/">
          Go to Home
        </a>
      </p>
    </section>
  );
}
