import { diffArrays } from 'diff';
import { RouxError } from '../../../../errors.ts';
import type { Note } from '../../../../note/note.ts';
import type { NoteOnDisk } from '../../../../vault/sync/read-note-now.ts';

/** Characters of a note that the page edits. A save sends the text, and a merge sends two, which have to fit into a request. */
export const MAX_EDIT_CHARACTERS = 1_500_000;
/** Longest edit script for a file with mixed line ends. Beyond it, lines between the common ends get the line end of most lines. */
const MAX_EDIT_LINES = 3_000;

const LINE_END = /\r\n|\n|\r/g;
const BYTE_ORDER_MARK = '\ufeff';

interface Line {
  readonly text: string;
  /** Its line end; empty for the last line. */
  readonly end: string;
}

/** Returns the lines of a text with their line ends. */
export function splitLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  let at = 0;
  for (const { 0: end, index } of text.matchAll(LINE_END)) {
    lines.push({ text: text.slice(at, index), end });
    at = index + end.length;
  }
  return [...lines, { text: text.slice(at), end: '' }];
}

/** Returns a text as an editor shows it: with LF as line ends and without a byte order mark. */
export function toEditorText(text: string): string {
  return (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).replace(LINE_END, '\n');
}

/**
 * Returns an edited text as the file is to hold it. Lines that are as they were keep their line ends, even if these are mixed, and so does
 * the byte order mark.
 */
export function toFileText(before: string, edited: string): string {
  const mark = before.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const old = splitLines(before.slice(mark.length));
  const typed = edited.replace(LINE_END, '\n').split('\n');
  const common = mostFrequentEnd(old);
  const ends = old.every(({ end }) => end === common || end === '') ? typed.map(() => common) : endsOf(old, typed, common);
  return mark + typed.map((line, index) => (index === typed.length - 1 ? line : line + (ends[index] ?? common))).join('');
}

function mostFrequentEnd(lines: readonly Line[]): string {
  const counts = new Map<string, number>();
  for (const { end } of lines) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '\n';
}

/** Returns the line end of each edited line: that of the same line before, or of the line that it replaces. */
function endsOf(old: readonly Line[], typed: readonly string[], common: string): readonly string[] {
  const changes = diffArrays(
    old.map(({ text }) => text),
    [...typed],
    { maxEditLength: MAX_EDIT_LINES },
  );
  if (changes === undefined) return typed.map((line, index) => (old[index]?.text === line ? old[index].end : common));
  const ends: string[] = [];
  let at = 0;
  let replaced: string[] = [];
  for (const { added, removed, count } of changes) {
    const own = added ? [] : old.slice(at, at + count).map(({ end }) => end || common);
    if (removed) replaced = own;
    else if (added) for (const each of Array.from({ length: count }, (_, index) => replaced[index] ?? common)) ends.push(each);
    else for (const each of own) ends.push(each);
    if (!removed) replaced = [];
    if (!added) at += count;
  }
  return ends;
}

/** Whether a note is valid UTF-8. Another one is shown as far as it can be read, and not changed. */
export function isUtf8({ problems }: Note): boolean {
  return !problems.some(({ code }) => code === 'invalid-utf8');
}

/** Throws for a note that the page cannot edit. */
export function requireEditable({ note, isPartial }: NoteOnDisk): void {
  if (isPartial || note.text.length > MAX_EDIT_CHARACTERS) {
    throw new RouxError(
      'LIMIT_EXCEEDED',
      `This note is too long to be edited in the browser, which takes up to ${MAX_EDIT_CHARACTERS.toLocaleString('en')} characters. Open it in another editor.`,
      { limit: MAX_EDIT_CHARACTERS },
    );
  }
  if (!isUtf8(note))
    throw new RouxError('INVALID_PARAMS', 'This file is not valid UTF-8 text, so it cannot be edited here. Convert it to UTF-8 first.');
}
