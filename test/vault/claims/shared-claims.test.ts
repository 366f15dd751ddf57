import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCheckout } from '../../../src/git/worktrees.ts';
import { SharedClaims } from '../../../src/vault/claims/shared-claims.ts';
import { hasGit, withGitVault } from '../../support/git.ts';
import type { GitVault } from '../../support/git.ts';
import { withVault } from '../../support/vault.ts';

/** Runs with the claims of one repository as its two worktrees see them. */
function withBoth(run: (here: SharedClaims, there: SharedClaims) => void): Promise<void> {
  return withGitVault({ 'tasks/a.md': 'A\n' }, (vault: GitVault) =>
    withVault({}, (aside) => {
      const tree = join(aside.root, 'tree');
      vault.git('worktree', 'add', '--quiet', '-b', 'other', tree);
      const [here, there] = [vault.root, tree].map(findCheckout);
      if (here == null || there == null) throw new Error('no checkout');
      run(new SharedClaims(here), new SharedClaims(there));
    }),
  );
}

/** Resolves a task, or opens it again; returns what takes that back. */
function settle(claims: SharedClaims, id: string, isResolved = true): () => void {
  claims.look();
  const settled = [{ id, path: 'tasks/a.md', isResolved }];
  const putBack = claims.replace({ claims: [], settled }, { agent: 'ada', at: '2026-11-29T12:00:00.000Z' });
  if (putBack === null) throw new Error('overtaken');
  return putBack;
}

/** The tasks that the other worktree resolved. */
function resolved(claims: SharedClaims): readonly string[] {
  claims.look();
  return claims.resolvedElsewhere(() => true, 'tasks').map(({ task }) => task);
}

describe.skipIf(!hasGit)('resolutions that worktrees share', () => {
  it('T-05 a call that fails leaves a task as it was: open, resolved there, or opened again', () =>
    withBoth((here, there) => {
      settle(there, 't_1')();
      expect(resolved(here)).toEqual([]);
      settle(there, 't_1');
      expect(resolved(here)).toEqual(['t_1']);
      settle(here, 't_1', false)();
      expect(resolved(here)).toEqual(['t_1']);
      settle(here, 't_1', false);
      expect(resolved(here)).toEqual([]);
    }));

  it('T-05 a call that fails takes nothing back that others did after it', () =>
    withBoth((here, there) => {
      const putBack = settle(here, 't_1', false);
      settle(there, 't_1');
      putBack();
      expect(resolved(here)).toEqual(['t_1']);
    }));
});
