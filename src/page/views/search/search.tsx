import { usePageTitle } from '../../parts/page-title.ts';
import type { Address } from '../../router.ts';
import { SearchPanel } from './search-panel.tsx';

/** Search as one types. What is asked for is in the address. */
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
  ['rain barrel', 'notes with these words, those with both first'],
  ['"rain barrel"', 'exactly this phrase'],
  ['-winter', 'not this word'],
  ['tag:garden', 'with this tag, or one below it'],
  ['path:projects', 'in folders of this name'],
  ['type:task', 'of this type'],
  ['[status:done]', 'with this property; [due:>2026-01-01] compares'],
  ['task-todo:order', 'in tasks that are open'],
];

function Examples() {
  return (
    <table class="examples">
      <caption>What can be asked</caption>
      <tbody>
        {EXAMPLES.map(([query, finds]) => (
          <tr key={query}>
            <th scope="row">
              <a href={`/search?q=${encodeURIComponent(query)}`}>
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
