import { usageOf } from './command.ts';
import type { Command } from './command.ts';
import { COMMON_OPTIONS, optionHelp } from './options.ts';
import type { CommandOption, CommandOptions } from './options.ts';
import type { Painter } from './terminal.ts';

/** The groups of commands and their titles, in the order of the help. */
export const GROUPS: readonly (readonly [Command['group'], string])[] = [
  ['serve', 'Serve a vault'],
  ['read', 'Read'],
  ['write', 'Write'],
  ['tasks', 'Tasks'],
  ['memory', 'Memory'],
  ['knowledge', 'Knowledge graph'],
  ['care', 'Care'],
];

/** A one-line description of the program. */
export const ABOUT = 'a Markdown vault that is also a knowledge store for agents';

/** What applies to all commands. */
export const HINTS: readonly string[] = [
  'A vault is a folder of Markdown notes. Words of a query, a title or a name need no quotes.',
  '"roux <command> --help" tells more.',
];

/** How help is formatted: `columns` is the width of the terminal; null if there is none, in which case lines are not wrapped. */
export interface Layout {
  readonly paint: Painter;
  readonly columns: number | null;
}

/** Returns the help of the whole program. */
export function programHelp(commands: readonly Command[], { paint, columns }: Layout): string {
  const width = Math.max(...commands.map((command) => signature(command).length)) + 2;
  const groups = GROUPS.flatMap(([group, title]) => {
    const members = commands.filter((command) => command.group === group);
    if (members.length === 0) return [];
    return [
      '',
      paint.bold(title),
      ...members.flatMap((command) => formatPair([signature(command), command.summary], { width, columns, color: paint.cyan })),
    ];
  });
  return [
    ...titleLines('roux', ABOUT, { paint, columns }),
    '',
    'Usage: roux <command> [words] [options]',
    ...groups,
    '',
    paint.bold('Options of every command'),
    ...optionLines(COMMON_OPTIONS, columns),
    '',
    ...HINTS.flatMap((line) => wrap(line, columns)),
    ...wrap('Exit status: 0 done, 1 findings or not found, 2 bad usage, 3 could not.', columns),
  ].join('\n');
}

export function commandHelp(command: Command, { paint, columns }: Layout): string {
  const own: CommandOptions = command.options ?? {};
  return [
    ...titleLines(`roux ${command.name}`, command.summary, { paint, columns }),
    '',
    `Usage: roux ${signature(command)} [options]`,
    ...(command.details === undefined ? [] : ['', ...command.details.flatMap((line) => wrap(line, columns))]),
    ...(Object.keys(own).length === 0 ? [] : ['', paint.bold('Options'), ...optionLines(own, columns)]),
    '',
    paint.bold('Options of every command'),
    ...optionLines(COMMON_OPTIONS, columns),
  ].join('\n');
}

/** Returns a command's name and usage. */
export function signature(command: Command): string {
  return `${command.name} ${usageOf(command)}`.trim();
}

function optionLines(options: CommandOptions, columns: number | null): readonly string[] {
  const lines = Object.entries(options).map(([name, option]) => [optionNames(name, option), optionHelp(option)] as const);
  const width = Math.max(...lines.map(([left]) => left.length)) + 2;
  return lines.flatMap((line) => formatPair(line, { width, columns, color: String }));
}

function titleLines(name: string, about: string, { paint, columns }: Layout): readonly string[] {
  const [first = '', ...more] = wrap(`${name}: ${about}`, columns);
  return [first.replace(name, () => paint.bold(name)), ...more];
}

/** The narrowest column of text beside another one; below this, the text moves under the name. */
const MIN_TEXT_COLUMNS = 30;

/** Formats a name and its description side by side if there is room, else one below the other. */
function formatPair(
  [left, right]: readonly [string, string],
  { width, columns, color }: { width: number; columns: number | null; color: (text: string) => string },
): readonly string[] {
  const isBeside = columns === null || columns - width - 2 >= MIN_TEXT_COLUMNS;
  if (!isBeside) return [`  ${color(left)}`, ...wrap(`    ${right}`, columns)];
  const [first = '', ...more] = wrap(right, columns === null ? null : columns - width - 2);
  return [`  ${color(left)}${' '.repeat(width - left.length)}${first}`, ...more.map((line) => ' '.repeat(width + 2) + line)];
}

/** Wraps a line at spaces to `columns`, keeping its indentation. */
function wrap(line: string, columns: number | null): readonly string[] {
  if (columns === null || line.length <= columns) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = indent;
  for (const word of line.trim().split(' ')) {
    const isFull = current !== indent && current.length + 1 + word.length > columns;
    if (isFull) lines.push(current);
    current = isFull || current === indent ? indent + word : `${current} ${word}`;
  }
  return [...lines, current];
}

/** Formats an option with its short form and placeholder: `-n, --limit N`. */
export function optionNames(name: string, option: CommandOption): string {
  return `${option.short === undefined ? '' : `-${option.short}, `}--${name}${valueWord(option)}`;
}

function valueWord(option: CommandOption): string {
  if (option.type === 'boolean') return '';
  return option.type === 'number' ? ' N' : ` ${option.value}`;
}
