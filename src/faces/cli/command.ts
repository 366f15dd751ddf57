import type { ParseArgsConfig } from 'node:util';
import type { z } from 'zod';
import type { Config } from '../../config.ts';
import type { ArgumentsOf, Operation } from '../../ops/operation.ts';
import type { Answer } from '../../ops/session.ts';
import type { SetupFiles } from '../../ports.ts';
import type { Host, TrustedFolders } from '../host.ts';
import type { Sharing, SharingProgress, TemporaryCopy } from '../sharing.ts';
import type { Streams } from '../stdio/serve-stdio.ts';
import type { Painter } from './terminal.ts';

/** Exit statuses. */
export const DONE = 0;
export const FINDINGS = 1;
export const BAD_USAGE = 2;
export const COULD_NOT = 3;
/** The person left with Ctrl-C before anything was done, as shells tell it. */
export const LEFT = 130;
export type Status = typeof DONE | typeof FINDINGS | typeof BAD_USAGE | typeof COULD_NOT | typeof LEFT;

/**
 * What a word of the command line is, for completion: something of the vault, something of the file system, or one of a few words.
 * `reference` is whatever has a name: a note, another file, a `folder/`, a `#tag`; `any` is nothing that could be known.
 */
export type WordKind =
  | 'note'
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

interface OptionText {
  readonly short?: string;
  readonly help: string;
  /** The setting that it overrides, dotted. */
  readonly setting?: string;
}

/** `--json`: there or not. */
interface FlagOption extends OptionText {
  readonly type: 'boolean';
}

/** `--format NAME`: a text, its word in the help. */
interface TextOption extends OptionText {
  readonly type: 'string';
  readonly value: string;
  /** What its value is; of a list with commas, each of its values. */
  readonly completes?: WordKind;
}

/** `--limit N`: a whole number within bounds; anything else is bad usage. */
interface NumberOption extends OptionText {
  readonly type: 'number';
  readonly min: number;
  readonly max: number;
}

/** An option of a command: how it is read, and what the help says of it. */
export type CommandOption = FlagOption | TextOption | NumberOption;
export type CommandOptions = Readonly<Record<string, CommandOption>>;

type ValueOf<Option extends CommandOption> = Option extends FlagOption ? boolean : Option extends NumberOption ? number : string;

/** The options that were given, by their names. */
export type OptionValues<Options extends CommandOptions = CommandOptions> = {
  readonly [Name in keyof Options]?: ValueOf<Options[Name]> | undefined;
};

/** What a command runs with. */
export interface CommandContext<Options extends CommandOptions = CommandOptions> {
  readonly args: readonly string[];
  readonly options: OptionValues<Options>;
  readonly isJson: boolean;
  readonly paint: Painter;
  /** The width of the terminal; null where stdout is none: then nothing is cut. */
  readonly columns: number | null;
  /** Diagnostics go to a terminal, and into no file. */
  readonly isOnScreen: boolean;
  /** The vault as it was named on the command line; undefined: it was not. */
  readonly namedVault: string | undefined;
  /** Absolute path of the vault. */
  readonly vaultRoot: string;
  readonly cwd: string;
  /** The file of this program, or a link to it, as it was started. */
  readonly program: string;
  readonly config: Config;
  readonly host: Host;
  /** Opens a vault that is gone when the command ends, with settings made of the user's own; nothing about it is kept. Whoever opens it closes it. */
  readonly openTemporaryVault: (root: string, settings: (users: Config) => Config) => Host;
  /** What commands do about vaults that several machines share; loaded when it is asked for. */
  readonly openSharing: () => Promise<Sharing>;
  /** A folder that follows a vault of a store until its `end`, and is opened with the settings of this command line. */
  readonly openCopy: (
    url: string,
    signal: AbortSignal,
  ) => Promise<{ readonly host: Host; readonly config: Config; readonly copy: TemporaryCopy }>;
  /** Runs what counts its own steps; meanwhile a person who waits longer than a second sees how far it is. */
  readonly counted: <T>(work: (step: SharingProgress) => Promise<T>) => Promise<T>;
  readonly trusted: TrustedFolders;
  /** The files that set up a folder. */
  readonly openFiles: (folder: string) => Promise<SetupFiles>;
  /** Runs an operation as this terminal's user, on the complete vault. */
  run<In extends z.ZodObject, Out>(operation: Operation<In, Out>, args: ArgumentsOf<In>): Promise<Answer<Out>>;
  /** One line, or several, to stdout, for people. */
  readonly print: (text: string) => void;
  /** The text of a note, a difference or an export to stdout: as it is into a file or a pipe, visible on a terminal. */
  readonly printText: (text: string) => void;
  /** Compact JSON to stdout. */
  readonly printJson: (value: unknown) => void;
  /** Diagnostics to stderr. */
  readonly note: (text: string) => void;
  readonly readInput: () => Promise<string>;
  /** The client of `mcp`, where it is not at stdin and stdout. */
  readonly client?: Streams;
  /** Waits for something; meanwhile a person who waits longer than a second sees how far the vault is read. */
  readonly waitFor: <T>(work: Promise<T>) => Promise<T>;
}

