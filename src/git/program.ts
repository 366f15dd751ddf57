import { dirname } from 'node:path';
import { RouxError } from '../errors.ts';
import { findProgram } from '../on-path.ts';

/** How git is started: the file of the program, a folder to start it in, and an environment that names no repository and no configuration. */
export interface GitProgram {
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Git as it is found on the PATH, never one that lies in the vault; `IO_ERROR` where there is none. */
export function findGit({ vault }: { readonly vault: string }): GitProgram {
  const file = findProgram('git', { vault });
  if (file === null) throw new RouxError('IO_ERROR', 'git is not installed, or not on the PATH.');
  return { file, cwd: dirname(file), env: environment() };
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
