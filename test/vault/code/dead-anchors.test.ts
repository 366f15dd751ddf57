import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasGit, openGitVault, withGitVault } from '../../support/git.ts';
import { openTestVault, withVault } from '../../support/vault.ts';
import { dead, lines, noteAbout } from './support.ts';

describe.skipIf(!hasGit)('G-01 dead anchors', () => {
  it('what is tracked or in the checkout is alive, also if it is ignored, behind a link or not added; the rest is dead', () =>
    withGitVault(
      {
        'n.md': noteAbout(
          'src/a.ts',
          'src',
          'src/*.ts',
          'new.ts',
          'dist/x.js',
          'dist/*.js',
          'link/x',
          'none.ts',
          'src/*.py',
          'no/**',
          'src/a.ts/b',
          'Src/a.ts',
          '/etc',
        ),
        'src/a.ts': 'a\n',
        '.gitignore': 'dist\n',
      },
      async (vault) => {
        vault.write('new.ts', 'not added\n');
        vault.write('dist/x.js', 'ignored\n');
        symlinkSync('src', vault.path('link'));
        expect(await dead(vault.root)).toEqual([
          'n.md /etc invalid',
          ...['none.ts', 'src/*.py', 'no/**', 'src/a.ts/b', 'Src/a.ts'].map((each) => `n.md ${each} missing`),
        ]);
        // Deleted and not committed.
        vault.remove('src/a.ts');
        expect(await dead(vault.root)).toContain('n.md src/a.ts missing');
      },
    ));

  it('renames are followed: exact, with edits, of folders, twice, by case, and not yet committed', () =>
    withGitVault(
      {
        'n.md': noteAbout('src/a.ts', 'src/b.ts', 'old', 'old/**/*.ts', 'src/twice.ts', 'src/Case.ts', 'src/staged.ts', 'src/removed.ts'),
        'src/a.ts': lines('a'),
        'src/b.ts': lines('b'),
        'old/x.ts': lines('x'),
        'old/y/z.ts': lines('z'),
        'src/twice.ts': lines('twice'),
        'src/Case.ts': lines('case'),
        'src/staged.ts': lines('staged'),
        'src/removed.ts': lines('removed'),
      },
      async (vault) => {
        mkdirSync(vault.path('lib'));
        vault.git('mv', 'src/a.ts', 'lib/c.ts');
        vault.git('mv', 'src/b.ts', 'lib/b.ts');
        vault.write('lib/b.ts', lines('b').replace('b 3', 'changed'));
        vault.git('mv', 'old', 'lib/old');
        vault.git('mv', 'src/twice.ts', 'src/second.ts');
        vault.git('mv', 'src/Case.ts', 'src/case.ts');
        vault.git('rm', '--quiet', 'src/removed.ts');
        vault.commit('renames');
        vault.git('mv', 'src/second.ts', 'src/third.ts');
        vault.commit('again');
        vault.git('mv', 'src/staged.ts', 'src/staged2.ts');
        expect(await dead(vault.root)).toEqual([
          'n.md src/a.ts moved lib/c.ts',
          'n.md src/b.ts moved lib/b.ts',
          'n.md old moved lib/old',
          'n.md old/**/*.ts moved lib/old/**/*.ts',
          'n.md src/twice.ts moved src/third.ts',
          'n.md src/Case.ts moved src/case.ts',
          'n.md src/staged.ts moved src/staged2.ts',
          'n.md src/removed.ts missing',
        ]);
      },
    ));

  it('a vault in a subfolder, in a worktree with a branch of its own, and in a detached one; packed', () =>
    withVault(
      { 'docs/n.md': noteAbout('src/a.ts', './near.ts', '../src/a.ts'), 'docs/near.ts': 'x\n', 'src/a.ts': lines('a') },
      async (top) => {
        const repository = openGitVault(top);
        expect(await dead(top.path('docs'))).toEqual([]);
        repository.git('worktree', 'add', '--quiet', '-b', 'other', 'tree');
        repository.git('mv', 'src/a.ts', 'src/b.ts');
        repository.commit('renamed');
        repository.git('gc', '--quiet');
        repository.git('pack-refs', '--all');
        const moved = ['n.md src/a.ts moved src/b.ts', 'n.md ../src/a.ts moved src/b.ts'];
        expect(await dead(top.path('docs'))).toEqual(moved);
        expect(await dead(top.path('tree/docs'))).toEqual([]);
        repository.git('-C', 'tree', 'checkout', '--quiet', '--detach', 'main');
        expect(await dead(top.path('tree/docs'))).toEqual(moved);
      },
    ));

  it('submodules: the repository of a vault in one is the submodule; what is in one that is not checked out counts as alive', () =>
    withGitVault({ 'n.md': noteAbout('sub/x.ts', 'sub', 'sub/y.ts', 'sub/**/*.ts') }, (vault) =>
      withVault({ 'd/m.md': noteAbout('x.ts', 'n.md'), 'x.ts': 'x\n' }, async (source) => {
        openGitVault(source);
        vault.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source.root, 'sub');
        vault.commit('submodule');
        expect(await dead(vault.path('sub/d'))).toEqual(['m.md n.md missing']);
        expect(await dead(vault.root)).toContain('n.md sub/y.ts missing');
        vault.git('submodule', '--quiet', 'deinit', '--force', 'sub');
        expect(await dead(vault.root)).toEqual([]);
      }),
    ));

  it('ids of SHA-256, indexes of version 4, a split index, none, a sparse checkout', () =>
    withVault(
      { 'n.md': noteAbout('src/a.ts', 'lib/x/y.ts'), 'src/a.ts': lines('a'), 'lib/x/y.ts': 'y\n', 'lib/z.ts': 'z\n' },
      async (plain) => {
        const vault = openGitVault(plain, ['--all'], { init: ['--object-format=sha256'] });
        vault.git('mv', 'src/a.ts', 'src/b.ts');
        vault.commit('renamed');
        const expected = ['n.md src/a.ts moved src/b.ts'];
        expect(await dead(vault.root)).toEqual(expected);
        vault.git('update-index', '--index-version', '4');
        expect(await dead(vault.root)).toEqual(expected);
        vault.git('update-index', '--split-index');
        expect(await dead(vault.root)).toEqual(expected);
        vault.remove('.git/index');
        expect(await dead(vault.root)).toEqual(expected);
        vault.git('reset', '--quiet', '--hard');
        vault.git('sparse-checkout', 'set', '--cone', 'src');
        expect(vault.exists('lib')).toBe(false);
        expect(await dead(vault.root)).toEqual(expected);
        vault.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'src');
        expect(await dead(vault.root)).toEqual(expected);
      },
    ));

  it('names in other encodings and Unicode forms are found', () =>
    withGitVault({ 'n.md': noteAbout('src/café.ts', 'src/naïve.ts', 'src/日本.ts', 'src/old-é.ts') }, async (vault) => {
      mkdirSync(vault.path('src'));
      writeFileSync(Buffer.concat([Buffer.from(vault.path('src/caf')), Buffer.from([0xe9]), Buffer.from('.ts')]), 'latin\n');
      vault.write('src/nai\u0308ve.ts', 'x\n');
      vault.write('src/日本.ts', 'x\n');
      vault.write('src/old-é.ts', lines('old'));
      vault.commit('names');
      vault.git('mv', 'src/old-é.ts', 'src/new-é.ts');
      vault.commit('renamed');
      expect(await dead(vault.root)).toEqual(['n.md src/old-é.ts moved src/new-é.ts']);
    }));

  it('without a repository paths are those of the vault; one that is somebody else’s is told and not read', () =>
    withVault({ 'n.md': noteAbout('a/b.ts', 'a/*.ts', 'c.ts'), 'a/b.ts': 'x\n' }, async (vault) => {
      expect(await dead(vault.root)).toEqual(['n.md c.ts missing']);
      openGitVault(vault);
      renameSync(vault.path('.git'), vault.path('elsewhere'));
      symlinkSync('elsewhere', vault.path('.git'));
      expect(await dead(vault.root)).toEqual([expect.stringContaining('symbolic link')]);
    }));

  it('a repository without a commit, and one that shares its objects: told, and the rest works', () =>
    withVault({ 'n.md': noteAbout('a.ts', 'gone.ts'), 'a.ts': 'x\n' }, async (vault) => {
      execFileSync('git', ['init', '--quiet', vault.root]);
      expect(await dead(vault.root)).toEqual(['n.md gone.ts missing', expect.stringContaining('no commit')]);
      openGitVault(vault);
      vault.write('.git/objects/info/alternates', '/tmp\n');
      expect(await dead(vault.root)).toEqual(['n.md gone.ts missing', expect.stringContaining('alternates')]);
      expect(openTestVault(vault.root).exists('a.ts')).toBe(true);
    }));
});
