import { usePageTitle } from '../../parts/page-title.ts';
import { searchAddress } from '../../router.ts';
import type { Address } from '../../router.ts';
import { SearchPanel } from './search-panel.tsx';

/** Searches as the user types. The query is stored in the address. */
export function Search({ address }: { readonly address: Address }) {
  const query = address.query.get('q') ?? '';
  usePageTitle(query === '' ? 'Search' : `Search: ${query}`);
  return (
    <>
      <h1 class="visually-hidden">Search</h1>
      <SearchPanel address={address}>
        <Examples />
      </SearchPanel>
    </>
  );
}

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['rain barrel', 'these words; notes with both come first'],
  ['"rain barrel"', 'this exact phrase'],
  ['-winter', 'not this word'],
  ['tag:garden', 'this tag, or a nested one'],
  ['path:projects', 'folders with this name'],
  ['type:task', 'this type'],
  ['[status:done]', 'this property; [due:>2026-01-01] compares'],
  ['task-todo:order', 'open tasks'],
];

function Examples() {
  return (
    <table class="examples">
      <caption>Search syntax</caption>
      <tbody>
        {EXAMPLES.map(([query, finds]) => (
          <tr key={query}>
            <th scope="row">
              <a href={searchAddress(query)}>
                <code>{query}</code>
              </a>
            </th>
            <td>{finds}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
