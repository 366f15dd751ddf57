import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { RouxError } from '../../../errors.ts';
import { findProgram } from '../programs/on-path.ts';

const run = promisify(execFile);

/**
 * Runs git on files that are named by their absolute paths, and returns what it printed. It knows no repository: not the
 * one that it is called for, whose configuration may have come with the vault and can name programs that git starts
 * (`core.fsmonitor`, hooks, filters, pagers), and none that the environment names. `vault`: no git that lies in there.
 */
export async function runGit(args: readonly string[], { vault }: { readonly vault: string }): Promise<string> {
  const git = findProgram('git', { vault });
  if (git === null) throw new RouxError('IO_ERROR', 'git is not installed, or not on the PATH.');
  const { stdout } = await run(git, [...SAFE_SETTINGS, ...args], { cwd: dirname(git), env: environment() });
  return stdout;
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
