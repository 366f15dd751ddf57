import type { z } from 'zod';
import type { Config } from '../../config.ts';
import type { ArgumentsOf, Operation } from '../../ops/operation.ts';
import type { Answer } from '../../ops/session.ts';
import type { SetupFiles } from '../../ports.ts';
import type { Host, TrustedFolders } from '../host.ts';
import type { Sharing, SharingProgress, TemporaryCopy } from '../sharing.ts';
import type { StdioClient } from '../stdio/serve-stdio.ts';
import type { CommandOptions, OptionValues, WordKind } from './options.ts';
import type { Painter } from './terminal.ts';

/** Exit statuses. */
export const DONE = 0;
export const FINDINGS = 1;
export const BAD_USAGE = 2;
export const FAILED = 3;
/** The user quit with Ctrl-C before anything was done: 128 plus the number of SIGINT, as in shells. */
export const CANCELLED = 130;
export type Status = typeof DONE | typeof FINDINGS | typeof BAD_USAGE | typeof FAILED | typeof CANCELLED;

/** A word that a command takes besides its options. */
export interface Positional {
  /** What the usage calls it, such as `ref` for `<ref>`. */
  readonly name: string;
  readonly completes?: WordKind;
  /** The valid words; anything else is bad usage. */
  readonly choices?: readonly string[];
  readonly isOptional?: boolean;
  /** Whether surplus words belong to it, so that people need no quotes: `search green tomatoes`. Only for the last one. */
  readonly isJoined?: boolean;
}

/** What a command receives when it runs. */
export interface CommandContext<Options extends CommandOptions = CommandOptions> {
  readonly args: readonly string[];
  readonly options: OptionValues<Options>;
  /** The vault, as this command line sets it up. */
  readonly host: Host;
  /** The other vaults that were named, for a command that takes several. */
  readonly others: readonly Host[];
  /** Runs an operation as the user of this terminal, after the vault has been read completely. */
  run<In extends z.ZodObject, Out>(operation: Operation<In, Out>, args: ArgumentsOf<In>): Promise<Answer<Out>>;
  readonly isJson: boolean;
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
  readonly paint: Painter;
  /** The width of the terminal; null if stdout is not a terminal, in which case nothing is truncated. */
  readonly columns: number | null;
  readonly program: CommandProgram;
}

/** The program that runs a command, and what it opens besides the vault. */
export interface CommandProgram {
  /** The path with which the program was started; it may be a link. */
  readonly file: string;
  readonly cwd: string;
  /** The vault as given on the command line; undefined if it was not given. */
  readonly namedVault: string | undefined;
  readonly trusted: TrustedFolders;
  readonly readInput: () => Promise<string>;
  /** Whether a person at a terminal can be asked. */
  readonly canAsk: boolean;
  readonly isStdinTerminal: boolean;
  /** Whether stderr is a terminal. */
  readonly isStderrTerminal: boolean;
  /** Waits for a promise. If that takes longer than a second, the user sees how much of the vault has been read. */
  readonly waitFor: <T>(work: Promise<T>) => Promise<T>;
  /** Runs work that reports its own steps. If it takes longer than a second, the user sees the progress. */
  readonly withProgress: <T>(work: (step: SharingProgress) => Promise<T>) => Promise<T>;
  /** The client of the `mcp` command if another script has found it. */
  readonly client?: StdioClient;
  /** Opens the port through which setup files in a folder are read and written. */
  readonly openFiles: (folder: string) => Promise<SetupFiles>;
  /**
   * Opens a vault that exists only while this command runs, with settings that may derive from those that it would have otherwise, which
   * are read only if they are asked for. Nothing about it is remembered. The caller closes it. `isFollowing`: what changes in it is followed, as by default.
   */
  readonly openTemporaryVault: (root: string, settings: (usual: () => Config) => Config, how?: { readonly isFollowing: boolean }) => Host;
  /** Loads the operations on shared vaults. */
  readonly openSharing: () => Promise<Sharing>;
  /** Makes a folder that follows a shared vault until `end` is called, and opens it with the settings of this command line. */
  readonly openCopy: (url: string, signal: AbortSignal) => Promise<{ readonly host: Host; readonly copy: TemporaryCopy }>;
}

/** A command of the program. */
export interface Command<Options extends CommandOptions = CommandOptions> {
  readonly name: string;
  readonly summary: string;
  /** What follows `roux <name>` in the usage, if that is not the positionals. */
  readonly usage?: string;
  /** Additional lines of the help. */
  readonly details?: readonly string[];
  readonly group: 'serve' | 'read' | 'write' | 'tasks' | 'memory' | 'knowledge' | 'care';
  readonly positionals?: readonly Positional[];
  readonly options?: Options;
  /** Whether its only argument may be the vault. All other commands take the vault from `--vault` or from the current folder. */
  readonly takesVault?: boolean;
  /** Whether it takes several vaults: their folders as arguments, or `--vault` several times. */
  readonly takesVaults?: boolean;
  /** Whether the positionals may be given several times. */
  readonly isRepeated?: boolean;
  /** Whether a user at a terminal is asked to choose when no argument is given. */
  readonly canPick?: boolean;
  /** Whether all arguments are files, even those that begin with a dash; such a command has no options. */
  readonly isLiteral?: boolean;
  /** Whether it ignores the vault's settings, so that it also works when they cannot be read. */
  readonly isStandalone?: boolean;
  /** Whether it only reads, given these options and words. Then nothing at all is written in the vault, not even the cache for the next start. */
  isReadOnly?(options: OptionValues, args: readonly string[]): boolean;
  /** Whether what it prints for people is shown in a pager if the terminal has fewer lines. */
  isPaged?(args: readonly string[]): boolean;
  /** Whether it keeps running and watches the disk. */
  readonly isFollowing?: boolean;
  run(context: CommandContext<Options>): Promise<Status>;
}

/** Returns the command as it is, and infers the names and types of its options for `run`. */
export function defineCommand<const Options extends CommandOptions = Record<never, never>>(command: Command<Options>): Command {
  return command;
}

/** Returns what follows `roux <name>`: `<ref> [text]`. */
export function usageOf({ usage, takesVault, takesVaults, positionals = [] }: Command): string {
  if (usage !== undefined) return usage;
  if (takesVault === true) return takesVaults === true ? '[vault...]' : '[vault]';
  return positionals.map(({ name, isOptional }) => (isOptional === true ? `[${name}]` : `<${name}>`)).join(' ');
}
