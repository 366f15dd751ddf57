import { RouxError } from '../../../../errors.ts';
import { lineMark } from '../../../../render/syntax/tasks.ts';
import type { NoteOnDisk } from '../../../../vault/sync/read-note-now.ts';
import type { FoundNote } from '../../../reference.ts';
import { etagOf } from '../../../view.ts';
import { splitLines } from './source-text.ts';

/** A line of a note as the page showed it. */
export interface ShownLine {
  /** The line in the file, the first is 0. */
  readonly line: number;
  /** Identifies the text of the line (`lineMark`). */
  readonly mark: string;
  /** The etag that the note had. */
  readonly if_match: string;
}

/**
 * Finds a shown line in the present text. In a newer text it may be elsewhere, so it is found by its mark. Returns null if it changed, or if
 * several lines have that text: it is unknown which of them was meant.
 */
export function findShownLine(
  { note, hash }: NoteOnDisk,
  { line, mark, if_match: etag }: ShownLine,
): { readonly lines: ReturnType<typeof splitLines>; readonly at: number } | null {
  const lines = splitLines(note.text);
  const candidates = hash.startsWith(etag) ? [line] : [...lines.keys()];
  const [at, ...others] = candidates.filter((each) => lines[each] !== undefined && lineMark(lines[each].text) === mark);
  return at === undefined || others.length > 0 ? null : { lines, at };
}

/** Returns the error for a line that changed since it was shown. */
export function lineConflict({ entry, onDisk }: FoundNote, { line }: ShownLine): RouxError {
  return new RouxError('CONFLICT', 'This line has changed since it was shown.', { path: entry.path, line, etag: etagOf(onDisk.hash) });
}
