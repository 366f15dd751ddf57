import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { RouxError } from '../errors.ts';

/** How git is started: the file of the program, a folder to start it in, and an environment that names no repository and no configuration. */
export interface GitProgram {
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Git as it is found on the PATH, never one that lies in the vault; `IO_ERROR` where there is none. */
export function findGit({ vault }: { readonly vault: string }): GitProgram {
  const file = searchedFolders()
    .filter((folder) => isAbsolute(folder) && !isInside(folder, vault))
    .map((folder) => programIn(folder, 'git'))
    .find((found) => found !== null);
  if (file === undefined || file === null) throw new RouxError('IO_ERROR', 'git is not installed, or not on the PATH.');
  return { file, cwd: dirname(file), env: environment() };
}

/** Whether a program of this name is found by its name wherever it is called, and is the same one everywhere. */
export function isOnPath(name: string): boolean {
  const folders = searchedFolders();
  const first = folders.findIndex((folder) => programIn(folder, name) !== null);
  return first >= 0 && folders.slice(0, first + 1).every((folder) => isAbsolute(folder));
}

const NULL_DEVICE = process.platform === 'win32' ? 'NUL' : '/dev/null';
/** Nothing that a configuration could name is needed, whatever git makes of the rest. */
export const SAFE_SETTINGS: readonly string[] = ['--no-pager', '-c', 'core.fsmonitor=false', '-c', `core.hooksPath=${NULL_DEVICE}`];

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
