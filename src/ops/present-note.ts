import { RouxError } from '../errors.ts';
import type { Note } from '../note/note.ts';
import type { Vault } from '../vault/vault.ts';

/** Returns a note as it is on disk; null if it is gone or cannot be read, of which the vault warns. */
export function presentNote({ notes }: Vault, path: string): Note | null {
  try {
    return notes.readUnstable(path)?.note ?? null;
  } catch (error) {
    if (error instanceof RouxError) return null;
    throw error;
  }
}

/** Returns the text of a note as it is on disk; `''` if there is none to be read. */
export function presentText(vault: Vault, path: string): string {
  return presentNote(vault, path)?.text ?? '';
}
