import type { ParseArgsConfig } from 'node:util';
import type { Config } from '../../config.ts';
import type { Operation, OperationContext } from '../../ops/operation.ts';
import type { Host, ServedVault } from '../host.ts';
import type { Painter } from './terminal.ts';

/** Exit statuses. */
export const DONE = 0;
export const FINDINGS = 1;
export const BAD_USAGE = 2;
export const COULD_NOT = 3;
export type Status = typeof DONE | typeof FINDINGS | typeof BAD_USAGE | typeof COULD_NOT;

/** An option of a command: how it is parsed, and what the help says of it. */
export interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** The word for its value in the help: `--port N`. */
  readonly value?: string;
  readonly help: string;
  /** The setting that it overrides, dotted. */
  readonly setting?: string;
}

export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** What a command runs with. */
export interface CommandContext {
  readonly args: readonly string[];
  readonly options: OptionValues;
  readonly isJson: boolean;
  readonly paint: Painter;
  /** The width of the terminal; null where stdout is none: then nothing is cut. */
  readonly columns: number | null;
  /** Absolute path of the vault. */
  readonly vaultRoot: string;
  readonly cwd: string;
  readonly config: Config;
  readonly host: Host;
  /** The open vault, complete. */
  vault(): Promise<ServedVault>;
  /** Runs an operation as this terminal's user. */
  run(
    operation: Operation,
    args: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly output: unknown; readonly warnings: readonly string[] }>;
  /** What operations that are called without `run` need. */
  context(): Promise<OperationContext>;
  /** One line, or several, to stdout. */
  readonly print: (text: string) => void;
  /** Compact JSON to stdout. */
  readonly printJson: (value: unknown) => void;
  /** Diagnostics to stderr. */
  readonly note: (text: string) => void;
  readonly readInput: () => Promise<string>;
}

/** One command of the program. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** What follows `roux <name>`: `<ref> [vault]`. */
  readonly usage: string;
  readonly group: 'serve' | 'read' | 'write' | 'tasks' | 'memory' | 'care';
  readonly options?: Readonly<Record<string, CommandOption>>;
  /** How many arguments it needs besides the vault; the vault follows them. */
  readonly arity: number;
  /** Takes all arguments for itself: the vault is where it is called, or `--vault`. */
  readonly isVariadic?: boolean;
  /** Has nothing to do with the vault's configuration: it works also where that cannot be read. */
  readonly isStandalone?: boolean;
  /** Keeps running and follows the disk. */
  readonly isFollowing?: boolean;
  run(context: CommandContext): Promise<Status>;
}

/** The identity, for its type. */
export function defineCommand(command: Command): Command {
  return command;
}

/** Options of every command. */
export const COMMON_OPTIONS: Readonly<Record<string, CommandOption>> = {
  vault: { type: 'string', value: 'FOLDER', help: 'the vault; default: the nearest folder upward with .rouxrc.json or .obsidian' },
  json: { type: 'boolean', help: 'print JSON' },
  help: { type: 'boolean', short: 'h', help: 'show this help' },
};

/** The options as `parseArgs` takes them. */
export function toParseOptions(options: Readonly<Record<string, CommandOption>>): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [name, { type, ...(short === undefined ? {} : { short }) }]),
  );
}
