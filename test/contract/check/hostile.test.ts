import { execFileSync } from 'node:child_process';
import { chownSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasGit, withGitVault } from '../../support/git.ts';
import { lookAt } from '../../support/outside.ts';
import { cliProcess } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';

/** A user without rights; only root may give files away. */
const NOBODY = 65_534;
const NOTE = '---\napplies_to: [src/**, /etc/passwd, ../../x, src/pipe]\n---\nText\n';

describe.skipIf(!hasGit || process.platform !== 'linux')('G-02 roux check of a hostile clone', () => {
  it('starts nothing that the repository names, follows no link, waits for no pipe and writes nothing', () =>
    withGitVault(
      { 'src/a.ts': '1\n', 'src/b.ts': '2\n', 'notes/a.md': NOTE, '.gitattributes': '*.ts filter=evil diff=evil\n' },
      async (vault) => {
        const made = vault.path('../made-by-check');
        const evil = `touch ${made}`;
        for (const key of [
          'core.fsmonitor',
          'core.pager',
          'filter.evil.clean',
          'filter.evil.smudge',
          'diff.evil.textconv',
          'core.sshCommand',
          'core.askPass',
        ])
          vault.git('config', key, evil);
        vault.write('.git/hooks/post-index-change', `#!/bin/sh\n${evil}\n`);
        vault.write('src/a.ts', 'changed\n');
        vault.remove('src/b.ts');
        execFileSync('mkfifo', [vault.path('src/b.ts'), vault.path('src/pipe'), vault.path('notes/pipe.md')]);
        symlinkSync('/etc', vault.path('src/link'));
        symlinkSync('/etc/passwd', vault.path('notes/link.md'));
        writeFileSync(vault.path('notes/evil.md'), `---\n${'a: [\n'.repeat(5000)}---\n[[${'\u001b[31m'}]]\n`);
        const before = lookAt(vault.path('notes'));
        for (const args of [[], ['--since', 'HEAD'], ['--format', 'sarif'], ['--format', 'markdown', '--since', 'HEAD']]) {
          const { status, stdout, stderr } = await cliProcess(['check', '--vault', vault.path('notes'), ...args]);
          expect(status, stderr).toBe(1);
          for (const text of ['root:', '\u001b']) expect(stdout).not.toContain(text);
        }
        expect(lookAt(vault.path('notes'))).toEqual(before);
        expect(vault.exists('../made-by-check')).toBe(false);
      },
    ));

  it('a repository that is barred is told of, and the rest is checked', () =>
    withGitVault({ 'a.md': NOTE, 'b.md': '---\na: [\n---\n' }, async (vault) => {
      const git = vault.path('../elsewhere-of-check');
      execFileSync('mv', [vault.path('.git'), git]);
      symlinkSync(git, vault.path('.git'));
      try {
        const { status, stdout, stderr } = await cliProcess(['check', '--vault', vault.root]);
        expect(status).toBe(1);
        expect(stdout).toContain('b.md:3');
        expect(stderr).toContain('not read');
        expect(await cliProcess(['check', '--since', 'HEAD', '--vault', vault.root])).toMatchObject({ status: 3 });
        vault.write('a.md', '---\napplies_to: src/**\n---\nText\n');
        vault.remove('b.md');
        // Nothing found means nothing here.
        expect(await cliProcess(['check', '--vault', vault.root])).toMatchObject({ status: 3 });
        expect((await cliProcess(['doctor', '--vault', vault.root])).stderr).toContain('The repository around the vault is not read');
        await withServer(vault, async ({ call }) => expect(JSON.stringify(await call('vault_health', {}))).toContain('is not read'));
        vault.write('a.md', 'Without code.\n');
        expect(await cliProcess(['check', '--vault', vault.root])).toMatchObject({ status: 0 });
      } finally {
        execFileSync('rm', ['-rf', git]);
      }
    }));

  it('a branch that is a link or a pipe is told of, and is not taken for one without commits', () =>
    withGitVault({ 'a.md': '---\napplies_to: src\n---\n', 'src/a.ts': '1\n' }, async (vault) => {
      const run = (...args: readonly string[]) => cliProcess(['check', '--vault', vault.root, ...args]);
      const ref = vault.path('.git/refs/heads/main');
      for (const make of [() => symlinkSync('/dev/null', ref), () => execFileSync('mkfifo', [ref])]) {
        vault.remove('.git/refs/heads/main');
        make();
        expect(await run()).toMatchObject({ stderr: expect.stringContaining('its HEAD leads to no commit') as string });
        expect((await run('--since', 'HEAD')).status).toBe(3);
      }
    }));

  it.runIf(process.getuid?.() === 0)(
    'the repository of a vault of another user is read where the vault may be opened, and only if it is that user’s',
    () =>
      withGitVault({ 'notes/a.md': '---\napplies_to: src\n---\n', 'src/a.ts': '1\n' }, async (vault) => {
        vault.write('src/a.ts', '2\n');
        const check = (env: Record<string, string>) => cliProcess(['check', '--vault', vault.path('notes')], { env });
        const allowed = { ROUX_ALLOW_OTHER_OWNER: '1' };
        for (const path of ['.git', 'notes']) chownSync(vault.path(path), NOBODY, NOBODY);
        expect((await check({})).status).toBe(3);
        expect(await check(allowed)).toMatchObject({ status: 1, stdout: expect.stringContaining('src/a.ts changed') as string });
        chownSync(vault.path('.git'), NOBODY - 1, NOBODY);
        expect(await check(allowed)).toMatchObject({ status: 3, stderr: expect.stringContaining('belongs to somebody else') as string });
        for (const path of ['.git', 'notes']) chownSync(vault.path(path), 0, 0);
      }),
  );
});
