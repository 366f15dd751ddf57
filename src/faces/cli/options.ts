import type { ParseArgsConfig } from 'node:util';
import { didYouMean } from '../../suggest.ts';

/**
 * What completion offers for a word of the command line: something in the vault, something in the file system, or one of a few words.
 * `reference` is anything with a name: a note, another file, a `folder/`, a `#tag`. `any` offers nothing.
 */
export type WordKind =
  | 'note'
  | 'note-or-code'
  | 'reference'
  | 'base'
  | 'tag'
  | 'type'
  | 'project'
  | 'place'
  | 'query'
  | 'command'
  | 'file'
  | 'folder'
  | 'any'
  | readonly string[];

export interface OptionText {
  readonly short?: string;
  readonly help: string;
  /** The value that applies if the option is not given, for the help. */
  readonly default?: string | number;
  /** The setting that this option overrides, as a dotted path. */
  readonly setting?: string;
}

/** A switch such as `--json`. */
interface FlagOption extends OptionText {
  readonly type: 'boolean';
}

/** An option with a text, such as `--format NAME`; `value` is the placeholder in the help. */
interface TextOption extends OptionText {
  readonly type: 'string';
  readonly value: string;
  /** The valid values; anything else is bad usage. */
  readonly choices?: readonly string[];
  /** Whether it may be given several times. */
  readonly isRepeated?: boolean;
  /** What the value is; for a comma-separated list, what each of its items is. */
  readonly completes?: WordKind;
}

/** An option with an integer, such as `--limit N`; anything out of bounds is bad usage. */
interface NumberOption extends OptionText {
  readonly type: 'number';
  readonly min: number;
  readonly max: number;
}

/** An option of a command: how it is parsed, and its help. */
export type CommandOption = FlagOption | TextOption | NumberOption;
export type CommandOptions = Readonly<Record<string, CommandOption>>;

type ValueOf<Option extends CommandOption> = Option extends FlagOption
  ? boolean
  : Option extends NumberOption
    ? number
    : Option extends { readonly choices: readonly (infer Choice)[] }
      ? Choice
      : string;

/** The values of the options that were given, by name. */
export type OptionValues<Options extends CommandOptions = CommandOptions> = {
  readonly [Name in keyof Options]?: ValueOf<Options[Name]> | undefined;
};

/** Returns shared options as they are, with their names and types inferred. */
export function defineOptions<const Options extends CommandOptions>(options: Options): Options {
  return options;
}

/** The options that every command has. */
export const COMMON_OPTIONS = defineOptions({
  vault: {
    type: 'string',
    value: 'FOLDER',
    help: 'the vault; default: the nearest folder upward with .rouxrc.json or .obsidian',
    completes: 'folder',
    // So that a second one is seen. Commands of one vault refuse it.
    isRepeated: true,
  },
  'allow-other-owner': { type: 'boolean', help: 'open the vault also where it, or its .roux, belongs to another user' },
  json: { type: 'boolean', help: 'print JSON' },
  help: { type: 'boolean', short: 'h', help: 'show this help' },
});

/** The option of commands that can keep running and print their answer again when it changes. */
export const WATCH_OPTION = defineOptions({
  watch: { type: 'boolean', help: 'keep running, and print it again whenever it has changed; Ctrl-C ends it' },
});

/** The options of every command that writes. */
export const WRITE_OPTIONS = defineOptions({
  'dry-run': { type: 'boolean', help: 'print the difference, write nothing' },
  agent: { type: 'string', value: 'NAME', help: 'who writes, in the history', setting: 'agent' },
  'if-version': { type: 'string', value: 'V', help: 'only while the vault is at this version (see "roux stats")' },
});

/** Higher bounds are not shown in the help. */
const MAX_SHOWN_BOUND = 10_000;

/** Returns the help of an option, with its choices or bounds and its default: `how many (1 to 50; default 10)`. */
export function optionHelp(option: CommandOption): string {
  const hints = [
    option.type === 'string' && option.choices !== undefined ? joinChoices(option.choices) : '',
    option.type === 'number' && option.max <= MAX_SHOWN_BOUND
      ? `${option.min} ${option.max === option.min + 1 ? 'or' : 'to'} ${option.max}`
      : '',
    option.default === undefined ? '' : `default ${option.default}`,
  ].filter((hint) => hint !== '');
  return hints.length === 0 ? option.help : `${option.help} (${hints.join('; ')})`;
}

function joinChoices(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1) ?? ''}`;
}

/** Converts options to the form that `parseArgs` takes. */
export function toParseOptions(options: CommandOptions): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      {
        type: option.type === 'boolean' ? 'boolean' : 'string',
        ...(option.short === undefined ? {} : { short: option.short }),
        ...(option.type === 'string' && option.isRepeated === true ? { multiple: true } : {}),
      },
    ]),
  );
}

/** A mistake in the command line; the usage is printed with it. */
export class UsageError extends Error {}

/** Parses the value of an option as `parseArgs` returns it. Throws `UsageError` for a number out of bounds and an unknown choice. */
export function readOption(name: string, value: unknown, option: CommandOption | undefined): string | number | boolean {
  if (typeof value !== 'string') return value === true;
  if (option?.type === 'string' && option.choices !== undefined) requireChoice(`--${name}`, value, option.choices);
  if (option?.type !== 'number') return value;
  const { min, max } = option;
  const number = /^[+-]?\d+$/.test(value.trim()) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`--${name} has to be a whole number ${bounds}, not "${value}"`);
}

/** Throws `UsageError` unless a word is one of the choices. */
export function requireChoice(what: string, word: string, choices: readonly string[]): void {
  if (choices.includes(word)) return;
  throw new UsageError(`${what} takes ${joinChoices(choices)}, not "${word}"${didYouMean(word, choices).replace(/[.?]$/, '')}`);
}
