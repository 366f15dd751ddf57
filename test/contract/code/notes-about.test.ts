import { describe, expect, it } from 'vitest';
import { hasGit, openGitVault } from '../../support/git.ts';
import type { GitVault } from '../../support/git.ts';
import { cli } from '../../support/program/cli.ts';
import { withPage } from '../../support/page-server.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { openTestVault, withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const about = (...anchors: readonly string[]): string => `---\napplies_to:\n${anchors.map((each) => `  - ${each}\n`).join('')}---\nText\n`;

const FILES = {
  'docs/Login.md': about('src/auth/login.ts'),
  'docs/Auth.md': about('"src/auth/**"'),
  'docs/near/Rules.md': about('../../src/rules.ts', './code.py'),
  'docs/Other.md': 'Names src/auth/login.ts in its text.\n',
  'docs/near/code.py': 'x = 1\n',
  'src/auth/login.ts': 'export const login = 1;\n'.repeat(5),
  'src/auth/out.ts': 'export const out = 1;\n',
  'src/rules.ts': 'export const rules = [];\n',
  'src/unknown.ts': 'export {};\n',
};

/** A repository whose folder `docs` is the vault. */
function withDocs(run: (docs: TestVault, repository: GitVault) => Promise<void>): Promise<void> {
  return withVault(FILES, (top) => run(openTestVault(top.path('docs')), openGitVault(top)));
}

interface Row {
  readonly path: string;
  readonly direction: string;
  readonly applies_to: readonly string[];
}

const shown = (rows: readonly Row[]): readonly unknown[] =>
  rows.map(({ path, direction, applies_to: anchors }) => [path, direction, ...anchors]);

