import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findGit, SAFE_SETTINGS } from '../../../git/program.ts';

const run = promisify(execFile);

/**
 * Runs git on files given by absolute paths, and returns what it printed. No repository is used: neither the one around the files, whose
 * configuration may have come with the vault and can name programs for git to start (`core.fsmonitor`, hooks, filters, pagers), nor one
 * named by the environment. A git program inside `vault` is never run.
 */
export async function runGit(args: readonly string[], { vault }: { readonly vault: string }): Promise<string> {
  const { file, cwd, env } = findGit({ vault });
  const { stdout } = await run(file, [...SAFE_SETTINGS, ...args], { cwd, env });
  return stdout;
}
