import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { useCommands } from '../../../commands.ts';
import { Time } from '../../../parts/time.tsx';
import { address } from '../../../router.ts';
import { canWrite } from '../../../session.ts';
import type { NotePage } from '../page-shapes.ts';
import { discardDraft, readDraft } from './drafts.ts';
import { ManageNote } from './manage-note.tsx';
import { openEditor } from './open-editor.ts';

/** Offers to edit a note and its sections, and to go on with what was typed and not saved. */
export function NoteActions({ page }: { readonly page: NotePage }) {
  const { path, outline, is_utf8: isUtf8 } = page;
  const [draft, setDraft] = useState(() => readDraft(path));
  useCommands(
    [
      {
        id: 'edit-note',
        title: 'Edit this note',
        group: 'This note',
        icon: 'edit',
        keywords: 'write change text',
        keys: ['e'],
        isAvailable: () => canWrite() && isUtf8,
        run() {
          const { hash } = address.value;
          openEditor(path, outline.some(({ id }) => id === hash) ? hash : '');
        },
      },
    ],
    [path, outline, isUtf8],
  );
  if (!canWrite()) return null;
  return (
    <>
      {draft === null ? null : (
        <div class="notice edit-notice" role="status">
          <p>
            You typed into this note <Time at={new Date(draft.at).toISOString()} /> and did not save it.
          </p>
          <button type="button" onClick={() => openEditor(path)}>
            Go on editing
          </button>
          <button
            type="button"
            class="quiet-button"
            onClick={() => {
              discardDraft(path);
              setDraft(null);
            }}
          >
            Discard it
          </button>
        </div>
      )}
      <div class="note-actions no-print">
        {isUtf8 ? (
          <button type="button" onClick={() => openEditor(path)}>
            Edit
          </button>
        ) : null}
        <ManageNote page={page} />
      </div>
    </>
  );
}

/** Puts a button that edits the section into each heading of a note. They are for the mouse; the keyboard edits the section that the address names. */
export function useSectionButtons(article: RefObject<HTMLElement | null>, { path, is_utf8: isUtf8 }: NotePage): void {
  useLayoutEffect(() => {
    if (!canWrite() || !isUtf8) return;
    for (const heading of article.current?.querySelectorAll<HTMLElement>('.prose > :is(h1, h2, h3, h4, h5, h6)[id]') ?? []) {
      if (heading.querySelector('.edit-section') !== null) continue;
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'edit-section no-print';
      button.tabIndex = -1;
      button.textContent = 'Edit';
      button.setAttribute('aria-label', `Edit the section ${heading.textContent}`);
      button.addEventListener('click', () => openEditor(path, heading.id.replace(/^note-/, '')));
      heading.append(button);
    }
  });
}
