import type { NoteAboutPath } from '../../vault/code/notes-about.ts';
import type { OperationContext } from '../operation.ts';
import { quoteWanted } from './near-names.ts';

/** Notes that a warning names. */
const MAX_NAMED = 5;

/**
 * Warns that a reference is a path of code, with the notes about it. Returns false if it is none: nothing is there, and no note is about it.
 */
export async function warnOfCode(context: Pick<OperationContext, 'vault' | 'warn'>, reference: string): Promise<boolean> {
  const { findNotesAbout } = await import('../../vault/code/notes-about.ts');
  const found = await findNotesAbout(context.vault, reference);
  if (found === null || (found.notes.length === 0 && !found.isThere)) return false;
  const { path, notes } = found;
  const what = `${quoteWanted(path)} is a path of the repository around the vault and no note.`;
  context.warn(notes.length === 0 ? `${what} No note is about it.` : `${what} ${describeNotes(notes)} get_neighbors lists them.`);
  return true;
}

/** Returns whether a text may be a path, and not words. */
export function mayBePath(text: string): boolean {
  return !/\s/.test(text.trim()) && /[/.]/.test(text);
}

/** Warns of notes about a path that somebody searches for, or reads as a file of the vault. */
export async function tellNotesAbout({ vault, warn }: Pick<OperationContext, 'vault' | 'warn'>, text: string): Promise<void> {
  if (!mayBePath(text)) return;
  const { listNotesAbout } = await import('../../vault/code/notes-about.ts');
  const notes = listNotesAbout(vault, text);
  if (notes.length > 0) warn(`${describeNotes(notes)} get_neighbors of the path lists them.`);
}

function describeNotes(notes: readonly NoteAboutPath[]): string {
  const named = notes
    .slice(0, MAX_NAMED)
    .map(({ note: { entry }, anchors: [anchor = ''] }) => `${quoteWanted(entry.path)} (${quoteWanted(anchor)})`);
  const more = notes.length > MAX_NAMED ? `, and ${notes.length - MAX_NAMED} more` : '';
  return `Notes about it, by their applies_to: ${named.join(', ')}${more}.`;
}
