import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCheckout, findElsewhere, findNoteElsewhere } from '../../src/git/worktrees.ts';
import type { Checkout } from '../../src/git/worktrees.ts';
import { openGitVault, withGitVault } from '../support/git.ts';
import { withVault } from '../support/vault.ts';

function readInWorktree(checkout: Checkout, tree: string, path: string): { readonly branch: string; readonly text: string } | null {
  const elsewhere = findElsewhere(checkout, tree);
  const text = elsewhere === null ? null : (findNoteElsewhere(elsewhere, path)?.read() ?? null);
  return elsewhere === null || text === null ? null : { branch: elsewhere.branch, text };
}

describe('the folder that worktrees share', () => {
  it('T-05 a submodule counts only in the folder that it is checked out in', () =>
    withGitVault({ 'a.md': 'A\n' }, (vault) =>
      withVault({ 'b.md': 'B\n' }, (source) => {
        openGitVault(source);
        vault.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source.root, 'sub');
        const root = realpathSync(vault.root);
        const module = join(root, '.git/modules/sub');
        expect(findCheckout(join(root, 'sub'))).toMatchObject({ own: module, common: module, vault: '' });
        // A folder that came with the vault and names the module of another.
        mkdirSync(join(root, 'planted'));
        writeFileSync(join(root, 'planted/.git'), 'gitdir: ../.git/modules/sub\n');
        expect(findCheckout(join(root, 'planted'))).toBeNull();
        vault.git('-C', 'sub', 'config', '--unset', 'core.worktree');
        expect(findCheckout(join(root, 'sub'))).toBeNull();
      }),
    ));

  it('T-05 a note of another worktree is read by its path there, and nothing outside of it or of another repository', () =>
    withGitVault({ 'notes/a.md': 'A\n' }, (vault) =>
      withVault({ 'secret.md': 'S\n' }, (aside) => {
        const tree = join(aside.root, 'tree');
        vault.git('worktree', 'add', '--quiet', '-b', 'deep/other', tree);
        writeFileSync(join(tree, 'notes/a.md'), 'B\n');
        const here = findCheckout(join(vault.root, 'notes'));
        const there = findCheckout(join(tree, 'notes'));
        if (here === null || there === null) throw new Error('no checkout');
        expect(readInWorktree(here, there.tree, 'a.md')).toEqual({ branch: 'deep/other', text: 'B\n' });
        expect(readInWorktree(there, here.tree, 'a.md')).toEqual({ branch: 'main', text: 'A\n' });
        for (const path of ['../../secret.md', 'x/../a.md', './a.md', aside.path('secret.md'), 'b.md', '', 'a\0.md'])
          expect(readInWorktree(here, there.tree, path), path).toBeNull();
        for (const name of ['..', '.', 'none', '../worktrees/tree', 'a/b', '\0'])
          expect(readInWorktree(here, name, 'a.md'), name).toBeNull();
        // It is read again after each change, and not before.
        const stamp = (): string | undefined => findNoteElsewhere({ branch: '', root: join(tree, 'notes') }, 'a.md')?.stamp;
        const before = stamp();
        expect(stamp()).toBe(before);
        writeFileSync(join(tree, 'notes/a.md'), 'BB\n');
        expect(stamp()).not.toBe(before);
        writeFileSync(join(tree, 'notes/a.md'), 'B\n');
        // One that names another folder than git put it into.
        writeFileSync(join(there.own, 'gitdir'), `${aside.path('.git')}\n`);
        aside.write('.git', `gitdir: ${there.own}\n`);
        aside.write('notes/a.md', 'C\n');
        expect(readInWorktree(here, there.tree, 'a.md')).toEqual({ branch: 'deep/other', text: 'C\n' });
        aside.write('.git', `gitdir: ${aside.root}\n`);
        expect(readInWorktree(here, there.tree, 'a.md')).toBeNull();
      }),
    ));
});
