import { mkdirSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { hasGit, withGitVault } from '../../support/git.ts';
import type { GitVault } from '../../support/git.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

interface Report {
  readonly notes: number;
  readonly failed: number;
  readonly since?: string;
  readonly touched?: readonly {
    readonly path: string;
    readonly file: string;
    readonly files: readonly string[];
    readonly note_changed: boolean;
  }[];
  readonly findings: readonly {
    readonly kind: string;
    readonly path: string;
    readonly file: string;
    readonly line: number;
    readonly message: string;
  }[];
  readonly incomplete?: readonly string[];
}

const about = (...anchors: readonly string[]): string => `---\ntitle: T\napplies_to: [${anchors.join(', ')}]\n---\nText\n`;
const code = (word: string): string => Array.from({ length: 30 }, (_, at) => `${word} ${at}\n`).join('');

const CODE = {
  'src/auth/login.ts': code('login'),
  'src/auth/session.ts': code('session'),
  'src/pay.ts': code('pay'),
  'notes/auth.md': about('"src/auth/**"'),
  'notes/pay.md': about('src/pay.ts', 'src/gone.ts'),
  'notes/plain.md': 'No code.\n',
};

async function check(vault: GitVault, ...args: readonly string[]): Promise<{ status: number | null; report: Report; stderr: string }> {
  const { status, stdout, stderr } = await cli(['check', '--json', '--vault', vault.path('notes'), ...args], { cwd: vault.root });
  return { status, stderr, report: (stdout === '' ? {} : JSON.parse(stdout)) as Report };
}

const short = ({ findings }: Report) => findings.map(({ kind, path, line, message }) => [kind, path, line, message]);

describe.skipIf(!hasGit)('G-02 roux check in a repository', () => {
  it('finds dead anchors and notes not confirmed since their code changed, committed or not, and fails', () =>
    withGitVault(CODE, async (vault) => {
      const dead = ['dead-anchor', 'pay.md', 3, 'src/gone.ts matches no file of the repository'];
      expect((await check(vault)).report).toMatchObject({ notes: 3, failed: 1 });
      expect(short((await check(vault)).report)).toEqual([dead]);
      vault.write('src/auth/login.ts', code('sign in'));
      const { status, report } = await check(vault);
      expect(status).toBe(1);
      expect(short(report)).toEqual([
        dead,
        [
          'unconfirmed',
          'auth.md',
          3,
          expect.stringMatching(/^src\/auth\/login\.ts changed since the note was last changed on \d{4}-\d\d-\d\d$/),
        ],
      ]);
      expect(report.findings[1]?.file).toBe('notes/auth.md');
      vault.commit('sign in');
      expect(short((await check(vault)).report)).toEqual(short(report));
      expect((await check(vault, '--fail', 'frontmatter')).status).toBe(0);
      expect(vault.list('notes')).toEqual(['auth.md', 'pay.md', 'plain.md']);
      await cli(['confirm', 'auth', '--vault', vault.path('notes')]);
      expect(short((await check(vault)).report)).toEqual([dead]);
      vault.commit('confirmed');
      expect(short((await check(vault)).report)).toEqual([dead]);
    }));

  it('an unconfirmed note keeps its fingerprint in SARIF while more of its code changes', () =>
    withGitVault(CODE, async (vault) => {
      const print = async () => {
        const { stdout } = await cli(['check', '--format', 'sarif', '--vault', vault.path('notes'), 'notes/auth.md'], { cwd: vault.root });
        return [...stdout.matchAll(/"primaryLocationLineHash":"([^"]+)"/g)].map(([, found]) => found);
      };
      vault.write('src/auth/session.ts', code('sign in'));
      const before = await print();
      expect(before).toHaveLength(1);
      vault.write('src/auth/login.ts', code('sign in'));
      expect(await print()).toEqual(before);
    }));

  it('G-01 follows a rename of a file or of the folder of a glob, staged or committed: it is told and fails nothing', () =>
    withGitVault(CODE, async (vault) => {
      const dead = ['dead-anchor', 'pay.md', 3, 'src/gone.ts matches no file of the repository'];
      const moved = [
        ['moved-anchor', 'auth.md', 3, 'src/auth/** is now lib/sign-in/**'],
        ['moved-anchor', 'pay.md', 3, 'src/pay.ts is now src/payment.ts'],
      ];
      vault.git('mv', 'src/pay.ts', 'src/payment.ts');
      mkdirSync(vault.path('lib'));
      vault.git('mv', 'src/auth', 'lib/sign-in');
      expect(short((await check(vault)).report)).toEqual([dead, ...moved]);
      expect(short((await check(vault, '--since', 'HEAD')).report)).toEqual([dead, ...moved]);
      vault.commit('moved');
      expect(short((await check(vault)).report)).toEqual([dead, ...moved]);
      const { report } = await check(vault, '--since', 'HEAD~1');
      expect(short(report)).toEqual([dead, ...moved]);
      expect(report.failed).toBe(1);
    }));

  it('--since takes what git takes, names the notes that the changes touch, and checks these alone', () =>
    withGitVault(CODE, async (vault) => {
      vault.git('tag', 'v1');
      vault.git('tag', '--annotate', '--message', 'annotated', 'v1-annotated');
      vault.git('branch', 'old');
      vault.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
      vault.git('checkout', '--quiet', '-b', 'work');
      vault.write('src/auth/login.ts', code('sign in'));
      vault.write('notes/plain.md', 'See [[nowhere]].\n');
      vault.commit('work');
      const id = vault.git('rev-parse', 'main').trim();
      const refs = [
        'main',
        'main...',
        'main...HEAD',
        'old',
        'origin/main',
        'v1',
        'v1-annotated',
        'HEAD~1',
        'HEAD^',
        '@~',
        id,
        id.slice(0, 9),
      ];
      for (const ref of refs) {
        const { report } = await check(vault, '--since', ref);
        expect([ref, report.since]).toEqual([ref, id]);
        expect(report).toMatchObject({
          notes: 2,
          touched: [{ path: 'auth.md', file: 'notes/auth.md', files: ['src/auth/login.ts'], note_changed: false }],
          findings: [
            { kind: 'unconfirmed', path: 'auth.md' },
            { kind: 'unresolved-link', path: 'plain.md' },
          ],
        });
      }
      // What is not committed counts as well.
      vault.write('src/pay.ts', code('cash'));
      expect((await check(vault, '--since', 'HEAD')).report.touched).toMatchObject([{ path: 'pay.md', files: ['src/pay.ts'] }]);
      expect((await check(vault, '--since', 'HEAD')).report.findings.map(({ kind }) => kind)).toEqual(['dead-anchor', 'unconfirmed']);
      // main went on meanwhile.
      vault.git('stash', '--quiet');
      vault.git('checkout', '--quiet', 'main');
      vault.write('src/pay.ts', code('coins'));
      vault.commit('coins');
      vault.git('checkout', '--quiet', 'work');
      expect((await check(vault, '--since', 'main...')).report.touched?.map(({ path }) => path)).toEqual(['auth.md']);
    }));

  it.each(['nope', 'HEAD~99', '0123456', '--upload-pack=touch made', 'main:src', ':/first', 'refs/../../x', '..', 'a b'])(
    'refuses --since %s with a message',
    (ref) =>
      withGitVault(CODE, async (vault) => {
        const { status, stdout, stderr } = await cli(['check', `--since=${ref}`, '--vault', vault.path('notes')]);
        expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
        expect(stderr).toMatch(/no commit, branch or tag/);
      }),
  );

  it('a link to a note that the changes removed or renamed is theirs, in whatever note it is', () =>
    withGitVault({ ...CODE, 'notes/a.md': '[[plain]] [[pay]] [[never]]\n' }, async (vault) => {
      vault.git('mv', 'notes/plain.md', 'notes/other.md');
      vault.git('rm', '--quiet', 'notes/pay.md');
      const { report } = await check(vault, '--since', 'HEAD');
      expect(report.findings.map(({ path, message }) => `${path} ${message}`)).toEqual([
        expect.stringContaining('a.md no such note or file: pay'),
        expect.stringContaining('a.md no such note or file: plain'),
      ]);
    }));

  it('a path of code checks the notes about it', () =>
    withGitVault(CODE, async (vault) => {
      vault.write('src/auth/login.ts', code('sign in'));
      expect((await check(vault, 'src/auth')).report).toMatchObject({ notes: 1, findings: [{ path: 'auth.md' }] });
      expect((await check(vault, 'src/auth/session.ts')).report).toMatchObject({ notes: 1 });
      expect((await check(vault, 'src/pay.ts', 'notes/plain.md')).report).toMatchObject({ notes: 2, findings: [{ path: 'pay.md' }] });
    }));

  it('without commits, without a repository and where histories do not meet it says what it cannot know', () =>
    withGitVault(CODE, async (vault) => {
      vault.git('checkout', '--quiet', '--orphan', 'alone');
      vault.commit('alone');
      const apart = await cli(['check', '--since', 'main', '--vault', vault.path('notes')]);
      expect(apart.status).toBe(3);
      expect(apart.stderr).toContain('is not in the history that is here');
      await withVault({ 'a.md': about('src/a.ts') }, async (plain) => {
        const { status, stderr } = await cli(['check', '--since', 'HEAD', '--vault', plain.root]);
        expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('in no git repository') });
        expect((await cli(['check', '--vault', plain.root])).status).toBe(1);
        execFileSync('git', ['init', '--quiet'], { cwd: plain.root });
        plain.write('src/a.ts', '1\n');
        expect(await cli(['check', '--since', 'HEAD', '--vault', plain.root])).toMatchObject({
          status: 0,
          stderr: 'The changes touch 1 note: nothing found.\n',
        });
      });
    }));

  it('a shallow clone, as CI makes it, gives no false findings and says what is missing', () =>
    withGitVault(CODE, async (vault) => {
      vault.write('src/auth/login.ts', code('sign in'));
      vault.commit('sign in');
      await withVault({}, async (around) => {
        vault.git('clone', '--quiet', '--depth', '1', `file://${vault.root}`, around.path('clone'));
        const run = (...args: readonly string[]) => cli(['check', '--vault', around.path('clone/notes'), ...args]);
        const whole = await run();
        expect(whole.stdout).not.toContain('Not confirmed');
        expect(whole.stderr).toContain('fetch-depth: 0');
        const since = await run('--since', 'HEAD~1');
        expect(since.status).toBe(2);
        expect(since.stderr).toContain('fetch-depth: 0');
        expect(around.list('clone/notes')).toEqual(['auth.md', 'pay.md', 'plain.md']);
      });
    }));
});

