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
export const FAILED = 3;
/** The user quit with Ctrl-C before anything was done: 128 plus the number of SIGINT, as in shells. */
export const CANCELLED = 130;
export type Status = typeof DONE | typeof FINDINGS | typeof BAD_USAGE | typeof FAILED | typeof CANCELLED;

/**
 * What completion offers for a word of the command line: something in the vault, something in the file system, or one of a few words.
 * `reference` is anything with a name: a note, another file, a `folder/`, a `#tag`. `any` offers nothing.
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

type ValueOf<Option extends CommandOption> = Option extends FlagOption ? boolean : Option extends NumberOption ? number : string;

/** The values of the options that were given, by name. */
export type OptionValues<Options extends CommandOptions = CommandOptions> = {
  readonly [Name in keyof Options]?: ValueOf<Options[Name]> | undefined;
};

/** What a command receives when it runs. */
export interface CommandContext<Options extends CommandOptions = CommandOptions> {
  readonly args: readonly string[];
  readonly options: OptionValues<Options>;
  readonly isJson: boolean;
  readonly paint: Painter;
  /** The width of the terminal; null if stdout is not a terminal, in which case nothing is truncated. */
  readonly columns: number | null;
  /** Whether stderr is a terminal. */
  readonly isStderrTerminal: boolean;
  /** The vault as given on the command line; undefined if it was not given. */
  readonly namedVault: string | undefined;
  /** Absolute path of the vault. */
  readonly vaultRoot: string;
  readonly cwd: string;
  /** The path with which the program was started; it may be a link. */
  readonly program: string;
  readonly config: Config;
  readonly host: Host;
  /**
   * Opens a vault that exists only while this command runs, with settings derived from the user's. Nothing about it is remembered. The
   * caller closes it.
   */
  readonly openTemporaryVault: (root: string, settings: (users: Config) => Config) => Host;
  /** Loads the operations on shared vaults. */
  readonly openSharing: () => Promise<Sharing>;
  /** Makes a folder that follows a shared vault until `end` is called, and opens it with the settings of this command line. */
  readonly openCopy: (
    url: string,
    signal: AbortSignal,
  ) => Promise<{ readonly host: Host; readonly config: Config; readonly copy: TemporaryCopy }>;
  /** Runs work that reports its own steps. If it takes longer than a second, the user sees the progress. */
  readonly withProgress: <T>(work: (step: SharingProgress) => Promise<T>) => Promise<T>;
  readonly trusted: TrustedFolders;
  /** Opens the port through which setup files in a folder are read and written. */
  readonly openFiles: (folder: string) => Promise<SetupFiles>;
  /** Runs an operation as the user of this terminal, after the vault has been read completely. */
  run<In extends z.ZodObject, Out>(operation: Operation<In, Out>, args: ArgumentsOf<In>): Promise<Answer<Out>>;
  /** Prints one or more lines for people to stdout. */
  readonly print: (text: string) => void;
  /**
   * Prints the text of a note, a diff or an export to stdout: unchanged into a file or pipe, with control characters made visible on a
   * terminal.
   */
  readonly printText: (text: string) => void;
  /** Prints compact JSON to stdout. */
  readonly printJson: (value: unknown) => void;
  /** Prints a diagnostic to stderr. */
  readonly note: (text: string) => void;
  readonly readInput: () => Promise<string>;
  /** The streams of the `mcp` command if they are not stdin and stdout. */
  readonly client?: Streams;
  /** Waits for a promise. If that takes longer than a second, the user sees how much of the vault has been read. */
  readonly waitFor: <T>(work: Promise<T>) => Promise<T>;
}

/** A mistake in the command line; the usage is printed with it. */
export class UsageError extends Error {}

/** A command of the program. */
export interface Command<Options extends CommandOptions = CommandOptions> {
  readonly name: string;
  readonly summary: string;
  /** What follows `roux <name>` in the usage, such as `<ref>`. */
  readonly usage: string;
  /** Additional lines of the help. */
  readonly details?: readonly string[];
  readonly group: 'serve' | 'read' | 'write' | 'tasks' | 'memory' | 'knowledge' | 'care';
  readonly options?: Options;
  /** The number of required arguments. */
  readonly arity: number;
  /** What each argument is, in order; repeated for a variadic command. */
  readonly completes?: readonly WordKind[];
  /** Whether its only argument may be the vault. All other commands take the vault from `--vault` or from the current folder. */
  readonly takesVault?: boolean;
  /** Whether surplus words belong to the last argument, so that people need no quotes: `search green tomatoes`. */
  readonly isJoined?: boolean;
  /** Whether it takes any number of separate arguments. */
  readonly isVariadic?: boolean;
  /** Whether a user at a terminal is asked to choose when no argument is given. */
  readonly canPick?: boolean;
  /** Whether all arguments are files, even those that begin with a dash; such a command has no options. */
  readonly isLiteral?: boolean;
  /** Whether it ignores the vault's settings, so that it also works when they cannot be read. */
  readonly isStandalone?: boolean;
  /** Whether it only reads, given these options. Then nothing at all is written in the vault, not even the cache for the next start. */
  isReadOnly?(options: OptionValues<Options>): boolean;
  /** Whether it keeps running and watches the disk. */
  readonly isFollowing?: boolean;
  run(context: CommandContext<Options>): Promise<Status>;
}

/** Returns the command as it is, and infers the names and types of its options for `run`. */
export function defineCommand<const Options extends CommandOptions = Record<never, never>>(command: Command<Options>): Command {
  return command;
}

/** Returns shared options as they are, with their names and types inferred. */
export function defineOptions<const Options extends CommandOptions>(options: Options): Options {
  return options;
}

/** The option of commands that can keep running and print their answer again when it changes. */
export const WATCH_OPTION = defineOptions({
  watch: { type: 'boolean', help: 'keep running, and print it again whenever it has changed; Ctrl-C ends it' },
});

/** The options that every command has. */
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

/** Converts options to the form that `parseArgs` takes. */
export function toParseOptions(options: CommandOptions): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [
      name,
      { type: type === 'boolean' ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) },
    ]),
  );
}

/** Parses the value of a number option; null unless it is an integer within the bounds. */
export function readNumber(text: string, { min, max }: Pick<NumberOption, 'min' | 'max'>): number | null {
  const number = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : null;
}
