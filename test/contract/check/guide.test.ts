import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { hasGit } from '../../support/git.ts';
import { program, testEnvironment } from '../../support/program/cli.ts';
import { repositoryRoot, withVault } from '../../support/vault.ts';

it.skipIf(!hasGit || process.platform === 'win32')('G-05 the three commands of the guide set up what it says, in a fresh repository', () =>
  withVault({ 'code/src/auth/login.ts': '1\n2\n3\n', 'code/docs/readme.md': 'Docs\n' }, (folder) => {
    mkdirSync(folder.path('bin'));
    symlinkSync(program, folder.path('bin/roux'));
    chmodSync(program, 0o755);
    const names = Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, 'Ada'],
        [`GIT_${who}_EMAIL`, 'ada@example.org'],
      ]),
    );
    const path = `${folder.path('bin')}${delimiter}${process.env['PATH'] ?? ''}`;
    const env = testEnvironment({
      ...(names as Record<string, string>),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      PATH: path,
    });
    const cwd = folder.path('code');
    const run = (line: string) => {
      const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { cwd, env, encoding: 'utf8' });
      return { status, output: stdout + stderr };
    };
    execFileSync('git', ['init', '--quiet'], { cwd, env });
    const page = readFileSync(join(repositoryRoot, 'docs/knowledge-in-a-repository.md'), 'utf8');
    const lines = (/```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? '').trim().split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) expect([line, run(line)]).toEqual([line, { status: 0, output: expect.any(String) }]);
    expect(run('git add --all && git commit --quiet --message first')).toMatchObject({ status: 0 });
    appendFileSync(folder.path('code/src/auth/login.ts'), '4\n');
    const refused = run('git commit --all --quiet --message second');
    expect(refused.status).toBe(1);
    // As the page shows it, but for the day.
    const [, shown = ''] = /```\n(Not confirmed[\s\S]*?)```/.exec(page) ?? [];
    expect(refused.output.replace(/\d{4}-\d\d-\d\d/, 'DAY')).toContain(shown.replace(/\d{4}-\d\d-\d\d/, 'DAY'));
    const [, confirm = ''] = /run `(roux confirm [^`]+)`/.exec(page) ?? [];
    expect(run(confirm)).toMatchObject({ status: 0 });
    expect(run('git add --all && git commit --quiet --message second')).toMatchObject({ status: 0 });
    writeFileSync(folder.path('code/src/other.ts'), '1\n');
    expect(run('git add --all && git commit --quiet --message third')).toMatchObject({ status: 0 });
  }),
);
