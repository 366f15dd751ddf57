import type { Result } from '../../operations.ts';
import { NoteLink } from '../note-link.tsx';
import { formatCount } from './count.ts';

/** The notes that use a file. */
export function UsedIn({ file: { sources, source_count: count } }: { readonly file: Result<'file_page'> }) {
  return (
    <section class="note-section" aria-labelledby="used-in">
      <h2 id="used-in">{count === 0 ? 'No note uses this file' : `Used in ${formatCount(count, 'note')}`}</h2>
      <ul>
        {sources.map((source) => (
          <li key={source.path}>
            <NoteLink path={source.path} title={source.title} />
          </li>
        ))}
      </ul>
      {count > sources.length ? <p class="quiet">and {formatCount(count - sources.length, 'more', 'more')}</p> : null}
    </section>
  );
}
