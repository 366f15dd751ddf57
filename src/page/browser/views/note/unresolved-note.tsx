import { NoteLink } from '../../parts/note-link.tsx';
import type { UnresolvedPage } from './page-shapes.ts';

/** Shows a note that does not exist yet, with the notes that link to it. */
export function UnresolvedNote({ page }: { readonly page: UnresolvedPage }) {
  const { title, sources, source_count: count } = page;
  return (
    <section class="empty">
      <h1 dir="auto">{title}</h1>
      <p>No note has this name yet. {count === 1 ? 'One note links' : `${count} notes link`} to it:</p>
      <ul>
        {sources.map(({ path, title: from }) => (
          <li key={path}>
            <NoteLink path={path} title={from} />
          </li>
        ))}
      </ul>
    </section>
  );
}
