import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { promisify } from 'node:util';
import { errorMessage } from '../../../errors.ts';
import { findGit, SAFE_SETTINGS } from '../../../git/program.ts';
import { isOnPath } from '../../../on-path.ts';
import type { CommandContext } from '../command.ts';

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

/** Returns the first line that git printed to stderr, or of the error that prevented it from running. */
export function firstLine(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  return (said === '' ? errorMessage(error) : said).split('\n')[0]?.replace(/\.$/, '') ?? '';
}

/** Returns the words with which git calls this program: its name if it is on the PATH, else absolute paths. */
export function programWords({ program }: Pick<CommandContext, 'program'>): readonly string[] {
  return isOnPath('roux') ? ['roux'] : [process.execPath, realpathSync(program.file)];
}
