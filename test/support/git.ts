import { execFileSync, spawnSync } from 'node:child_process';
import { cli, testEnvironment } from './program/cli.ts';
import { withVault } from './vault.ts';
import type { TestVault, VaultSource } from './vault.ts';

/** A vault that is a git repository, on branch `main` with one commit. */
export interface GitVault extends TestVault {
  /** Runs git and gives what it prints; fails when git does. */
  git(...args: readonly string[]): string;
  /** Runs git and gives its exit status and all that it printed. */
  try(...args: readonly string[]): { readonly status: number | null; readonly output: string };
  /** Commits everything that is tracked here, now or at a time (ISO 8601). */
  commit(message: string, at?: string): void;
}

/** The variables of git in tests: an author, and no configuration of the user. */
export const gitEnvironment: Readonly<Record<string, string>> = testEnvironment({
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
});

/** Whether git is there to be tested with. */
export const hasGit: boolean = spawnSync('git', ['--version']).status === 0;

/** Makes an existing folder of notes a repository with one commit, of everything or of what is named. */
export function openGitVault(
  vault: TestVault,
  tracked: readonly string[] = ['--all'],
  { init = [], at }: { readonly init?: readonly string[]; readonly at?: string } = {},
): GitVault {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...args], { cwd: vault.root, env: gitEnvironment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  git('init', '--quiet', '--initial-branch=main', ...init);
  const made: GitVault = {
    ...vault,
    git,
    try(...args) {
      const done = spawnSync('git', [...args], { cwd: vault.root, env: gitEnvironment, encoding: 'utf8' });
      return { status: done.status, output: done.stdout + done.stderr };
    },
    commit(message, at) {
      git('add', ...tracked);
      const env = at === undefined ? gitEnvironment : { ...gitEnvironment, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
      execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message', message], { cwd: vault.root, env });
    },
  };
  made.commit('first', at);
  return made;
}

/** Runs with a temporary vault that is a repository. */
export function withGitVault<T>(source: VaultSource, run: (vault: GitVault) => T | Promise<T>): Promise<T> {
  return withVault(source, (vault) => run(openGitVault(vault)));
}

/** Two branches change the same files; `main` then merges `other`, with the driver that `roux git install` names. */
export async function mergeSides(
  vault: GitVault,
  sides: { readonly ours: (vault: GitVault) => void | Promise<void>; readonly theirs: (vault: GitVault) => void | Promise<void> },
  folder = '',
): Promise<{ status: number | null; output: string }> {
  await cli(['git', 'install', '--vault', vault.path(folder)]);
  vault.commit('attributes');
  vault.git('checkout', '--quiet', '-b', 'other');
  await sides.theirs(vault);
  vault.commit('theirs');
  vault.git('checkout', '--quiet', 'main');
  await sides.ours(vault);
  vault.commit('ours');
  return vault.try('merge', '--no-edit', 'other');
}
