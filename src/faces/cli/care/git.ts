import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { errorMessage, RouxError } from '../../../errors.ts';
import { MERGE_ATTRIBUTES } from '../../../ops/care/git-files.ts';
import type { MergedFile, Versions } from '../../../ops/care/merge-files.ts';
import { BAD_USAGE, COULD_NOT, defineCommand, DONE, FINDINGS } from '../command.ts';
import type { Status } from '../command.ts';
import { shownArgument, whyNot } from '../show.ts';
import { completeFiles } from './complete-file.ts';

const run = promisify(execFile);

/** Teaches git to merge notes by meaning. */
export const git = defineCommand({
  name: 'git',
  summary: 'git install: let git merge the notes of this vault by meaning',
  usage: 'install [vault]',
  group: 'care',
  arity: 1,
  async run(context) {
    const { vaultRoot, args, paint } = context;
    if (args[0] !== 'install') {
      context.note(`roux git: there is no "${shownArgument(args[0] ?? '')}", only "roux git install".`);
      return BAD_USAGE;
    }
    await requireRepository(vaultRoot);
    const written = completeFiles(vaultRoot, [MERGE_ATTRIBUTES]);
    const driver = `${programCall()} merge-driver %O %A %B %P`;
    await run('git', ['-C', vaultRoot, 'config', 'merge.roux.name', 'notes merged by meaning']);
    await run('git', ['-C', vaultRoot, 'config', 'merge.roux.driver', driver]);
    if (context.isJson) context.printJson({ written, driver });
    else {
      for (const name of written) context.print(`${paint.green('wrote')} ${name}`);
      context.print(`git config merge.roux.driver "${driver}"`);
      context.print('Commit .gitattributes; run this once in every other clone: git does not carry its configuration over.');
    }
    return DONE;
  },
});

/** Merges one file for git: exit status 0 for a clean merge, 1 when a person has to look. */
export const mergeDriver = defineCommand({
  name: 'merge-driver',
  summary: 'merge one note for git, which calls this (see "roux git install")',
  usage: '%O %A %B [%P]',
  group: 'care',
  arity: 3,
  isVariadic: true,
  isStandalone: true,
  async run({ args, cwd, note }): Promise<Status> {
    const [base, ours, theirs] = args.slice(0, 3).map((file) => resolve(cwd, file)) as [string, string, string];
    const path = args[3] ?? 'note.md';
    const versions = await readVersions({ base, ours, theirs });
    const merged = await merge(path, versions, note);
    if (merged === null) return mergePlainly({ base, ours, theirs, cwd });
    await writeFile(ours, merged.text);
    if (merged.conflict !== null) note(`roux: ${merged.conflict}`);
    return merged.conflict === null ? DONE : FINDINGS;
  },
});

async function readVersions({ base, ours, theirs }: Readonly<Record<keyof Versions, string>>): Promise<Versions> {
  try {
    return { base: await readFile(base), ours: await readFile(ours), theirs: await readFile(theirs) };
  } catch (error) {
    const message = `A version to merge cannot be read (${whyNot(error)}); git gives three files of its own.`;
    throw new RouxError('IO_ERROR', message, undefined, { cause: error });
  }
}

/** A fault of ours must not cost anybody their merge: git's own way of merging is still there. */
async function merge(path: string, versions: Versions, note: (text: string) => void): Promise<MergedFile | null> {
  try {
    // Loaded here, because no other command needs it.
    const { mergeFiles } = await import('../../../ops/care/merge-files.ts');
    return mergeFiles(path, versions);
  } catch (error) {
    note(`roux: ${path} could not be merged by meaning (${errorMessage(error)}); it is merged line by line.`);
    return null;
  }
}

/** Line by line, by git itself; more than 127 conflicts and errors have other statuses. */
async function mergePlainly(files: { base: string; ours: string; theirs: string; cwd: string }): Promise<Status> {
  try {
    await run('git', ['merge-file', '-L', 'ours', '-L', 'base', '-L', 'theirs', files.ours, files.base, files.theirs], { cwd: files.cwd });
    return DONE;
  } catch (error) {
    const status = error instanceof Error && 'code' in error ? error.code : null;
    return typeof status === 'number' && status < 128 ? FINDINGS : COULD_NOT;
  }
}

async function requireRepository(vaultRoot: string): Promise<void> {
  try {
    await run('git', ['-C', vaultRoot, 'rev-parse', '--git-dir']);
  } catch (error) {
    const message = `${vaultRoot} is in no git repository that git can read; run "git init" there first.`;
    throw new RouxError('INVALID_PARAMS', message, { vault: vaultRoot }, { cause: error });
  }
}

/** How git calls this program: by name where that is found, else by its place on this machine. */
function programCall(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const names = process.platform === 'win32' ? ['roux.cmd', 'roux.exe'] : ['roux'];
  if (folders.some((folder) => names.some((name) => existsSync(join(folder, name))))) return 'roux';
  return [process.execPath, realpathSync(process.argv[1] ?? 'roux')].map(quote).join(' ');
}

/** Git runs drivers with a shell, and takes `%` for itself. */
function quote(path: string): string {
  return `'${path.replaceAll('\\', '/').replaceAll("'", "'\\''").replaceAll('%', '%%')}'`;
}
