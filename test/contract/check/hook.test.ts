import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { hasGit, openGitVault, withGitVault } from '../../support/git.ts';
import { withVault } from '../../support/vault.ts';

const HOOK = '.git/hooks/pre-commit';
const install = (root: string, env: Record<string, string> = {}) => cli(['check', '--install-hook', '--vault', root], { env });

describe.skipIf(!hasGit || process.platform === 'win32')('G-05 roux check --install-hook', () => {
  it('lets git refuse a commit with findings that fail, in a vault below the top too, and twice is once', () =>
    withGitVault({ 'code.ts': '1\n', 'my notes/a.md': 'A\n' }, async (vault) => {
      const first = await install(vault.path('my notes'));
      expect(first).toMatchObject({ status: 0, stderr: '' });
      expect(first.stdout).toContain(`wrote ${HOOK}\n`);
      expect(statSync(vault.path(HOOK)).mode & 0o111).not.toBe(0);
      const hook = vault.read(HOOK);
      expect(await install(vault.path('my notes'))).toMatchObject({ status: 0 });
      expect(vault.read(HOOK)).toBe(hook);
      vault.write('my notes/bad.md', '---\na: [\n---\n');
      vault.git('add', '--all');
      const refused = vault.try('commit', '--message', 'bad');
      expect(refused.status).toBe(1);
      expect(refused.output).toContain('my notes/bad.md:3');
      vault.write('my notes/bad.md', 'good\n');
      vault.git('add', '--all');
      expect(vault.try('commit', '--message', 'good').status).toBe(0);
      expect(vault.list('my notes')).toEqual(['a.md', 'bad.md']);
    }));

  it('works for the first commit of a repository, and in a worktree', () =>
    withVault({}, (around) =>
      withGitVault({ 'a.md': 'A\n' }, async (vault) => {
        await install(vault.root);
        vault.git('worktree', 'add', '--quiet', '-b', 'other', around.path('tree'));
        writeFileSync(around.path('tree/bad.md'), '---\na: [\n---\n');
        vault.git('-C', around.path('tree'), 'add', '--all');
        expect(vault.try('-C', around.path('tree'), 'commit', '--message', 'bad')).toMatchObject({ status: 1 });
        mkdirSync(around.path('fresh'));
        vault.git('init', '--quiet', around.path('fresh'));
        writeFileSync(around.path('fresh/a.md'), 'A\n');
        await install(around.path('fresh'));
        vault.git('-C', around.path('fresh'), 'add', '--all');
        expect(vault.try('-C', around.path('fresh'), 'commit', '--message', 'first')).toMatchObject({ status: 0 });
      }),
    ));

  it('leaves a hook of yours, a link and hooks that are elsewhere as they are, and says what to add', () =>
    withGitVault({ 'a.md': 'A\n' }, async (vault) => {
      vault.write(HOOK, '#!/bin/sh\nexit 0\n');
      chmodSync(vault.path(HOOK), 0o755);
      const left = await install(vault.root);
      expect(left.status).toBe(1);
      expect(left.stdout).toMatch(
        /left \.git\/hooks\/pre-commit as it is: it holds a hook of yours\.\nBy hand:\n\n {2}.* check --vault \. --since HEAD\n/,
      );
      vault.remove(HOOK);
      writeFileSync(vault.path('outside.sh'), '#!/bin/sh\n# Made by "roux check --install-hook". Delete this file to be rid of it.\n');
      symlinkSync(vault.path('outside.sh'), vault.path(HOOK));
      expect(await install(vault.root)).toMatchObject({ status: 1 });
      expect(readFileSync(vault.path('outside.sh'), 'utf8')).not.toContain('exec');
      vault.remove(HOOK);
      vault.git('config', 'core.hooksPath', '.husky');
      expect((await install(vault.root)).stdout).toContain('core.hooksPath says that hooks are in .husky');
      expect(vault.exists(HOOK)).toBe(false);
    }));

  it('says what is missing where there is no repository, and writes nothing where nothing may be written', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      expect(await install(vault.root)).toMatchObject({ status: 2, stderr: expect.stringContaining('git init') });
      openGitVault(vault);
      expect(await install(vault.root, { ROUX_READ_ONLY: 'true' })).toMatchObject({ status: 3 });
      expect(vault.exists(HOOK)).toBe(false);
    }));
});
