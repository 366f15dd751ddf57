import { useState } from 'preact/hooks';
import { callOperation } from '../../../api.ts';
import { useCommands } from '../../../commands.ts';
import { confirm } from '../../../parts/dialog.tsx';
import { showFailedChange } from '../../../parts/failed-change.ts';
import { navigate, noteAddress } from '../../../router.ts';
import { canWrite } from '../../../session.ts';
import type { NotePage } from '../page-shapes.ts';
import { AskText } from './ask-text.tsx';
import { discardDraft } from './drafts.ts';
import { offerUndo } from './offer-undo.ts';

/** Buttons that rename, move and delete a note. Each change can be undone. */
export function ManageNote({ page }: { readonly page: NotePage }) {
  const [asking, setAsking] = useState<'rename' | 'move' | null>(null);
  const { path, title, folder } = page;
  const remove = (): void => void deleteNote(page);
  const own = { group: 'This note', isAvailable: canWrite } as const;
  useCommands(
    [
      { ...own, id: 'rename-note', title: 'Rename this note', icon: 'edit', run: () => setAsking('rename') },
      { ...own, id: 'move-note', title: 'Move this note to another folder', icon: 'folder', run: () => setAsking('move') },
      { ...own, id: 'delete-note', title: 'Delete this note', icon: 'close', run: remove },
    ],
    [path, title],
  );
  return (
    <>
      <button type="button" class="quiet-button" onClick={() => setAsking('rename')}>
        Rename
      </button>
      <button type="button" class="quiet-button" onClick={() => setAsking('move')}>
        Move
      </button>
      <button type="button" class="quiet-button" onClick={remove}>
        Delete
      </button>
      {asking === 'rename' ? (
        <AskText
          draft={`rename ${path}`}
          title="Rename this note"
          label="Title"
          value={title}
          action="Rename"
          onSubmit={(to) => (to === title ? Promise.resolve() : moveNote(path, to))}
          onClose={() => setAsking(null)}
        />
      ) : null}
      {asking === 'move' ? (
        <AskText
          draft={`move ${path}`}
          title="Move this note"
          label="Folder; empty is the top of the vault"
          value={folder}
          action="Move"
          onSubmit={(to) => (to === folder ? Promise.resolve() : moveNote(path, `${to.replace(/^\/+/, '').replace(/(?<!\/)\/+$/, '')}/`))}
          onClose={() => setAsking(null)}
        />
      ) : null}
    </>
  );
}

/** Renames or moves a note with all links to it, and offers to take that back. Throws `ApiError`. */
async function moveNote(path: string, to: string): Promise<void> {
  const answer = await callOperation('rename', { changes: [{ from: await findShown(path), to }] });
  const { renamed, links_rewritten_in: count, batch } = answer;
  const place = renamed[0]?.to;
  if (typeof place === 'string') navigate(noteAddress(place), { replace: true });
  const links = count === 0 ? '' : count === 1 ? ' Links in one note were adapted.' : ` Links in ${count} notes were adapted.`;
  offerUndo(`The note is at ${place ?? to} now.${links}`, batch ?? null, () => showAgain(path));
}

async function deleteNote({ path, title, backlink_count: links }: NotePage): Promise<void> {
  const isAgreed = await confirm({
    title: `Delete “${title}”?`,
    body: (
      <p>
        The note goes to the trash, from where you can restore it.
        {links === 0 ? '' : links === 1 ? ' One note links to it.' : ` ${links} notes link to it.`}
      </p>
    ),
    action: 'Delete the note',
    isDangerous: true,
  });
  if (!isAgreed) return;
  try {
    const answer = await callOperation('delete_node', { id: await findShown(path) });
    discardDraft(path);
    navigate('/note');
    offerUndo(`“${title}” is in the trash.`, 'batch' in answer ? (answer.batch ?? null) : null, () => showAgain(path));
  } catch (error) {
    showFailedChange(error);
  }
}

/** Returns where the note of this page is now. Where it is gone, its path could name another of its name. Throws `ApiError`. */
async function findShown(path: string): Promise<string> {
  return (await callOperation('page_properties', { path })).path;
}

function showAgain(path: string): void {
  navigate(noteAddress(path), { replace: true });
}
