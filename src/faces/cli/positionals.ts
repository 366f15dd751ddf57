import { resolve } from 'node:path';
import { UsageError } from './command.ts';
import type { Command } from './command.ts';
import { isFolder } from './find-vault.ts';

/** The parsed positional words of a command line. */
export interface Positionals {
  readonly args: readonly string[];
  /** The vault, if it was given as an argument. */
  readonly vault: string | undefined;
}

/**
 * Parses the words after a command. Surplus words belong to its last argument, so that people can type `roux get my note`; they are never
 * taken as the vault, since a word of a title could match a folder by chance. Throws `UsageError` for words that have no meaning.
 */
export function readPositionals(command: Command, words: readonly string[], cwd: string): Positionals {
  const { name, arity, usage } = command;
  if (command.takesVault === true) {
    if (words.length > 1) throw new UsageError(`too many arguments: ${words.slice(1).join(' ')}; ${name} takes the folder of one vault`);
    return { args: [], vault: words[0] };
  }
  if (words.length < arity) throw new UsageError(`${name} needs ${usage}`);
  if (command.isVariadic === true) return { args: words, vault: undefined };
  const last = Math.max(arity, command.isJoined === true ? 1 : 0) - 1;
  if (words.length <= last + 1) return { args: words, vault: undefined };
  refuseFolder(words.at(-1) ?? '', cwd);
  if (command.isJoined === true) return { args: [...words.slice(0, last), words.slice(last).join(' ')], vault: undefined };
  const extra = words.slice(arity).join(' ');
  throw new UsageError(
    arity === 0
      ? `${name} takes no arguments, but got ${extra}; name the vault with --vault`
      : `too many arguments: ${extra}; put several words in quotes`,
  );
}

/** Throws if the last word is written like a path to an existing folder, which is then probably meant as the vault. */
function refuseFolder(word: string, cwd: string): void {
  if (!/^(\.{0,2}[/\\]|[A-Za-z]:[/\\])/.test(word) || !isFolder(resolve(cwd, word))) return;
  throw new UsageError(`${word} is a folder; name the vault with --vault, or put words that belong together in quotes`);
}
