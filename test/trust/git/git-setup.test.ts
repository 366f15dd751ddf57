import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRepositoryConfig } from '../../../src/faces/cli/care/git.ts';
import { cli, cliProcess, program, testEnvironment } from '../../support/program/cli.ts';
import { sample } from '../../support/effort.ts';
import { hasGit, openGitVault, withGitVault } from '../../support/git.ts';
import { withOutside } from '../../support/outside.ts';
import type { Outside } from '../../support/outside.ts';
import { repositoryRoot, withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

describe.skipIf(!hasGit)('roux git install and a .git that leads elsewhere', () => {
  /** What may stand in a vault, and what of it is outside. */
  const shapesOf = (vault: TestVault, outside: Outside): Readonly<Record<string, () => void>> => {
    const git = vault.path('.git');
    const theirs = outside.path('theirs');
    const inVault = (change: () => void) => () => {
      openGitVault(vault);
      change();
    };
    return {
      'a file': () => writeFileSync(git, `gitdir: ${theirs}\n`),
      'a link': () => symlinkSync(theirs, git),
      'a linked configuration': inVault(() => {
        rmSync(`${git}/config`);
        symlinkSync(outside.path('private.conf'), `${git}/config`);
      }),
      'a link to nothing': () => symlinkSync(outside.path('nothing'), git),
      'a FIFO': () => spawnSync('mkfifo', [git]),
      'a common folder': inVault(() => writeFileSync(`${git}/commondir`, `${theirs}\n`)),
      'a configuration with two names': inVault(() => linkSync(`${git}/config`, vault.path('config'))),
      'a configuration that is a folder': inVault(() => {
        rmSync(`${git}/config`);
        mkdirSync(`${git}/config`);
      }),
      'a configuration that is a FIFO': inVault(() => {
        rmSync(`${git}/config`);
        spawnSync('mkfifo', [`${git}/config`]);
      }),
    };
  };
  const withTheirs = (run: (vault: TestVault, outside: Outside) => void | Promise<void>): Promise<void> =>
    withOutside({ 'a.md': 'A\n' }, async (vault, outside) => {
      execFileSync('git', ['init', '--quiet', '--bare', outside.path('theirs')], {
        env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
      });
      writeFileSync(outside.path('private.conf'), '[user]\n\tname = me\n');
      await run(vault, outside);
    });

  it('is recognised in every shape', () =>
    withTheirs((vault, outside) => {
      for (const [name, plant] of Object.entries(shapesOf(vault, outside))) {
        plant();
        expect(findRepositoryConfig(vault.root), name).toMatchObject({ kind: 'barred' });
        rmSync(vault.path('.git'), { recursive: true });
        rmSync(vault.path('config'), { force: true });
      }
    }));

  it('writes nothing through it, and prints the commands', () =>
    withTheirs(async (vault, outside) => {
      const before = outside.look();
      for (const [name, plant] of Object.entries(shapesOf(vault, outside)).slice(0, 3)) {
        plant();
        const { status, stdout } = await cli(['git', 'install', '--vault', vault.root]);
        expect({ name, status }).toEqual({ name, status: 1 });
        expect(stdout, name).toContain('left .git/config as it is: ');
        expect(stdout, name).toContain(`git -C ${vault.root} config --replace-all merge.roux.driver '`);
        expect(outside.look(), name).toEqual(before);
        rmSync(vault.path('.git'), { recursive: true });
      }
    }));

  it('says what git said where it cannot write, and passes a .git that is no repository', () =>
    withGitVault({ 'notes/a.md': 'A\n' }, async (vault) => {
      vault.write('.git/config.lock', '');
      const locked = await cli(['git', 'install', '--vault', vault.root]);
      expect(locked.status).toBe(3);
      expect(locked.stdout).toContain('could not lock config file');
      vault.remove('.git/config.lock');
      vault.write('notes/.git/config', '[core]\n');
      expect((await cli(['git', 'install', '--vault', vault.path('notes')])).status).toBe(0);
      expect(vault.read('notes/.git/config')).toBe('[core]\n');
      expect(vault.git('config', 'merge.roux.driver')).toContain('merge-driver');
    }));

  it('replaces every driver of its name that came along, and keeps the rest of the configuration', () =>
    withGitVault({ 'a.md': 'A\n' }, async (vault) => {
      const own = vault.read('.git/config');
      const planted = '[merge "roux"]\n\tdriver = touch marker\n\tdriver = touch marker\n# mine\n';
      vault.write('.git/config', `${own}${planted}[user]\n\tname = me\n`);
      expect((await cli(['git', 'install', '--vault', vault.root])).status).toBe(0);
      expect(vault.git('config', '--get-all', 'merge.roux.driver')).toMatch(/^[^\n]* merge-driver %O %A %B %P\n$/);
      const text = vault.read('.git/config');
      expect(text.startsWith(own)).toBe(true);
      expect(text).toContain('# mine\n');
      expect(text).toContain('[user]\n\tname = me\n');
      expect(JSON.parse((await cli(['git', 'install', '--vault', vault.root, '--json'])).stdout).written).toEqual([]);
      expect(vault.read('.git/config')).toBe(text);
    }));
});

describe.skipIf(!hasGit)('roux in a vault that came with its own .git', () => {
  it('starts nothing that its configuration names, with any command', () =>
    withOutside(
      { 'a.md': 'A [[b]]\n', 'b.md': 'B\n', '.gitattributes': '* filter=evil diff=evil merge=evil\n' },
      async (vault, outside) => {
        const git = openGitVault(vault);
        const touch = (name: string): string => `touch ${outside.path(name)}`;
        const hook = `#!/bin/sh\n${touch('hook')}\n`;
        const hooks = ['pre-commit', 'post-checkout', 'post-index-change', 'fsmonitor-watchman', 'reference-transaction'];
        for (const name of hooks) vault.write(`hooks/${name}`, hook);
        for (const name of hooks) chmodSync(vault.path(`hooks/${name}`), 0o755);
        vault.write(
          '.git/config',
          [
            vault.read('.git/config'),
            `[core]\n\tfsmonitor = ${touch('fsmonitor')} #\n\thooksPath = ${vault.path('hooks')}\n\tsshCommand = ${touch('ssh')} #\n\tpager = ${touch('pager')}\n\teditor = ${touch('editor')} #\n\tgitProxy = ${vault.path('hooks/pre-commit')}\n\taskPass = ${vault.path('hooks/pre-commit')}`,
            `[pager]\n\tconfig = ${touch('pager-config')}\n\tstatus = true`,
            `[diff]\n\texternal = ${touch('external')} #`,
            `[diff "evil"]\n\ttextconv = ${touch('textconv')} #\n\tcommand = ${touch('diff')} #`,
            `[filter "evil"]\n\tclean = ${touch('clean')}; cat\n\tsmudge = ${touch('smudge')}; cat\n\tprocess = ${touch('process')} #\n\trequired = true`,
            `[merge "evil"]\n\tdriver = ${touch('merge')} #`,
            `[merge "roux"]\n\tdriver = ${touch('roux')} #`,
            `[credential]\n\thelper = "!${touch('credential')} #"`,
            `[alias]\n\tconfig = "!${touch('alias')}"\n\trev-parse = "!${touch('alias')}"\n\tmerge-file = "!${touch('alias')}"`,
            `[include]\n\tpath = ${vault.path('included')}`,
            `[gpg]\n\tprogram = ${touch('gpg')}`,
            '',
          ].join('\n'),
        );
        vault.write('included', `[core]\n\tfsmonitor = ${touch('included')} #\n`);
        for (const name of ['one', 'two', 'three']) vault.write(name, Buffer.from([0xff, 0x0a]));
        const commands = [
          ['search', 'A'],
          ['get', 'a'],
          ['hubs'],
          ['doctor'],
          ['create', 'New note'],
          ['rename', 'b', 'c'],
          ['history', 'a'],
          ['restore'],
          ['doctor', '--fix'],
          ['init', '--client', 'claude'],
          ['git', 'install'],
        ];
        for (const command of sample(commands, 2)) {
          await cliProcess([...command, '--vault', vault.root], { cwd: vault.root });
          expect(Object.keys(outside.look()), command.join(' ')).toEqual([]);
        }
        // Also with what git sets for programs that it starts.
        const env = { GIT_DIR: vault.path('.git'), GIT_WORK_TREE: vault.root, GIT_EXTERNAL_DIFF: touch('env'), GIT_CONFIG_COUNT: '0' };
        for (const command of [
          ['git', 'install', '--vault', vault.root],
          ['merge-driver', 'one', 'two', 'three', '--help.md'],
        ]) {
          const { status } = await cliProcess(command, { cwd: vault.root, env });
          expect({ command, status }).toEqual({ command, status: command[0] === 'git' ? 1 : 0 });
          expect(Object.keys(outside.look())).toEqual([]);
        }
        // The plants are live: git itself starts them.
        git.try('status');
        expect(Object.keys(outside.look())).not.toEqual([]);
      },
    ));

  it('starts no git that lies in the vault', () =>
    withOutside({ 'a.md': 'A\n' }, async (vault, outside) => {
      openGitVault(vault);
      for (const place of ['git', 'node_modules/.bin/git', 'tools/git']) {
        vault.write(place, `#!/bin/sh\ntouch ${outside.path(place.replaceAll('/', '-'))}\n`);
        chmodSync(vault.path(place), 0o755);
      }
      const env = { PATH: ['.', '', 'tools', vault.path('node_modules/.bin'), vault.path('tools'), process.env['PATH']].join(delimiter) };
      expect((await cliProcess(['git', 'install', '--vault', vault.root], { cwd: vault.root, env })).status).toBe(0);
      for (const name of ['one', 'two', 'three']) vault.write(name, Buffer.from([0xff, 0x0a]));
      expect((await cliProcess(['merge-driver', 'one', 'two', 'three'], { cwd: vault.root, env })).status).toBe(0);
      expect(outside.look()).toEqual({});
    }));

  it('names roux in the configuration by its name only where that is the same program everywhere', () =>
    withGitVault({ 'a.md': 'A\n', roux: '#!/bin/sh\n', 'node_modules/.bin/roux': '#!/bin/sh\n' }, async (vault) => {
      for (const place of ['roux', 'node_modules/.bin/roux']) chmodSync(vault.path(place), 0o755);
      for (const first of ['.', '', vault.path('node_modules/.bin')]) {
        const env = { PATH: `${first}${delimiter}${process.env['PATH'] ?? ''}` };
        await cliProcess(['git', 'install', '--vault', vault.root], { cwd: vault.root, env });
        expect(vault.git('config', 'merge.roux.driver')).toContain("bin.js' merge-driver");
      }
    }));
});

describe.skipIf(!hasGit)('a program, and a vault, in folders of any name', () => {
  const NAME = `it's "one" $(touch marker) %P $HOME x`;

  it('are called by git, and named in commands that can be copied into a shell', () =>
    withGitVault({ 'a.md': '---\ntags: [a]\n---\n' }, async (vault) =>
      withVault({}, async (elsewhere) => {
        const copied = elsewhere.path(`${NAME}/dist`);
        cpSync(dirname(program), copied, {
          recursive: true,
          filter: (path) => path === dirname(program) || /\/[^/]*\.(?:js|cjs|cache)$/.test(path),
        });
        writeFileSync(elsewhere.path(`${NAME}/package.json`), readFileSync(join(repositoryRoot, 'package.json')));
        const run = (...args: readonly string[]) =>
          spawnSync(process.execPath, [`${copied}/bin.js`, ...args], { encoding: 'utf8', env: testEnvironment() });
        const { status, stdout } = run('git', 'install', '--vault', vault.root);
        expect(status).toBe(0);
        const printed = spawnSync('sh', ['-c', `printf '%s\\0' ${/^git config .*$/m.exec(stdout)?.[0] ?? ''}`], { encoding: 'utf8' });
        expect(printed.stdout.split('\0').slice(0, -1)).toEqual([
          'git',
          'config',
          'merge.roux.driver',
          vault.git('config', 'merge.roux.driver').slice(0, -1),
        ]);
        vault.commit('attributes');
        vault.git('checkout', '--quiet', '-b', 'other');
        vault.write('a.md', '---\ntags: [a, theirs]\n---\n');
        vault.commit('theirs');
        vault.git('checkout', '--quiet', 'main');
        vault.write('a.md', '---\ntags: [a, ours]\n---\n');
        vault.commit('ours');
        expect(vault.try('merge', '--no-edit', 'other')).toMatchObject({ status: 0 });
        expect(vault.read('a.md')).toContain('tags: [a, ours, theirs]');
        expect(vault.list('.')).not.toContain('marker');

        // A vault whose .git leads elsewhere: the command that is printed is for its folder.
        mkdirSync(elsewhere.path('vault'));
        renameSync(elsewhere.path('vault'), elsewhere.path(`vault ${NAME}`));
        writeFileSync(elsewhere.path(`vault ${NAME}/.git`), 'gitdir: /nowhere\n');
        const left = run('git', 'install', '--vault', elsewhere.path(`vault ${NAME}`));
        const line = /^ {2}(git -C .*)$/m.exec(left.stdout)?.[1] ?? '';
        const words = spawnSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' }).stdout.split('\0');
        expect(words.slice(0, 4)).toEqual(['git', '-C', elsewhere.path(`vault ${NAME}`), 'config']);
      }),
    ));
});
