import { readFile, writeFile } from 'node:fs/promises';
import { resolve, join } from 'node:path';
import { lstatSync } from 'node:fs';
import { errorMessage, RouxError } from '../../../errors.ts';
import { MERGE_ATTRIBUTES } from '../../../ops/care/git-files.ts';
import type { MergedFile, Versions } from '../../../ops/care/merge-files.ts';
import { FAILED, defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { shellLine } from '../shell-word.ts';
import { describeFileError } from '../show.ts';
import { completeFiles } from './complete-file.ts';
import { joinOutcomes, refuseReadOnly, showOutcome, statusOfSetup } from './setup-outcome.ts';
import type { SetupOutcome } from './setup-outcome.ts';
import { firstLine, programWords, runGit } from './run-git.ts';
import { findRepository } from '../../../git/repository.ts';

/** The configuration file of the git repository that contains a folder. */
type RepositoryConfig =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly file: string }
  /** The file may belong to another repository, or may not be a regular file; `reason` is a clause. */
  | { readonly kind: 'barred'; readonly reason: string };

/** `roux git install`: registers the merge driver with git. */
export const git = defineCommand({
  name: 'git',
  summary: 'git install: let git merge the notes of this vault by meaning',
  group: 'care',
  usage: 'install',
  positionals: [{ name: 'action', choices: ['install'] }],
  async run(context) {
    const vaultRoot = context.host.root;
    refuseReadOnly(context, 'git install');
    const config = findRepositoryConfig(vaultRoot);
    if (config.kind === 'none') {
      const message = `${vaultRoot} is in no git repository; run "git init" there first.`;
      throw new RouxError('INVALID_PARAMS', message, { vault: vaultRoot });
    }
    const driver = `${programCall(context)} merge-driver %O %A %B %P`;
    const attributes = await completeFiles(await context.program.openFiles(vaultRoot), [MERGE_ATTRIBUTES]);
    const registered = await registerDriver(config, driver, vaultRoot);
    const outcome = joinOutcomes([attributes, registered]);
    if (context.isJson) context.printJson({ ...outcome, driver });
    else {
      showOutcome(context, outcome);
      if (registered.left.length === 0) context.print(shellLine(['git', 'config', 'merge.roux.driver', driver]));
      context.print('Commit .gitattributes; run this once in every other clone: git does not carry its configuration over.');
    }
    return statusOfSetup(outcome);
  },
});

/** Registers the merge driver in the configuration of a repository, unless it is registered already. */
async function registerDriver(
  config: Exclude<RepositoryConfig, { kind: 'none' }>,
  driver: string,
  vaultRoot: string,
): Promise<SetupOutcome> {
  const settings = { 'merge.roux.name': 'notes merged by meaning', 'merge.roux.driver': driver };
  const add = Object.entries(settings).map(([key, value]) => shellLine(['git', '-C', vaultRoot, 'config', '--replace-all', key, value]));
  const leave = (reason: string, isFailure: boolean): SetupOutcome => ({
    written: [],
    left: [{ file: '.git/config', reason, add: add.join('\n'), isFailure }],
  });
  if (config.kind === 'barred') return leave(config.reason, false);
  try {
    const there = await runGit(['config', '--file', config.file, '--null', '--list'], { vault: vaultRoot });
    const lines = there.split('\0').filter((line) => line.startsWith('merge.roux.'));
    const missing = Object.entries(settings).filter(([key, value]) => !isOnly(lines, key, value));
    for (const [key, value] of missing) await runGit(['config', '--file', config.file, '--replace-all', key, value], { vault: vaultRoot });
    return { written: missing.length === 0 ? [] : ['.git/config'], left: [] };
  } catch (error) {
    return leave(firstLine(error), true);
  }
}

/** Whether a setting has this value and no other. */
function isOnly(lines: readonly string[], key: string, value: string): boolean {
  const own = lines.filter((line) => line.startsWith(`${key}\n`));
  return own.length === 1 && own[0] === `${key}\n${value}`;
}

const FILE = { name: 'file', completes: 'file' } as const;

/** `roux merge-driver`: merges one file for git. The exit status is 0 for a clean merge and 1 when the user has to resolve something. */
export const mergeDriver = defineCommand({
  name: 'merge-driver',
  summary: 'merge one note for git, which calls this (see "roux git install")',
  group: 'care',
  isLiteral: true,
  usage: '%O %A %B [%P]',
  positionals: [FILE, FILE, FILE, { ...FILE, isOptional: true, isJoined: true }],
  isStandalone: true,
  async run({ args, program: { cwd }, note }): Promise<Status> {
    const [base, ours, theirs] = args.slice(0, 3).map((file) => resolve(cwd, file)) as [string, string, string];
    const path = args[3] ?? 'note.md';
    const versions = await readVersions({ base, ours, theirs });
    const merged = await merge(path, versions, note);
    if (merged === null) return mergeByLine({ base, ours, theirs, cwd });
    await writeFile(ours, merged.text);
    if (merged.conflict !== null) note(`roux: ${merged.conflict}`);
    return merged.conflict === null ? DONE : FINDINGS;
  },
});

async function readVersions({ base, ours, theirs }: Readonly<Record<keyof Versions, string>>): Promise<Versions> {
  try {
    return { base: await readFile(base), ours: await readFile(ours), theirs: await readFile(theirs) };
  } catch (error) {
    const message = `A version to merge cannot be read (${describeFileError(error)}); git gives three files of its own.`;
    throw new RouxError('IO_ERROR', message, undefined, { cause: error });
  }
}

/** Merges three versions, or returns null after an error: a bug in roux must not block a merge that git can do itself. */
async function merge(path: string, versions: Versions, note: (text: string) => void): Promise<MergedFile | null> {
  try {
    // Imported lazily, because no other command needs it.
    const { mergeFiles } = await import('../../../ops/care/merge-files.ts');
    return mergeFiles(path, versions);
  } catch (error) {
    note(`roux: ${path} could not be merged by meaning (${errorMessage(error)}); it is merged line by line.`);
    return null;
  }
}

/** Merges line by line with git itself. Git's status is the number of conflicts, at most 127; larger statuses are errors. */
async function mergeByLine(files: { base: string; ours: string; theirs: string; cwd: string }): Promise<Status> {
  const labels = ['-L', 'ours', '-L', 'base', '-L', 'theirs'];
  try {
    await runGit(['merge-file', ...labels, files.ours, files.base, files.theirs], { vault: files.cwd });
    return DONE;
  } catch (error) {
    const status = error instanceof Error && 'code' in error ? error.code : null;
    return typeof status === 'number' && status < 128 ? FINDINGS : FAILED;
  }
}

/** Returns the command with which git calls this program. */
function programCall(context: Pick<CommandContext, 'program'>): string {
  const words = programWords(context);
  return words.length === 1 ? words.join('') : words.map(quote).join(' ');
}

/** Quotes a path for git, which runs drivers in a shell and expands `%` itself. */
function quote(path: string): string {
  const named = process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
  return `'${named.replaceAll("'", String.raw`'\''`).replaceAll('%', '%%')}'`;
}

/** Finds the configuration file without following links, because a link could point to any file. */
export function findRepositoryConfig(root: string): RepositoryConfig {
  const found = findRepository(root);
  if (found.kind !== 'found') return found;
  const file = join(found.git, 'config');
  const state = lstatSync(file, { throwIfNoEntry: false });
  if (state === undefined || (state.isFile() && state.nlink === 1)) return { kind: 'found', file };
  return { kind: 'barred', reason: `${file} is a link, or no regular file` };
}
