import { RouxError } from '../../../../errors.ts';
import type { NoteEntry } from '../../../../graph/view.ts';
import { foldKey } from '../../../../note/path.ts';
import type { OperationContext } from '../../../operation.ts';
import { findNote, throwNoteNotFound } from '../../../reference.ts';
import type { FoundNote } from '../../../reference.ts';
import { requireEditable } from './source-text.ts';

/**
 * Returns the note that a person sees at a path, also after it was moved. A note of the same name in another folder is another note: what is
 * typed for a deleted `README.md` must not get into `lib/README.md`. Throws `NODE_NOT_FOUND`.
 */
export async function requireShown(context: OperationContext, path: string): Promise<NoteEntry> {
  const found = await findNote(context, path).catch((error: unknown) => {
    if (error instanceof RouxError && error.code === 'AMBIGUOUS') return null;
    throw error;
  });
  const entry = isAt(found, path) ? found : await findMoved(context, path);
  return entry ?? throwNoteNotFound(context, path);
}

/** Returns the note that a person sees at a path, with the contents of its file. Throws `NODE_NOT_FOUND`. */
export async function readShown(context: OperationContext, path: string): Promise<FoundNote> {
  const entry = await requireShown(context, path);
  const onDisk = await context.vault.notes.read(entry.path);
  return onDisk === null ? throwNoteNotFound(context, path) : { entry, onDisk };
}

/** Reads a note again for an edit, once the write lock is held. Throws `NODE_NOT_FOUND`, or why the page cannot edit it. */
export async function readEditableUnderLock(context: OperationContext, { path }: NoteEntry): Promise<FoundNote> {
  const entry = context.vault.graph.get(path) ?? (await findMoved(context, path)) ?? throwNoteNotFound(context, path);
  const onDisk = context.vault.notes.readUnstable(entry.path);
  if (onDisk === null) throw new RouxError('NODE_NOT_FOUND', 'This note is gone.', { path });
  requireEditable(onDisk);
  return { entry, onDisk };
}

function isAt(entry: NoteEntry | null, path: string): entry is NoteEntry {
  return entry !== null && [foldKey(path), foldKey(`${path}.md`)].includes(foldKey(entry.path));
}

async function findMoved({ vault }: OperationContext, path: string): Promise<NoteEntry | null> {
  const { own, unread } = await vault.history.movedNotes();
  const to = own.get(path) ?? unread.get(path);
  return to === undefined ? null : vault.graph.get(to);
}