describe.skipIf(!hasGit)('G-01 notes about a path of code', () => {
  it('get_neighbors lists them by the path of a file or folder, however it is written; renames are followed', () =>
    withDocs((docs, repository) =>
      withServer(docs, async ({ ask, call }) => {
        const both = [
          ['Auth.md', 'in', 'src/auth/**'],
          ['Login.md', 'in', 'src/auth/login.ts'],
        ];
        for (const id of [
          'src/auth/login.ts',
          'src/auth',
          '../src/auth/login.ts',
          repository.path('src/auth/login.ts'),
          'src/auth/login.ts:12:4',
          'src/auth/login.ts#L3-L9',
        ])
          expect([id, shown(await ask('get_neighbors', { id }))]).toEqual([id, both]);
        expect(shown(await ask('get_neighbors', { id: 'src/rules.ts' }))).toEqual([['near/Rules.md', 'in', '../../src/rules.ts']]);
        expect(shown(await ask('get_neighbors', { id: 'near/code.py' }))).toEqual([['near/Rules.md', 'in', './code.py']]);
        expect(await ask('get_neighbors', { id: 'src/auth/login.ts', direction: 'out' })).toEqual([]);
        // A file of the repository is no mistyped note.
        const nothing = await call('get_neighbors', { id: 'src/unknown.ts' });
        expect(JSON.stringify(nothing)).not.toContain('There is no note');
        repository.git('mv', 'src/auth/login.ts', 'src/session.ts');
        repository.commit('renamed');
        expect(shown(await ask('get_neighbors', { id: 'src/session.ts' }))).toEqual([['Login.md', 'in', 'src/auth/login.ts']]);
        docs.write('New.md', about('src/session.ts'));
        await expect.poll(async () => shown(await ask('get_neighbors', { id: 'src/session.ts' }))).toHaveLength(2);
      }),
    ));

  it('get_node and search of a path say which notes are about it', () =>
    withDocs((docs) =>
      withServer(docs, async ({ call }) => {
        const text = async (tool: string, args: Record<string, unknown>): Promise<string> => JSON.stringify(await call(tool, args));
        const node = await text('get_node', { id: 'src/auth/login.ts' });
        for (const part of ['is a path of the repository', 'Login.md', 'Auth.md', 'get_neighbors']) expect(node).toContain(part);
        expect(await text('get_node', { id: 'src/unknown.ts' })).toContain('No note is about it');
        expect(await text('get_node', { id: 'src/missing.ts' })).not.toContain('repository');
        expect(await text('get_node', { id: 'near/code.py' })).toContain('Rules.md');
        expect(await text('search', { query: 'src/auth/login.ts' })).toContain('by their applies_to');
        expect(await text('search', { query: 'login' })).not.toContain('applies_to: ');
      }),
    ));

  it('roux backlinks shows them with the line that says so', () =>
    withDocs(async (docs) => {
      const { stdout, status } = await cli(['backlinks', 'src/auth/login.ts', '--vault', docs.root]);
      expect([status, stdout.split('\n').map((line) => line.trim())]).toEqual([
        0,
        ['Auth  Auth.md', '3: - "src/auth/**"', 'Login  Login.md', '3: - src/auth/login.ts', ''],
      ]);
      const rows = JSON.parse((await cli(['backlinks', 'src/auth/login.ts', '--json', '--vault', docs.root])).stdout);
      expect(rows).toEqual([
        { from: 'Auth.md', title: 'Auth', applies_to: 'src/auth/**', line: 3, text: '- "src/auth/**"' },
        { from: 'Login.md', title: 'Login', applies_to: 'src/auth/login.ts', line: 3, text: '- src/auth/login.ts' },
      ]);
      expect((await cli(['backlinks', 'src/unknown.ts', '--vault', docs.root])).status).toBe(0);
      expect((await cli(['backlinks', 'src/missing.ts', '--vault', docs.root])).status).toBe(1);
    }));

  it('paths are completed: in the shell, and where applies_to is written', () =>
    withDocs(async (docs) => {
      const words = async (typed: string): Promise<readonly string[]> =>
        (await cli(['complete', 'zsh', 'backlinks', '--vault', docs.root, typed])).stdout.trim().split('\n').slice(1);
      expect(await words('src/')).toEqual(['src/auth/', 'src/rules.ts', 'src/unknown.ts']);
      expect(await words('src/auth/lo')).toEqual(['src/auth/login.ts']);
      await withPage(docs, async ({ page }) => {
        const offered = async (typed: string): Promise<readonly string[]> =>
          (await page('complete_text', { path: 'Auth.md', kind: 'value', of: 'applies_to', typed })).completions.map(
            ({ text }: { text: string }) => text,
          );
        expect(await offered('')).toEqual(['docs/', 'src/']);
        expect(await offered('src/auth/')).toEqual(['src/auth/login.ts', 'src/auth/out.ts']);
        expect(await offered('login.t')).toEqual(['src/auth/login.ts']);
      });
    }));

  it('the page is told of dead anchors, renames and changes since, and lists the notes about a path', () =>
    withDocs((docs, repository) =>
      withPage(docs, async ({ page }) => {
        expect(await page('note_code', { path: 'Other.md' })).toEqual({ anchors: [], notices: [] });
        expect(await page('note_code', { path: 'Auth.md' })).toEqual({
          anchors: [{ text: 'src/auth/**', state: 'found', path: 'src/auth' }],
          notices: [],
        });
        repository.git('mv', 'src/rules.ts', 'src/laws.ts');
        repository.git('rm', '--quiet', 'docs/near/code.py');
        repository.write('src/auth/out.ts', 'export const out = 2;\n');
        repository.commit('changed');
        expect(await page('note_code', { path: 'near/Rules.md' })).toMatchObject({
          anchors: [
            { text: '../../src/rules.ts', state: 'moved', moved_to: 'src/laws.ts' },
            { text: './code.py', state: 'missing' },
          ],
          changes: [{ path: 'docs/near/code.py', kind: 'removed' }],
        });
        expect(await page('note_code', { path: 'Auth.md' })).toMatchObject({
          confirmed: { how: 'commit' },
          changes: [{ path: 'src/auth/out.ts', kind: 'changed' }],
        });
        expect(await page('code_page', { path: 'src/auth' })).toMatchObject({
          is_there: true,
          total: 2,
          notes: [{ path: 'Auth.md' }, { path: 'Login.md' }],
        });
        expect(await page('code_page', {})).toMatchObject({ total: 3 });
      }),
    ));

  it('nothing outside of the repository is told of: paths that lead out, .git, links', () =>
    withDocs((docs) =>
      withServer(docs, async ({ call }) => {
        for (const id of ['/etc/passwd', '../../../etc/passwd', '.git/config', '../.git/HEAD'])
          expect(JSON.stringify(await call('get_node', { id })), id).not.toContain('is a path of the repository');
      }),
    ));
});
