import type { EventDraft } from '../../records/history-event.ts';

/** A file that a user changed, before and after. */
export interface EditedFile {
  readonly path: string;
  /** The previous path; null for a new file. */
  readonly former: string | null;
  /** Null if it did not exist, or its content is unknown. */
  readonly before: { readonly hash: string; readonly bytes: Uint8Array } | null;
  /** Null if it was deleted. */
  readonly after: { readonly hash: string; readonly bytes: Uint8Array } | null;
}

/** Reads notes for the store, which knows only files. */
export interface NotesInFiles {
  /** Returns the id in a file, by which it is recognised under another name; null if it has none. */
  idOf(path: string, bytes: Uint8Array): string | null;
  /** Returns the events of an edit for the history. */
  describe(edit: EditedFile): readonly EventDraft[];
}
