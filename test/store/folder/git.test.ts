import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGitActivity } from '../../../src/store/folder/git.ts';
import { hasGit, withGitVault } from '../../support/git.ts';
import type { GitVault } from '../../support/git.ts';
import { withVault } from '../../support/vault.ts';

const HOUR = 3_600_000;

/** As if all that git did so far had been two hours ago. */
const rest = (vault: GitVault, folder = '.git'): void => {
  const then = (Date.now() - 2 * HOUR) / 1000;
  for (const name of ['HEAD', 'index', 'ORIG_HEAD', 'logs/HEAD']) {
    if (vault.exists(join(folder, name))) utimesSync(vault.path(join(folder, name)), then, then);
  }
};

describe.skipIf(!hasGit)('the activity of git', () => {
  const deeds: Record<string, (vault: GitVault) => void> = {
    'a branch switch': (vault) => vault.git('checkout', '--quiet', '-b', 'other'),
    'a commit': (vault) => vault.commit('more'),
    'a checkout of files': (vault) => {
      vault.write('a.md', 'changed');
      rest(vault);
      vault.git('checkout', '--', 'a.md');
    },
    'a stash': (vault) => {
      vault.write('a.md', 'changed');
      rest(vault);
      vault.git('stash');
    },
    'a reset': (vault) => vault.git('reset', '--quiet', '--hard', 'HEAD'),
  };
  for (const [name, act] of Object.entries(deeds)) {
    it(`is told by ${name}, and by the time of it`, () =>
      withGitVault({ 'a.md': 'A' }, (vault) => {
        rest(vault);
        const git = createGitActivity(vault.root);
        expect(git.wasActiveAround(Date.now())).toBe(false);
        expect(git.wasActiveAround(Date.now() - 2 * HOUR)).toBe(true);
        act(vault);
        expect(git.wasActiveAround(Date.now())).toBe(true);
        expect(git.wasActiveAround(Date.now() - HOUR)).toBe(false);
      }));
  }

  it('is there at any time while its index is locked or a merge waits for somebody', () =>
    withGitVault({ 'a.md': 'A' }, (vault) => {
      rest(vault);
      const git = createGitActivity(vault.root);
      expect(git.wasActiveAround(Date.now() - HOUR)).toBe(false);
      vault.write('.git/index.lock', '');
      expect(git.wasActiveAround(Date.now() - HOUR)).toBe(true);
      vault.remove('.git/index.lock');
      vault.write('.git/MERGE_HEAD', 'x');
      expect(git.wasActiveAround(Date.now() - HOUR)).toBe(true);
    }));

  it('is found for a vault in a folder of the repository, and for one in a worktree', () =>
    withGitVault({ 'notes/a.md': 'A', '.gitignore': 'tree\n' }, (vault) => {
      vault.git('worktree', 'add', '--quiet', 'tree');
      rest(vault);
      rest(vault, '.git/worktrees/tree');
      const [below, tree] = [createGitActivity(vault.path('notes')), createGitActivity(vault.path('tree/notes'))];
      expect([below.hasRepository, tree.hasRepository]).toEqual([true, true]);
      expect([below.wasActiveAround(Date.now()), tree.wasActiveAround(Date.now())]).toEqual([false, false]);
      vault.git('-C', 'tree', 'checkout', '--quiet', '--detach');
      expect([below.wasActiveAround(Date.now()), tree.wasActiveAround(Date.now())]).toEqual([false, true]);
    }));
});

describe('a vault without git', () => {
  it('has no activity of git', () =>
    withVault({ 'a.md': 'A' }, ({ root }) => {
      const git = createGitActivity(root);
      expect([git.hasRepository, git.wasActiveAround(Date.now())]).toEqual([false, false]);
    }));
});
