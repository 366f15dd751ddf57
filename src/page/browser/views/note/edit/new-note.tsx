import { signal } from '@preact/signals';
import { callOperation } from '../../../api.ts';
import { registerCommands } from '../../../commands.ts';
import { showFailedChange } from '../../../parts/failed-change.ts';
import { showToast } from '../../../parts/toast.tsx';
import { navigate, noteAddress } from '../../../router.ts';
import { canWrite } from '../../../session.ts';
import { AskText } from './ask-text.tsx';
import { openEditor } from './open-editor.ts';

const isAsking = signal(false);

/** Registers the command that makes a new note from anywhere. */
export function startNewNotes(): void {
  registerCommands([
    {
      id: 'new-note',
      title: 'New note',
      group: 'Anywhere',
      icon: 'edit',
      keywords: 'create add write',
      keys: ['c'],
      isAvailable: canWrite,
      run: () => (isAsking.value = true),
    },
  ]);
}

/** A button that asks for the title of a new note; nothing where one may not write. */
export function NewNoteButton({ isPrimary = false }: { readonly isPrimary?: boolean }) {
  if (!canWrite()) return null;
  return (
    <button type="button" class={isPrimary ? 'primary' : ''} onClick={() => (isAsking.value = true)}>
      New note…
    </button>
  );
}

/** Asks for the title of a new note. Used once on the page. */
export function NewNoteDialog() {
  if (!isAsking.value) return null;
  return (
    <AskText
      title="New note"
      label="Title, with a folder before it if you like"
      value=""
      action="Create and edit"
      onSubmit={(title) => createNote(title)}
      onClose={() => (isAsking.value = false)}
    />
  );
}

/** Creates a note, or finds the one that has this name, and opens it in the editor. Throws `ApiError`. */
export async function createNote(title: string, from?: string): Promise<void> {
  const { path, is_new: isNew } = await callOperation('create_page', { title, ...(from === undefined ? {} : { from }) });
  // The editor is closed to the note, not to where it was created from.
  navigate(noteAddress(path));
  if (isNew) openEditor(path);
  else showToast({ text: 'There is a note of this name already. Here it is.' });
}

/** A button that creates a note, and says why if it cannot. */
export function CreateNoteButton({ title, from, label }: { readonly title: string; readonly from?: string; readonly label: string }) {
  if (!canWrite()) return null;
  return (
    <button type="button" class="primary" onClick={() => void createNote(title, from).catch(showFailedChange)}>
      {label}
    </button>
  );
}
