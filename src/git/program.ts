import { dirname } from 'node:path';
import { RouxError } from '../errors.ts';
import { findProgram } from '../on-path.ts';

/** How to start git: the program, a working folder, and an environment without any repository or configuration. */
export interface GitProgram {
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Finds git on the PATH, never inside the vault. Throws `IO_ERROR` when there is none. */
export function findGit({ vault }: { readonly vault: string }): GitProgram {
  const file = findProgram('git', { vault });
  if (file === null) throw new RouxError('IO_ERROR', 'git is not installed, or not on the PATH.');
  return { file, cwd: dirname(file), env: environment() };
}

const NULL_DEVICE = process.platform === 'win32' ? 'NUL' : '/dev/null';
/** Disables programs that a configuration could name. */
export const SAFE_SETTINGS: readonly string[] = ['--no-pager', '-c', 'core.fsmonitor=false', '-c', `core.hooksPath=${NULL_DEVICE}`];

/** Returns our environment without variables for git's repository and configuration. */
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
