import { isRecord } from '../../config.ts';
import type { ServedNote } from '../host.ts';
import type { CommandContext } from './command.ts';
import { plain } from './terminal.ts';

/** One note on one line: its title, then its path. */
export function noteLine(note: { readonly title: string; readonly path: string }, { paint }: Pick<CommandContext, 'paint'>): string {
  return `${paint.bold(plain(note.title))}  ${paint.dim(plain(note.path))}`;
}

/** An entry as JSON. */
export function toEntryJson(entry: ServedNote): { id: string; title: string; path: string } {
  return { id: entry.id, title: entry.title, path: entry.path };
}

/** The members of an operation's output that are objects. */
export function listRecords(output: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(output) ? output.filter(isRecord) : [];
}

/** A member of an operation's output as text, `''` when it is none. */
export function textOf(record: Readonly<Record<string, unknown>>, key: string): string {
  const value = record[key];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** `1 note`, `2 notes`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** The texts of a list. */
export function listTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

/** A unified diff, in colours on a terminal. */
export function showDiff({ print, paint }: Pick<CommandContext, 'print' | 'paint'>, diff: string): void {
  for (const line of diff.trimEnd().split('\n')) {
    const colored = line.startsWith('+') ? paint.green(plain(line)) : line.startsWith('-') ? paint.red(plain(line)) : plain(line);
    print(line.startsWith('@@') ? paint.cyan(plain(line)) : colored);
  }
}
