import { errorMessage, systemCode } from '../../errors.ts';
import { shortenMiddle } from '../../ops/shorten.ts';
import { visibleLine } from '../../terminal-text.ts';
import type { CommandContext } from './command.ts';
import { clipStartToWidth, clipToWidth, widthOf } from './terminal.ts';

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'no such folder',
  EISDIR: 'it is a folder',
  EACCES: 'no permission',
  ENAMETOOLONG: 'its name is longer than names can be',
};

/**
 * Formats a note as its title and path, on one line or, if the terminal is too narrow, on two. `indent` is the width of what precedes it on
 * the line.
 */
export function formatNote(
  note: { readonly title: string; readonly path: string },
  { paint, columns, indent = 0 }: Pick<CommandContext, 'paint' | 'columns'> & { readonly indent?: number },
): string {
  const [title, path] = [visibleLine(note.title), visibleLine(note.path)];
  if (columns === null || indent + widthOf(title) + 2 + widthOf(path) <= columns) return `${paint.bold(title)}  ${paint.dim(path)}`;
  const room = Math.max(columns - indent - 2, 8);
  return `${paint.bold(clipToWidth(title, room + 2))}\n${' '.repeat(indent + 2)}${paint.dim(clipStartToWidth(path, room))}`;
}

/** Prints notes, one a line. */
export function showNotes(notes: readonly Parameters<typeof formatNote>[0][], context: CommandContext): void {
  for (const note of notes) context.print(formatNote(note, context));
}

const MAX_ARGUMENT_CHARACTERS = 300;

/** Formats an argument for a message: on one line, shortened, and without passwords. */
export function formatArgument(text: string): string {
  return visibleLine(shortenMiddle(hidePasswords(text), MAX_ARGUMENT_CHARACTERS));
}

/** Hides passwords in URLs. A password may contain an unencoded `@`, so that it extends to the last one. */
function hidePasswords(text: string): string {
  const hidden = text.replace(/\S+/g, (word) => {
    const end = word.lastIndexOf('@') + 1;
    const head = /\w:\/+[^:/@]*:/.exec(word.slice(0, end));
    return head === null ? word : `${word.slice(0, head.index + head[0].length)}…@${word.slice(end)}`;
  });
  return hidden.replace(/(\bpassword=)[^\s&]*/gi, '$1…');
}

/** Returns why a file named by the user could not be read or written, in a few words. */
export function describeFileError(error: unknown): string {
  const code = systemCode(error);
  return code === null ? errorMessage(error) : (FILE_ERRORS[code] ?? code);
}

/** Marks a line of the history that was not written in this folder by this user. */
export const NOT_WRITTEN_HERE = '(not written here)';

/** Formats a number with its noun: `1 note`, `2 notes`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Prints a unified diff, in color on a terminal. */
export function showDiff(
  { print, printText, paint, columns }: Pick<CommandContext, 'print' | 'printText' | 'paint' | 'columns'>,
  diff: string,
): void {
  if (columns === null) return printText(diff);
  for (const line of diff.trimEnd().split('\n')) {
    const color = line.startsWith('@@') ? paint.cyan : line.startsWith('+') ? paint.green : line.startsWith('-') ? paint.red : String;
    print(color(visibleLine(line)));
  }
}

/** Prints warnings to stderr, in color on a terminal. */
export function showWarnings({ note, paint }: Pick<CommandContext, 'note' | 'paint'>, warnings: readonly string[]): void {
  for (const warning of warnings) note(paint.yellow(visibleLine(warning.replace(/\bUse offset (\d+)/, 'Use --offset $1'))));
}

/** Describes the state of embedding on one line. */
export function describeEmbedding(meaning: {
  readonly provider: string;
  readonly state: string;
  readonly waiting: number;
  readonly notes: { readonly embedded: number; readonly all: number };
  readonly store?: { readonly problem?: string };
  readonly reason?: string;
}): string {
  const { provider, state, waiting, notes, store, reason } = meaning;
  const why = reason === undefined ? '' : visibleLine(reason);
  if (state === 'off') return `off: ${why}`;
  const left = waiting === 0 ? '' : `, ${waiting} waiting`;
  const unshared = store?.problem === undefined ? '' : `; vectors are not shared: ${visibleLine(store.problem)}`;
  return `${notes.embedded} of ${count(notes.all, 'note')}${left}, ${visibleLine(provider)}${why === '' ? '' : ` (${why})`}${unshared}`;
}

const MAX_BATCHES = 5;

/** Says how writes are taken back, the last one first. */
export function showUndo(note: CommandContext['note'], batches: readonly string[]): void {
  for (const batch of batches.slice(0, MAX_BATCHES)) note(`To take it back: roux undo ${batch}`);
  if (batches.length > MAX_BATCHES) note(`and ${batches.length - MAX_BATCHES} writes before these; "roux history" and --json name them.`);
}
