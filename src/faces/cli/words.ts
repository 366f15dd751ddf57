import { resolve } from 'node:path';
import { UsageError } from './command.ts';
import type { Command } from './command.ts';
import { isFolder } from './find-vault.ts';

/** What the words behind a command mean. */
export interface Words {
  readonly args: readonly string[];
  /** The vault, where it is named among them. */
  readonly vault: string | undefined;
}

/**
 * What the words behind a command mean. Those beyond what it needs belong to its last argument, as people type `roux get my note`;
 * they are never the vault, which a word of a title could be by chance. Throws `UsageError` for words that have no meaning.
 */
export function readWords(command: Command, words: readonly string[], cwd: string): Words {
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

/** A folder that is written as one, behind other words, is meant as the vault. */
function refuseFolder(word: string, cwd: string): void {
  if (!/^(\.{0,2}[/\\]|[A-Za-z]:[/\\])/.test(word) || !isFolder(resolve(cwd, word))) return;
  throw new UsageError(`${word} is a folder; name the vault with --vault, or put words that belong together in quotes`);
}
