import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findGit, SAFE_SETTINGS } from '../../../git/program.ts';

const run = promisify(execFile);

/**
 * Runs git on files that are named by their absolute paths, and returns what it printed. It knows no repository: not the
 * one that it is called for, whose configuration may have come with the vault and can name programs that git starts
 * (`core.fsmonitor`, hooks, filters, pagers), and none that the environment names. `vault`: no git that lies in there.
 */
export async function runGit(args: readonly string[], { vault }: { readonly vault: string }): Promise<string> {
  const { file, cwd, env } = findGit({ vault });
  const { stdout } = await run(file, [...SAFE_SETTINGS, ...args], { cwd, env });
  return stdout;
}
