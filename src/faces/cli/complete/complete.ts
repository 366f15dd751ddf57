import type { Config } from '../../../config.ts';
import { UNSEEN } from '../../../terminal-text.ts';
import type { Host } from '../../host.ts';
import { commandNames, findCommand, listCommands } from '../command-list.ts';
import type { Command } from '../command.ts';
import { findVault } from '../find-vault.ts';
import { bareWord, readBashLine, spellForBash } from './bash-line.ts';
import type { BashLine } from './bash-line.ts';
import { completePlace } from './candidates.ts';
import type { Candidate, Completion, Sources } from './candidates.ts';

/** What completion has of its process. */
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
 * What the scripts of `roux completion` ask while somebody types: `roux complete bash <line up to the cursor> <COMP_WORDBREAKS>`,
 * `roux complete zsh|fish <words> <word under the cursor>`. The answer is lines: `words`, `files` or `folders`, then candidates, each
 * with a tab and a few words about it where there are some. For bash they are quoted as they are to stand on the line; zsh and fish
 * quote by themselves. Candidates are those of the last start: no note is looked at, nothing is written, and whatever goes wrong is
 * no candidate.
 */
export async function completionLines(program: CompletingProgram, [shell, ...args]: readonly string[]): Promise<string> {
  try {
    const { kind, ...rest } = shell === 'bash' ? await forBash(program, args) : await forOthers(program, args);
    const words = 'words' in rest ? rest.words : [];
    return [kind, ...words.map(lineOf)].map((line) => `${line}\n`).join('');
  } catch {
    // Nobody asked for a message while typing.
    return 'words\n';
  }
}

function lineOf({ text, about }: Candidate): string {
  return about === undefined ? text : `${text}\t${about.replace(UNSEEN, '')}`;
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
 * Bash replaces what was typed by what all candidates begin with, in their case: only those may be among them that leave it no shorter.
 */
function replaceable(candidates: readonly Candidate[], { current, kept }: BashLine): readonly Candidate[] {
  const keeping = candidates.filter(({ text }) => text.startsWith(kept));
  if (keeping.length === 1) return keeping;
  const exact = keeping.filter(({ text }) => text.startsWith(current));
  if (exact.length > 0) return exact;
  const [{ text: first } = { text: '' }] = keeping;
  const shared = first.slice(0, current.length);
  return keeping.every(({ text }) => text.startsWith(shared)) && shared.toLowerCase() === current.toLowerCase() ? keeping : [];
}

function spelled(text: string, { kept, quote }: BashLine): readonly Candidate[] {
  const spelling = spellForBash(text.slice(kept.length), quote);
  return spelling === null || spelling === '' ? [] : [{ text: spelling }];
}

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

const HELP: Command = {
  name: 'help',
  summary: 'what the commands are, or what one takes',
  usage: '[command]',
  group: 'care',
  arity: 0,
  completes: ['command'],
  run: () => Promise.reject(new Error('never run')),
};

async function completeCommand(current: string): Promise<Completion> {
  const commands = current.startsWith('-') ? [] : [...(await listCommands()), HELP];
  const all = [
    ...commands.map(({ name, summary }) => ({ text: name, about: summary })),
    ...(current.startsWith('-') ? [{ text: '--help' }, { text: '--version' }] : []),
  ];
  return { kind: 'words', words: all.filter(({ text }) => text.startsWith(current)) };
}

/** The vault that the words mean, opened when something of it is asked for. */
function openSources(program: CompletingProgram, words: readonly string[]): Sources & { close(): Promise<void> } {
  const { cwd, env } = program;
  const root = findVault({ named: namedVault(words, env) ?? env['ROUX_VAULT'], cwd });
  const config = (): Config => program.loadConfig({ vaultRoot: root, flags: [] });
  let host: Pick<Host, 'remembered' | 'close'> | undefined;
  return {
    commands: commandNames,
    tasksRoot: () => config().tasks.root,
    remembered: () =>
      (host ??= program.openHost({ root, config: config(), isFollowing: false, isRehearsing: true, flags: [] })).remembered(),
    close: async () => host?.close(),
  };
}

/** The folder behind `--vault`, with `~/` as the shell will read it. */
function namedVault(words: readonly string[], env: CompletingProgram['env']): string | undefined {
  const at = words.findLastIndex((word) => word === '--vault' || word.startsWith('--vault='));
  const named = words[at] === '--vault' ? words[at + 1] : words[at]?.slice('--vault='.length);
  return named?.replace(/^~(?=\/|$)/, () => env['HOME'] ?? '~');
}
