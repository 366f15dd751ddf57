import { useOperation } from '../../use-operation.ts';
import { Icon } from '../../parts/icon.tsx';
import { NoteLink } from '../../parts/note-link.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { withQuery } from '../../router.ts';
import type { Address } from '../../router.ts';
import { NewNoteButton } from './edit/new-note.tsx';

/** Lists the notes and subfolders of a folder. */
export function NoteList({ address }: { readonly address: Address }) {
  const folder = address.query.get('folder') ?? '';
  const offset = Number(address.query.get('from') ?? '0') || 0;
  const { value, error, reload } = useOperation('list_folder', { folder, offset }, ({ isListChanged }) => isListChanged);
  const name = folder === '' ? 'Notes' : folder.replace(/^.*\//, '');
  usePageTitle(name);
  const above = folder.includes('/') ? folder.replace(/\/[^/]*$/, '') : '';
  if (value === null) return error === null ? <Loading what="the notes" /> : <Failure error={error} reload={reload} />;
  const isEmpty = value.folders.length === 0 && value.notes.length === 0;
  return (
    <section class="note-list">
      {folder === '' ? null : (
        <p class="note-folder" dir="auto">
          <a href={withQuery({ folder: above, from: null })}>{above === '' ? 'All notes' : above}</a>
        </p>
      )}
      <header class="note-list-head">
        <h1 dir="auto">{name}</h1>
        <NewNoteButton isPrimary={isEmpty} />
      </header>
      {isEmpty ? (
        <Empty title="No notes here">{folder === '' ? 'Write the first one here or in any editor.' : 'This folder has no notes.'}</Empty>
      ) : null}
      {value.folders.length === 0 ? null : (
        <ul class="folders">
          {value.folders.map(({ path, notes }) => (
            <li key={path}>
              <a href={withQuery({ folder: path, from: null })}>
                <Icon name="folder" />
                <bdi>{path.replace(/^.*\//, '')}</bdi>
                <span class="quiet">{notes.toLocaleString('en')}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      <ul class="notes">
        {value.notes.map(({ path, title, type }) => (
          <li key={path}>
            <NoteLink path={path} title={title} /> {type === null ? null : <span class="quiet">{type}</span>}
          </li>
        ))}
      </ul>
      <p class="pages">
        {offset === 0 ? null : (
          <a class="button" href={withQuery({ from: null })}>
            First page
          </a>
        )}
        {value.next_offset === undefined ? null : (
          <a class="button" href={withQuery({ from: String(value.next_offset) })}>
            Next page
          </a>
        )}
      </p>
    </section>
  );
}
