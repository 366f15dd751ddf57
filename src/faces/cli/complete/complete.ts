import type { Config } from '../../../config.ts';
import { completePath } from '../../../git/complete-path.ts';
import { isSha256, readIndex } from '../../../git/index-file.ts';
import { findCheckout } from '../../../git/worktrees.ts';
import { replaceInvisible } from '../../../terminal-text.ts';
import type { Host } from '../../host.ts';
import { commandNames, findCommand, listCommands } from '../command-list.ts';
import type { Command } from '../command.ts';
import { findVault, vaultInEnvironment } from '../find-vault.ts';
import { bareWord, readBashLine, spellForBash } from './bash-line.ts';
import type { BashLine } from './bash-line.ts';
import { completePlace } from './candidates.ts';
import type { Candidate, Completion, Sources } from './candidates.ts';

/** What completion needs of the process. */
export interface CompletingProgram {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  loadConfig(query: { vaultRoot: string; flags: readonly [] }): Config;
  openHost(options: {
    root: string;
    config: Config;
    isFollowing: boolean;
    isRehearsing: boolean;
    flags: readonly [];
  }): Pick<Host, 'remembered' | 'close'>;
}

const NOTHING: Completion = { kind: 'words', words: [] };

/**
 * Answers the scripts of `roux completion` while the user types: `roux complete bash <line up to the cursor> <COMP_WORDBREAKS>` or `roux
 * complete zsh|fish <words> <word at the cursor>`. The first line of the answer is `words`, `files` or `folders`; then comes one candidate
 * a line, optionally followed by a tab and a description. Candidates for bash are quoted for the command line; zsh and fish quote them
 * themselves. Candidates come from the cache of the last start: no note is read, nothing is written, and any error yields no candidates.
 */
export async function completionLines(program: CompletingProgram, [shell, ...args]: readonly string[]): Promise<string> {
  try {
    const { kind, ...rest } = shell === 'bash' ? await forBash(program, args) : await forOthers(program, args);
    const words = 'words' in rest ? rest.words : [];
    return [kind, ...words.map(lineOf)].map((line) => `${line}\n`).join('');
  } catch {
    // An error message would disturb the line being typed.
    return 'words\n';
  }
}

function lineOf({ text, about }: Candidate): string {
  return about === undefined ? text : `${text}\t${replaceInvisible(about, () => '')}`;
}

function forOthers(program: CompletingProgram, args: readonly string[]): Promise<Completion> {
  return completeWords(program, args.slice(0, -1), bareWord(args.at(-1) ?? ''));
}

async function forBash(program: CompletingProgram, [given = '', breaks = '']: readonly string[]): Promise<Completion> {
  const line = readBashLine(given, breaks);
  if (line === null) return NOTHING;
  const found = await completeWords(program, line.words.slice(1), line.current);
  if (found.kind !== 'words') return found;
  return { kind: 'words', words: replaceable(found.words, line).flatMap(({ text }) => spelled(text, line)) };
}

/**
 * Returns the candidates that bash may show. Bash replaces what was typed with the common prefix of all candidates, in their case, so only
 * those are returned that do not make it shorter.
 */
function replaceable(candidates: readonly Candidate[], { current, fixedPrefix }: BashLine): readonly Candidate[] {
  const keeping = candidates.filter(({ text }) => text.startsWith(fixedPrefix));
  if (keeping.length === 1) return keeping;
  const exact = keeping.filter(({ text }) => text.startsWith(current));
  if (exact.length > 0) return exact;
  const [{ text: first } = { text: '' }] = keeping;
  const shared = first.slice(0, current.length);
  return keeping.every(({ text }) => text.startsWith(shared)) && shared.toLowerCase() === current.toLowerCase() ? keeping : [];
}

function spelled(text: string, { fixedPrefix, quote }: BashLine): readonly Candidate[] {
  const spelling = spellForBash(text.slice(fixedPrefix.length), quote);
  return spelling === null || spelling === '' ? [] : [{ text: spelling }];
}

const HELP: Command = {
  name: 'help',
  summary: 'what the commands are, or what one takes',
  group: 'care',
  positionals: [{ name: 'command', completes: 'command', isOptional: true }],
  run: () => Promise.reject(new Error('never run')),
};

async function completeWords(program: CompletingProgram, words: readonly string[], current: string): Promise<Completion> {
  const [name, ...rest] = words;
  if (name === undefined) return completeCommand(current);
  const sources = openSources(program, rest);
  const command = name === 'help' ? HELP : await findCommand(name);
  try {
    return command === null ? NOTHING : await completePlace({ command, words: rest, current }, sources);
  } finally {
    await sources.close();
  }
}

async function completeCommand(current: string): Promise<Completion> {
  const commands = current.startsWith('-') ? [] : [...(await listCommands()), HELP];
  const all = [
    ...commands.map(({ name, summary }) => ({ text: name, about: summary })),
    ...(current.startsWith('-') ? [{ text: '--help' }, { text: '--version' }] : []),
  ];
  return { kind: 'words', words: all.filter(({ text }) => text.startsWith(current)) };
}

/** Finds the vault that the words refer to, and opens it when a candidate is needed from it. */
function openSources(program: CompletingProgram, words: readonly string[]): Sources & { close(): Promise<void> } {
  const { cwd, env } = program;
  const root = findVault({ named: namedVault(words, env) ?? vaultInEnvironment(env), cwd });
  const config = (): Config => program.loadConfig({ vaultRoot: root, flags: [] });
  let host: Pick<Host, 'remembered' | 'close'> | undefined;
  return {
    commands: commandNames,
    tasksRoot: () => config().tasks.root,
    code: (typed) => completePath(trackedPaths(root), typed),
    remembered: () =>
      (host ??= program.openHost({ root, config: config(), isFollowing: false, isRehearsing: true, flags: [] })).remembered(),
    close: async () => host?.close(),
  };
}

/** Returns the tracked files of the repository around a vault, as git's index has them. */
function trackedPaths(root: string): readonly string[] {
  const checkout = findCheckout(root);
  if (checkout === null) return [];
  const index = readIndex(checkout.own, isSha256(checkout.common) ? 32 : 20);
  return (index?.entries ?? []).map(({ path }) => path).sort();
}

/** Returns the folder after `--vault`, with `~/` expanded as the shell will expand it. */
function namedVault(words: readonly string[], env: CompletingProgram['env']): string | undefined {
  const at = words.findLastIndex((word) => word === '--vault' || word.startsWith('--vault='));
  const named = words[at] === '--vault' ? words[at + 1] : words[at]?.slice('--vault='.length);
  return named?.replace(/^~(?=\/|$)/, () => env['HOME'] ?? '~');
}
