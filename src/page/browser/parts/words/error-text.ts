import { ApiError } from '../../api.ts';
import { nameOf } from './change-text.tsx';

const GONE = 'This is not there any more. It may have been renamed or deleted.';
const LINE_CHANGED = 'This line has changed since it was shown. Look at it as it is now.';
const TOO_BUSY = 'The server has too much to do at the moment. Try again in a few seconds.';
const BUSY = 'Another program is writing to the vault. Try again in a moment.';

/** Words for errors whose messages are written for agents or for the terminal. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['UNREACHABLE', 'The server cannot be reached. The page reconnects by itself.'],
  ['NODE_NOT_FOUND', GONE],
  ['NOT_FOUND', GONE],
  ['node_not_found', GONE],
  ['project_not_found', GONE],
  ['ENTITY_NOT_FOUND', GONE],
  ['AMBIGUOUS', 'Several notes have this name. Open the one you mean from the list of notes or from search.'],
  [
    'CONFLICT',
    'This was changed in the meantime, and both changes cannot be merged. Nothing was overwritten: look at it as it is now, and try again.',
  ],
  ['rev_mismatch', 'Someone else has changed this in the meantime. Look at it as it is now, and try again.'],
  ['NODE_EXISTS', 'There is a note with this name already. Choose another name.'],
  ['READ_ONLY', 'This vault is open for reading only. Start the server without “readOnly” to write.'],
  ['FORBIDDEN', 'Your token does not allow this. Sign in with one that may do more.'],
  ['UNAUTHORIZED', 'The server needs a token. Sign in again.'],
  ['LOCK_TIMEOUT', BUSY],
  ['TOO_LARGE', 'This is too large to be written at once. Split it.'],
  ['NO_SPACE', 'The disk is full. Nothing was changed: make room, and try again.'],
  ['INTERNAL', 'Something went wrong in the server. Its terminal says what.'],
]);

/** Maximum number of files that a sentence names. */
const MAX_NAMED = 3;

/** A tool or argument of agents, an id or a hash: nothing that a person has to read. */
const FOR_AGENTS = /\b[a-z]+_[a-z_]+\b|\b[0-9a-f]{16,}\b|\b[0-9a-z]{26}\b|\bbatch\b/;

/** Returns what happened and what to do, in words for the user of the page. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ApiError && error.code === 'CONFLICT' && isUndoConflict(error.details))
    return `“${nameOf(error.details.path)}” was changed later, in a way that cannot be merged. Undo that change first, or edit the note.`;
  if (error instanceof ApiError && error.code === 'CONFLICT' && isLineConflict(error.details)) return LINE_CHANGED;
  const folders = error instanceof ApiError && error.code === 'FORBIDDEN' ? foldersIn(error.details) : [];
  if (folders.length > 0 && error instanceof ApiError && isOfServer(error.details))
    return `${writtenBy(error.details)} server writes only in ${folders.join(', ')} (--write-folders, or the setting “writes.folders”).`;
  if (folders.length > 0)
    return `Your token is only for ${folders.join(', ')}. Sign in with one for the whole vault, or choose a place there.`;
  // Other limits, such as that of the editor, say themselves what is too much.
  if (error instanceof ApiError && error.code === 'LIMIT_EXCEEDED' && error.isRetryable) return TOO_BUSY;
  const words = error instanceof ApiError ? WORDS.get(error.code) : undefined;
  if (words !== undefined) return words;
  return FOR_AGENTS.test(message) ? 'This could not be done. Load the page again, and try once more.' : message;
}

/** Whether an undo was refused because of a later change to this file. */
function isUndoConflict(details: unknown): details is { readonly path: string } {
  return typeof details === 'object' && details !== null && 'batch' in details && 'path' in details && typeof details.path === 'string';
}

/** Whether one line was to be changed, and is another by now. */
function isLineConflict(details: unknown): boolean {
  return typeof details === 'object' && details !== null && 'line' in details;
}

/** Whether a call was refused because of the folders that may be written at all, not because of those of the token. */
function isOfServer(details: unknown): boolean {
  return typeof details === 'object' && details !== null && 'setting' in details;
}

/** Begins a sentence with the files elsewhere that a call would have written, such as notes with links to a renamed one. */
function writtenBy(details: unknown): string {
  const paths = typeof details === 'object' && details !== null && 'paths' in details && Array.isArray(details.paths) ? details.paths : [];
  if (paths.length === 0) return 'This';
  return `${paths.slice(0, MAX_NAMED).map(String).join(', ')}${paths.length > MAX_NAMED ? ' and others' : ''} would be written, but this`;
}

/** The folders that a call was limited to and was refused because of. */
function foldersIn(details: unknown): readonly string[] {
  const folders = typeof details === 'object' && details !== null && 'folders' in details ? details.folders : [];
  return Array.isArray(folders) ? folders.map(String) : [];
}
