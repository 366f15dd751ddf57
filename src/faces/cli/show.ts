import type { CommandContext } from './command.ts';
import { plain } from './terminal.ts';

/** One note on one line: its title, then its path. */
export function noteLine(note: { readonly title: string; readonly path: string }, { paint }: Pick<CommandContext, 'paint'>): string {
  return `${paint.bold(plain(note.title))}  ${paint.dim(plain(note.path))}`;
}

/** `1 note`, `2 notes`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** A unified diff, in colours on a terminal. */
export function showDiff({ print, paint }: Pick<CommandContext, 'print' | 'paint'>, diff: string): void {
  for (const line of diff.trimEnd().split('\n')) {
    const colored = line.startsWith('+') ? paint.green(plain(line)) : line.startsWith('-') ? paint.red(plain(line)) : plain(line);
    print(line.startsWith('@@') ? paint.cyan(plain(line)) : colored);
  }
}

/** Warnings about what was written, in colours on a terminal. */
export function showWarnings({ note, paint }: Pick<CommandContext, 'note' | 'paint'>, warnings: readonly string[]): void {
  for (const warning of warnings) note(paint.yellow(plain(warning)));
}
