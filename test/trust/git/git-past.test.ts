import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasGit, openGitVault, withGitVault } from '../../support/git.ts';
import type { GitVault } from '../../support/git.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { openTestVault, withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { TestVault } from '../../support/vault.ts';

const at = (vault: Pick<TestVault, 'root'>, reference: string, when: string): ReturnType<typeof cli> =>
  cli(['get', reference, '--at', when, '--vault', vault.root]);

const headOf = (vault: GitVault): string => vault.git('rev-parse', 'HEAD').trim();

/** Two commits of a note that roux knows nothing of. */
function commitTwice(vault: GitVault, file = 'a.md'): readonly [string, string] {
  const first = headOf(vault);
  vault.write(file, '---\nrev: 2\n---\nSecond\r\n');
  vault.commit('second');
  return [first, headOf(vault)];
}

describe.skipIf(!hasGit)('E-32 a note as it was in git', () => {
  it('by commit, its first digits and HEAD, by time and by rev: byte for byte, loose and packed, also where the vault is a part of the repository', () =>
    withVault({ 'sub/a.md': '---\nrev: 1\n---\nFirst\r\n', 'sub/.obsidian/app.json': '{}' }, async (top) => {
      const repository = openGitVault(top);
      const [first, second] = commitTwice(repository, 'sub/a.md');
      const vault = openTestVault(top.path('sub'));
      vault.write('a.md', 'Third\n');
      for (const isPacked of [false, true]) {
        if (isPacked) repository.git('gc', '--quiet');
        for (const [when, text] of [
          [first, '---\nrev: 1\n---\nFirst\r\n'],
          [first.slice(0, 8), '---\nrev: 1\n---\nFirst\r\n'],
          [second, '---\nrev: 2\n---\nSecond\r\n'],
          ['HEAD', '---\nrev: 2\n---\nSecond\r\n'],
          ['1', '---\nrev: 1\n---\nFirst\r\n'],
          ['2', '---\nrev: 2\n---\nSecond\r\n'],
        ] as const) {
          const { status, stdout } = await at(vault, 'a', when);
          expect([isPacked, when, status, stdout]).toEqual([isPacked, when, 0, text]);
        }
      }
      expect((await at(vault, 'a', '2020-01-01')).status).toBe(1);
      expect((await at(vault, 'a', '0000000')).status).toBe(1);
      await withServer(vault, async ({ ask }) => {
        const past = await ask('get_node', { id: 'a', as_of: first });
        expect(past).toMatchObject({ rev: 1, content: 'First\r\n', as_of: { source: 'git', commit: first, path: 'a.md' } });
      });
      // Deleted long ago: git knows its path.
      vault.remove('a.md');
      expect((await at(vault, 'a.md', first)).stdout).toBe('---\nrev: 1\n---\nFirst\r\n');
    }));

  it('a note that was renamed since is found under the name that it had in the commit', () =>
    withGitVault({ 'a.md': 'First\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const first = headOf(vault);
        await ask('update_node', { id: 'a', title: 'Renamed' });
        expect(await ask('get_node', { id: 'Renamed', as_of: first })).toMatchObject({ content: 'First\n', path: 'a.md' });
      }),
    ));

  it('a note that somebody brought here later is found by time in the commits of before; what roux made later was not there', () =>
    withGitVault({ 'a.md': 'First\n', 'b.md': 'B\n' }, (vault) => {
      vault.remove('a.md');
      return withServer(vault, async ({ ask, refuse }) => {
        expect((await ask('list_nodes', {})).total).toBe(1);
        const before = new Date(Number(vault.git('show', '--no-patch', '--format=%ct')) * 1000).toISOString();
        vault.write('a.md', 'Second\n');
        await waitFor(async () => (await ask('list_nodes', {})).total === 2);
        expect(await ask('get_node', { id: 'a', as_of: before })).toMatchObject({ content: 'First\n', as_of: { source: 'git' } });
        await ask('create_node', { title: 'Made', content: 'x\n' });
        expect((await refuse('get_node', { id: 'Made', as_of: before })).error.message).toContain('made later');
      });
    }));

  it('nothing of a hostile repository is started, asked of the network, followed or waited for', () =>
    withGitVault({ 'a.md': 'First\n' }, async (vault) => {
      const outside = mkdtempSync(join(tmpdir(), 'roux-outside-'));
      try {
        const marker = join(outside, 'marker');
        const program = join(outside, 'program');
        writeFileSync(program, `#!/bin/sh\necho started >> '${marker}'\n`);
        chmodSync(program, 0o755);
        const [first, second] = commitTwice(vault);
        const settings: readonly (readonly [string, string])[] = [
          ['core.fsmonitor', program],
          ['core.hooksPath', outside],
          ['core.pager', program],
          ['core.sshCommand', program],
          ['core.alternateRefsCommand', program],
          ['gpg.program', program],
          ['alias.cat-file', `!${program}`],
          ['diff.external', program],
          ['filter.x.smudge', program],
          ['uploadpack.packObjectsHook', program],
          ['protocol.ext.allow', 'always'],
          ['remote.origin.url', `ext::${program}`],
          ['remote.origin.promisor', 'true'],
          ['remote.origin.partialclonefilter', 'blob:none'],
          ['extensions.partialClone', 'origin'],
          ['core.repositoryformatversion', '1'],
          ['include.path', join(outside, 'included')],
        ];
        writeFileSync(join(outside, 'included'), `[core]\n\tfsmonitor = ${program}\n`);
        for (const [key, value] of settings) execFileSync('git', ['config', '--file', vault.path('.git/config'), key, value]);
        vault.write('.gitattributes', '*.md filter=x diff=x\n');
        for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
          writeFileSync(vault.path(`.git/hooks/${hook}`), `#!/bin/sh\necho hook >> '${marker}'\n`, { mode: 0o755 });
        }
        // A blob that is missing, as in a partial clone: it is not fetched.
        const blob = execFileSync('git', ['rev-parse', `${first}:a.md`], { cwd: vault.root, encoding: 'utf8', env: plain }).trim();
        const object = vault.path(`.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`);
        expect((await at(vault, 'a', second)).stdout).toContain('Second');
        expect((await at(vault, 'a', first)).stdout).toBe('First\n');
        renameSync(object, join(outside, 'kept'));
        expect((await at(vault, 'a', first)).status).toBe(1);
        // A link in its place, a FIFO, alternates, a link for the folder of objects, and a repository elsewhere.
        symlinkSync(join(outside, 'kept'), object);
        expect((await at(vault, 'a', first)).status).toBe(3);
        rmSync(object);
        execFileSync('mkfifo', [object]);
        expect((await at(vault, 'a', first)).status).toBe(3);
        rmSync(object);
        renameSync(join(outside, 'kept'), object);
        mkdirSync(vault.path('.git/objects/info'), { recursive: true });
        writeFileSync(vault.path('.git/objects/info/alternates'), `${outside}\n`);
        expect((await at(vault, 'a', first)).status).toBe(3);
        rmSync(vault.path('.git/objects/info/alternates'));
        renameSync(vault.path('.git/refs/heads'), join(outside, 'heads'));
        symlinkSync(join(outside, 'heads'), vault.path('.git/refs/heads'));
        expect((await at(vault, 'a', 'HEAD')).status).toBe(1);
        renameSync(vault.path('.git'), join(outside, 'repository'));
        symlinkSync(join(outside, 'repository'), vault.path('.git'));
        const { status, stderr } = await at(vault, 'a', first);
        expect([status, stderr.includes(outside)]).toEqual([3, false]);
        rmSync(vault.path('.git'));
        writeFileSync(vault.path('.git'), `gitdir: ${join(outside, 'repository')}\n`);
        expect((await at(vault, 'a', first)).status).toBe(3);
        expect(existsSync(marker)).toBe(false);
        // What is there now can be read all the same.
        expect((await cli(['get', 'a', '--vault', vault.root])).stdout).toContain('Second');
      } finally {
        rmSync(outside, { recursive: true, force: true });
      }
    }));
});

/** For looking at the hostile repository ourselves: nothing of its own is needed to name an object. */
const plain = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'core.fsmonitor',
  GIT_CONFIG_VALUE_0: 'false',
};
