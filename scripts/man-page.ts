// Holds man/roux.1 against the commands, from which it is made; `--write` brings it up to date.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listCommands } from '../src/faces/cli/command-list.ts';
import { usageOf } from '../src/faces/cli/command.ts';
import type { Command } from '../src/faces/cli/command.ts';
import { ABOUT, GROUPS, optionNames, HINTS } from '../src/faces/cli/help.ts';
import { COMMON_OPTIONS, optionHelp } from '../src/faces/cli/options.ts';
import type { CommandOptions } from '../src/faces/cli/options.ts';
import { version } from '../src/open-host.ts';

const file = fileURLToPath(new URL('../man/roux.1', import.meta.url));

/** Signs that roff reads, or shows as others. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['\\', '\\(rs'],
  ['-', '\\-'],
  ['"', '\\(dq'],
  ["'", '\\(aq'],
  ['`', '\\(ga'],
  ['^', '\\(ha'],
  ['~', '\\(ti'],
]);

const page = manPage(await listCommands());
const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === page;
if (process.argv.includes('--write')) {
  mkdirSync(dirname(file), { recursive: true });
  if (!isCurrent) writeFileSync(file, page);
} else if (!isCurrent) {
  console.error(`Out of date: ${file}. Run "npm run man -- --write".`);
  process.exitCode = 1;
}

function manPage(commands: readonly Command[]): string {
  const groups = GROUPS.map(([group, title]) => ({ title, members: commands.filter((command) => command.group === group) }));
  return [
    `.TH ROUX 1 "" "roux ${escape(version)}" "roux"`,
    '.SH NAME',
    `roux \\- ${escape(ABOUT)}`,
    '.SH SYNOPSIS',
    '.B roux',
    '.I command',
    '.RI [ words ]',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    ...HINTS.flatMap((line) => [...textLines(line), '.PP']),
    'Settings and examples are in the guide, docs/guide.md of the package.',
    '.SH COMMANDS',
    ...groups.flatMap(({ title, members }) => [`.SS ${quoted(title)}`, ...members.flatMap(commandLines)]),
    '.SH OPTIONS OF EVERY COMMAND',
    ...optionLines(COMMON_OPTIONS),
    '.SH EXIT STATUS',
    ...[
      ['0', 'done'],
      ['1', 'findings, or not found'],
      ['2', 'bad usage'],
      ['3', 'could not'],
      ['130', 'left with Ctrl-C where a note was to be chosen'],
    ].flatMap(([status = '', text = '']) => ['.TP', `.B ${status}`, ...textLines(text)]),
    '.SH ENVIRONMENT',
    ...[
      ['ROUX_VAULT', 'the vault, where --vault names none'],
      ['ROUX_ALLOW_OTHER_OWNER', '1, or the absolute paths of vaults: they are opened also where another user owns them'],
      ['VISUAL, EDITOR', 'what "roux edit" opens notes in'],
      ['PAGER', 'what shows a note or a history that is longer than the terminal; less by default, cat for none'],
      ['NO_COLOR', 'no colours, where it is set'],
    ].flatMap(([name = '', text = '']) => ['.TP', `.B ${quoted(name)}`, ...textLines(text)]),
    '',
  ].join('\n');
}

function commandLines(command: Command): readonly string[] {
  const { name, summary, details = [], options = {} } = command;
  const usage = usageOf(command);
  return [
    '.TP',
    usage === '' ? `.B ${quoted(`roux ${name}`)}` : `.BI ${quoted(`roux ${name} `)} ${quoted(usage)}`,
    ...textLines(summary),
    ...(details.length === 0 ? [] : ['.RS', ...details.flatMap(detailLines), '.RE']),
    ...(Object.keys(options).length === 0 ? [] : ['.RS', ...optionLines(options), '.RE']),
  ];
}

/** Lines that follow each other are a paragraph; those that stand further in stay as they are laid out. */
function detailLines(line: string, at: number, all: readonly string[]): readonly string[] {
  if (/^\s/.test(line)) return ['.nf', ...textLines(line), '.fi'];
  const before = all[at - 1] ?? '';
  if (line === '') return [];
  return [...(before === '' || /^\s/.test(before) ? ['.PP'] : []), ...textLines(line)];
}

function optionLines(options: CommandOptions): readonly string[] {
  return Object.entries(options).flatMap(([name, option]) => [
    '.TP',
    `.B ${quoted(optionNames(name, option))}`,
    ...textLines(optionHelp(option)),
  ]);
}

/** An argument of a macro. */
function quoted(text: string): string {
  return `"${escape(text)}"`;
}

/** Text at the beginning of a line, where a full stop or a quote would make it a request. */
function textLines(text: string): readonly string[] {
  return text.split('\n').map((line) => (/^[.' ]/.test(line) ? `\\&${escape(line)}` : escape(line)));
}

/** Text as roff shows it literally; what is not ASCII by its number, whatever encoding is read. */
function escape(text: string): string {
  return Array.from(text)
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      return SIGNS.get(character) ?? (code < 0x7f ? character : `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`);
    })
    .join('');
}
