import type { EventDraft } from '../../records/history-event.ts';

/** A file that a person changed, as it was and as it is. */
export interface EditedFile {
  readonly path: string;
  /** The name that it had; null for a new one. */
  readonly former: string | null;
  /** Null: it was not there, or it is not known what it held. */
  readonly before: { readonly hash: string; readonly bytes: Uint8Array } | null;
  /** Null: it is gone. */
  readonly after: { readonly hash: string; readonly bytes: Uint8Array } | null;
}

/** What a store has to know of the notes in its files, which it cannot read itself. */
export interface NotesInFiles {
  /** The id that a file has in it, by which it is recognised under another name; null: none. */
  idOf(path: string, bytes: Uint8Array): string | null;
  /** What the history says of an edit. */
  describe(edit: EditedFile): readonly EventDraft[];
}