/** A mistake in the command line, answered with the usage. */
export class UsageError extends Error {}

/** One command of the program. */
export interface Command<Options extends CommandOptions = CommandOptions> {
  readonly name: string;
  readonly summary: string;
  /** What follows `roux <name>`: `<ref>`. */
  readonly usage: string;
  /** What the help says besides: lines of their own. */
  readonly details?: readonly string[];
  readonly group: 'serve' | 'read' | 'write' | 'tasks' | 'memory' | 'knowledge' | 'care';
  readonly options?: Options;
  /** How many arguments it needs. */
  readonly arity: number;
  /** What its arguments are, in their order; over and over where it takes any number of them. */
  readonly completes?: readonly WordKind[];
  /** It is about a vault, which may be its one argument; every other command takes it from `--vault` or from where one stands. */
  readonly takesVault?: boolean;
  /** More words than it needs belong to the last one, as people type them without quotes: `search green tomatoes`. */
  readonly isJoined?: boolean;
  /** Takes any number of arguments, each for itself. */
  readonly isVariadic?: boolean;
  /** Where none of its arguments is given, a person at a terminal is asked for them. */
  readonly picks?: boolean;
  /** Its arguments are files, also where one begins with a dash; it has no options then. */
  readonly isLiteral?: boolean;
  /** Has nothing to do with the vault's configuration: it works also where that cannot be read. */
  readonly isStandalone?: boolean;
  /** Whether it only looks, given these options: then nothing at all is written below the vault, not even what makes the next start fast. */
  isLooking?(options: OptionValues<Options>): boolean;
  /** Keeps running and follows the disk. */
  readonly isFollowing?: boolean;
  run(context: CommandContext<Options>): Promise<Status>;
}

/** A command, its options known by their names and kinds where it runs. */
export function defineCommand<const Options extends CommandOptions = Record<never, never>>(command: Command<Options>): Command {
  return command;
}

/** Options that several commands have, with their names and kinds. */
export function defineOptions<const Options extends CommandOptions>(options: Options): Options {
  return options;
}

/** The option of commands that may keep running and print their answer again when it has changed. */
export const WATCH_OPTION = defineOptions({
  watch: { type: 'boolean', help: 'keep running, and print it again whenever it has changed; Ctrl-C ends it' },
});

/** Options of every command. */
export const COMMON_OPTIONS = defineOptions({
  vault: {
    type: 'string',
    value: 'FOLDER',
    help: 'the vault; default: the nearest folder upward with .rouxrc.json or .obsidian',
    completes: 'folder',
  },
  'allow-other-owner': { type: 'boolean', help: 'open the vault also where it, or its .roux, belongs to another user' },
  json: { type: 'boolean', help: 'print JSON' },
  help: { type: 'boolean', short: 'h', help: 'show this help' },
});

/** The options as `parseArgs` takes them. */
export function toParseOptions(options: CommandOptions): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [
      name,
      { type: type === 'boolean' ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) },
    ]),
  );
}

/** A number as an option was given it; null for what is no whole number within its bounds. */
export function readNumber(text: string, { min, max }: Pick<NumberOption, 'min' | 'max'>): number | null {
  const number = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : null;
}
