import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { callOperation } from '../../../api.ts';
import { registerCommands } from '../../../commands.ts';
import { showFailedChange } from '../../../parts/failed-change.ts';
import { Select } from '../../../parts/fields/select.tsx';
import { showToast } from '../../../parts/toast.tsx';
import { navigate, noteAddress } from '../../../router.ts';
import { canWrite } from '../../../session.ts';
import { useOperation } from '../../../use-operation.ts';
import { AskText } from './ask-text.tsx';
import { openEditor } from './open-editor.ts';

/** What the dialog for a new note begins with; null while it is closed. */
const asked = signal<{ readonly title: string; readonly from?: string } | null>(null);

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
      run: () => (asked.value = { title: '' }),
    },
  ]);
}

/** A button that asks for the title of a new note; nothing where one may not write. */
export function NewNoteButton({ isPrimary = false }: { readonly isPrimary?: boolean }) {
  if (!canWrite()) return null;
  return (
    <button type="button" class={isPrimary ? 'primary' : ''} onClick={() => (asked.value = { title: '' })}>
      New note…
    </button>
  );
}

/** Asks for the title of a new note and, where the vault has templates, for one of them. Used once on the page. */
export function NewNoteDialog() {
  if (asked.value === null) return null;
  return <OpenDialog title={asked.value.title} from={asked.value.from} />;
}

function OpenDialog({ title, from }: { readonly title: string; readonly from: string | undefined }) {
  const templates = useTemplates();
  const [template, setTemplate] = useState('');
  return (
    <AskText
      draft={`new note ${title}`}
      title="New note"
      label="Title, with a folder before it if you like"
      value={title}
      action="Create and edit"
      onSubmit={(wanted) => createNote(wanted, { from, template: template === '' ? undefined : template })}
      onClose={() => (asked.value = null)}
    >
      {templates.length === 0 ? null : (
        <label class="field">
          Template
          <Select
            label="Template"
            value={template}
            choices={[['', 'None'], ...templates.map(({ path, name }) => [path, name] as const)]}
            onChoose={setTemplate}
          />
        </label>
      )}
    </AskText>
  );
}

function useTemplates() {
  return useOperation('list_templates', {}, ({ isListChanged }) => isListChanged).value?.templates ?? [];
}

/** Where a new note begins: with a template, and in which note the link to it is. */
interface Beginning {
  readonly from?: string | undefined;
  /** The path of a template. */
  readonly template?: string | undefined;
}

/** Creates a note, or finds the one that has this name, and opens it in the editor. Throws `ApiError`. */
export async function createNote(title: string, { from, template }: Beginning = {}): Promise<void> {
  const { path, is_new: isNew } = await callOperation('create_page', {
    title,
    ...(from === undefined ? {} : { from }),
    ...(template === undefined ? {} : { template }),
  });
  // The editor is closed to the note, not to where it was created from.
  navigate(noteAddress(path));
  if (isNew) openEditor(path);
  else showToast({ text: 'There is a note of this name already. Here it is.' });
}

/** A button that creates a note, and says why if it cannot; another one for a choice of templates, if the vault has some. */
export function CreateNoteButton({ title, from, label }: { readonly title: string; readonly from?: string; readonly label: string }) {
  const templates = useTemplates();
  if (!canWrite()) return null;
  return (
    <>
      <button type="button" class="primary" onClick={() => void createNote(title, { from }).catch(showFailedChange)}>
        {label}
      </button>
      {templates.length === 0 ? null : (
        <>
          {' '}
          <button type="button" onClick={() => (asked.value = { title, ...(from === undefined ? {} : { from }) })}>
            From a template…
          </button>
        </>
      )}
    </>
  );
}
