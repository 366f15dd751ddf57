import { toNotePath } from '../../../note/path.ts';
import type { Vault } from '../../../vault/vault.ts';
import { shorten } from '../../shorten.ts';
import { MemoryFault } from './fault.ts';
import type { MemoryPath } from './memory-path.ts';

/** Files that may be read and edited: what is larger is no memory. */
export const MAX_FILE_CHARACTERS = 1_000_000;
const MAX_LINES = 999_999;
const NUMBER_WIDTH = 6;
/** Lines before and after a change that are shown. */
const SNIPPET_LINES = 2;
/** Characters of a line around a change, and of all of them together. */
const MAX_LINE_CHARACTERS = 10_000;
const MAX_SNIPPET_CHARACTERS = 60_000;

/** The text of a file right now, and its hash if it is a note. */
export interface MemoryText {
  readonly text: string;
  readonly bytes: Buffer;
  readonly hash: string | null;
}

/** Reads the text of a note or another file. Throws a fault for one that is not there, is no text in UTF-8, or is too large. */
export function readText({ notes }: Pick<Vault, 'notes'>, { shown, path }: MemoryPath): MemoryText {
  const size = notes.timesOf(path)?.size ?? 0;
  if (size > 4 * MAX_FILE_CHARACTERS) throw tooLarge(shown);
  const note = toNotePath(path) === null ? null : notes.readUnstable(path);
  const bytes = note === null ? notes.readAttachment(path) : Buffer.from(note.note.text);
  if (bytes === null) throw new MemoryFault(`The path ${shown} does not exist. Please provide a valid path.`);
  const isBroken = note?.note.problems.some(({ code }) => code === 'invalid-utf8') === true;
  const text = note?.note.text ?? Buffer.from(bytes).toString('utf8');
  if (isBroken || text.includes('\0') || (note === null && !Buffer.from(text).equals(bytes)))
    throw new MemoryFault(`Error: The file ${shown} is not text in UTF-8.`);
  if (text.length > MAX_FILE_CHARACTERS) throw tooLarge(shown);
  return { text, bytes: Buffer.from(bytes), hash: note?.hash ?? null };
}

export function tooLarge(shown: string): MemoryFault {
  return new MemoryFault(`Error: The file ${shown} exceeds the maximum size of ${MAX_FILE_CHARACTERS.toLocaleString('en')} characters.`);
}

/** Splits a text into lines. Throws a fault for too many. */
export function linesOf(text: string, shown: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.length > MAX_LINES) throw new MemoryFault(`File ${shown} exceeds maximum line limit of 999,999 lines.`);
  return lines;
}

/** Numbers lines, the first of which has this number. */
export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, at) => `${String(first + at).padStart(NUMBER_WIDTH)}\t${line}`).join('\n');
}

/** Shows the lines of a text around a change, given by the offsets where it begins and ends. */
export function snippet(text: string, from: number, to: number): string {
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  const start = Math.max(1, lineAt(from) - SNIPPET_LINES);
  const lines = text.split('\n').slice(start - 1, lineAt(to) + SNIPPET_LINES);
  const shown = lines.map((line) => shorten(line, MAX_LINE_CHARACTERS));
  return shorten(numbered(shown, start), MAX_SNIPPET_CHARACTERS);
}
