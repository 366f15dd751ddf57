import { COMMON_OPTIONS } from './command.ts';
import type { Command, CommandOption, CommandOptions } from './command.ts';
import type { Painter } from './terminal.ts';

const GROUPS: readonly (readonly [Command['group'], string])[] = [
  ['serve', 'Serve a vault'],
  ['read', 'Read'],
  ['write', 'Write'],
  ['tasks', 'Tasks'],
  ['memory', 'Memory'],
  ['care', 'Care'],
];

/** The help of the whole program. */
export function programHelp(commands: readonly Command[], paint: Painter): string {
  const width = Math.max(...commands.map((command) => signature(command).length)) + 2;
  const groups = GROUPS.flatMap(([group, title]) => {
    const members = commands.filter((command) => command.group === group);
    if (members.length === 0) return [];
    return [
      '',
      paint.bold(title),
      ...members.map((command) => `  ${paint.cyan(signature(command))}${' '.repeat(width - signature(command).length)}${command.summary}`),
    ];
  });
  return [
    `${paint.bold('roux')}: a Markdown vault that is also a knowledge store for agents`,
    '',
    'Usage: roux <command> [words] [options]',
    ...groups,
    '',
    paint.bold('Options of every command'),
    ...optionLines(COMMON_OPTIONS),
    '',
    'A vault is a folder of Markdown notes. Words of a query, a title or a name need no quotes. "roux <command> --help" tells more.',
    'Exit status: 0 done, 1 findings or not found, 2 bad usage, 3 could not.',
  ].join('\n');
}

/** The help of one command. */
export function commandHelp(command: Command, paint: Painter): string {
  const own: CommandOptions = command.options ?? {};
  return [
    `${paint.bold(`roux ${command.name}`)}: ${command.summary}`,
    '',
    `Usage: roux ${signature(command)} [options]`,
    ...(command.details === undefined ? [] : ['', ...command.details]),
    ...(Object.keys(own).length === 0 ? [] : ['', paint.bold('Options'), ...optionLines(own)]),
    '',
    paint.bold('Options of every command'),
    ...optionLines(COMMON_OPTIONS),
  ].join('\n');
}

/** A command with what follows it. */
export function signature(command: Command): string {
  return `${command.name} ${command.usage}`.trim();
}

function optionLines(options: CommandOptions): readonly string[] {
  const lines = Object.entries(options).map(([name, option]) => {
    const short = option.short === undefined ? '' : `-${option.short}, `;
    return [`  ${short}--${name}${valueWord(option)}`, option.help] as const;
  });
  const width = Math.max(...lines.map(([left]) => left.length)) + 2;
  return lines.map(([left, right]) => left.padEnd(width) + right);
}

function valueWord(option: CommandOption): string {
  if (option.type === 'boolean') return '';
  return option.type === 'number' ? ' N' : ` ${option.value}`;
}
