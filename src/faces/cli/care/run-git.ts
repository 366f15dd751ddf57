import { execFile } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { RouxError } from '../../../errors.ts';

const run = promisify(execFile);

/**
 * Runs git on files that are named by their absolute paths, and returns what it printed. It knows no repository: not the
 * one that it is called for, whose configuration may have come with the vault and can name programs that git starts
 * (`core.fsmonitor`, hooks, filters, pagers), and none that the environment names. `vault`: no git that lies in there.
 */
export async function runGit(args: readonly string[], { vault }: { readonly vault: string }): Promise<string> {
  const git = searchedFolders()
    .filter((folder) => isAbsolute(folder) && !isInside(folder, vault))
    .map((folder) => programIn(folder, 'git'))
    .find((found) => found !== null);
  if (git === undefined) throw new RouxError('IO_ERROR', 'git is not installed, or not on the PATH.');
  const { stdout } = await run(git, [...SAFE_SETTINGS, ...args], { cwd: dirname(git), env: environment() });
  return stdout;
}

/** Whether a program of this name is found by its name wherever it is called, and is the same one everywhere. */
export function isOnPath(name: string): boolean {
  const folders = searchedFolders();
  const first = folders.findIndex((folder) => programIn(folder, name) !== null);
  return first >= 0 && folders.slice(0, first + 1).every((folder) => isAbsolute(folder));
}

const NULL_DEVICE = process.platform === 'win32' ? 'NUL' : '/dev/null';
/** Nothing that a configuration could name is needed here, whatever git makes of the rest. */
const SAFE_SETTINGS = ['--no-pager', '-c', 'core.fsmonitor=false', '-c', `core.hooksPath=${NULL_DEVICE}`];

/** Ours without what tells git of a repository or of a configuration. */
function environment(): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name));
  return {
    ...Object.fromEntries(own),
    GIT_DIR: NULL_DEVICE,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: NULL_DEVICE,
    GIT_TERMINAL_PROMPT: '0',
  };
}

/** The folders of the PATH, an empty one being the current folder; without those that npm adds for as long as it runs, which may be a vault's. */
function searchedFolders(): readonly string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.split(/[/\\]/).includes('node_modules'));
}

function isInside(folder: string, vault: string): boolean {
  const path = relative(realPath(vault), realPath(folder));
  return path === '' || !(path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Nothing is there to be run.
    return path;
  }
}

function programIn(folder: string, name: string): string | null {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  return names.map((file) => join(folder, file)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not for us.
    return false;
  }
}
