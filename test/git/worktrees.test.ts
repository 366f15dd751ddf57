import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCheckout } from '../../src/git/worktrees.ts';
import { openGitVault, withGitVault } from '../support/git.ts';
import { withVault } from '../support/vault.ts';

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
});