describe.skipIf(!hasGit)('G-03 what an agent asks', () => {
  it('vault_health with since says what the branch left untrue, and confirm says that a note holds', () =>
    withGitVault(CODE, async (vault) => {
      vault.git('checkout', '--quiet', '-b', 'work');
      vault.write('src/auth/login.ts', code('sign in'));
      vault.commit('sign in');
      const notes = { ...vault, root: vault.path('notes') };
      await withServer(notes, async ({ ask, refuse }) => {
        const found = await ask('vault_health', { since: 'main...' });
        expect(found).toMatchObject({
          notes: 1,
          since: vault.git('rev-parse', 'main').trim(),
          touched: [{ path: 'auth.md', files: ['src/auth/login.ts'] }],
          counts: { unconfirmed: 1 },
          findings: [
            { kind: 'unconfirmed', paths: ['auth.md'], message: expect.stringContaining('auth.md:3: src/auth/login.ts changed since') },
          ],
        });
        expect((await ask('vault_health', {})).counts).toMatchObject({ 'dead-anchor': 1, unconfirmed: 1 });
        expect(await ask('vault_health', { since: 'main', kinds: ['dead-anchor'] })).toMatchObject({ findings: [] });
        expect(await refuse('vault_health', { since: 'nope' })).toMatchObject({ error: { code: 'INVALID_PARAMS' } });
        expect((await ask('confirm', { node: 'auth' })).by).toMatch(/^agent\/roux-test$/);
        expect(await ask('vault_health', { since: 'main...' })).toMatchObject({
          counts: {},
          touched: [{ path: 'auth.md', note_changed: true }],
        });
      });
      expect((await cli(['confirm', 'pay', '--json', '--vault', notes.root])).stdout).toMatch(/"by":"human:/);
    }));
});
