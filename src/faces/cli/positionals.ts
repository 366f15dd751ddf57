import { resolve } from 'node:path';
import { usageOf } from './command.ts';
import type { Command } from './command.ts';
import { isFolder } from './find-vault.ts';
import { requireChoice, UsageError } from './options.ts';

/** The parsed positional words of a command line. */
export interface Positionals {
  readonly args: readonly string[];
  /** The vaults that were given as arguments: at most one, except for commands that take several. */
  readonly vaults: readonly string[];
}

/**
 * Parses the words after a command. Surplus words belong to its last argument, so that people can type `roux get my note`; they are never
 * taken as the vault, since a word of a title could match a folder by chance. Throws `UsageError` for words that have no meaning.
 */
export function readPositionals(command: Command, words: readonly string[], cwd: string): Positionals {
  const { name, takesVault, takesVaults, isRepeated, positionals = [] } = command;
  if (takesVault === true) {
    if (words.length > 1 && takesVaults !== true)
      throw new UsageError(`too many arguments: ${words.slice(1).join(' ')}; ${name} takes the folder of one vault`);
    return { args: [], vaults: words };
  }
  if (words.length < countRequired(command)) throw new UsageError(`${name} needs ${usageOf(command)}`);
  const last = positionals.length - 1;
  const isTooLong = isRepeated !== true && words.length > last + 1;
  if (isTooLong) refuseFolder(words.at(-1) ?? '', cwd);
  const isJoined = isTooLong && positionals[last]?.isJoined === true;
  if (isTooLong && !isJoined) {
    const extra = words.slice(last + 1).join(' ');
    throw new UsageError(
      positionals.length === 0
        ? `${name} takes no arguments, but got ${extra}; name the vault with --vault`
        : `too many arguments: ${extra}; put several words in quotes`,
    );
  }
  const args = isJoined ? [...words.slice(0, last), words.slice(last).join(' ')] : words;
  for (const [at, { choices }] of positionals.entries())
    if (choices !== undefined && args[at] !== undefined) requireChoice(name, args[at], choices);
  return { args, vaults: [] };
}

/** Returns how many words a command needs. */
export function countRequired({ positionals = [] }: Command): number {
  return positionals.filter(({ isOptional }) => isOptional !== true).length;
}

/** Throws if the last word is written like a path to an existing folder, which is then probably meant as the vault. */
function refuseFolder(word: string, cwd: string): void {
  if (!/^(\.{0,2}[/\\]|[A-Za-z]:[/\\])/.test(word) || !isFolder(resolve(cwd, word))) return;
  throw new UsageError(`${word} is a folder; name the vault with --vault, or put words that belong together in quotes`);
}
