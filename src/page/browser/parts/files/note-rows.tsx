import { folderAddress } from '../../router.ts';
import { NoteLink } from '../note-link.tsx';
import { Time } from '../time.tsx';

/** Notes with their folders and when they were edited last, a line each. */
export function NoteRows(props: {
  readonly notes: readonly { readonly path: string; readonly title: string; readonly folder: string; readonly updated: string }[];
}) {
  return (
    <ul class="note-rows">
      {props.notes.map(({ path, title, folder, updated }) => (
        <li key={path}>
          <NoteLink path={path} title={title} />
          {folder === '' ? null : (
            <a class="note-row-folder quiet" href={folderAddress(folder)} dir="auto">
              {folder}
            </a>
          )}
          <span class="note-row-time quiet">
            <Time at={updated} />
          </span>
        </li>
      ))}
    </ul>
  );
}
