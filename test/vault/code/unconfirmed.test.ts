import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findUnconfirmed } from '../../../src/vault/code/find-unconfirmed.ts';
import { isLong } from '../../support/effort.ts';
import { hasGit, openGitVault } from '../../support/git.ts';
import type { GitVault } from '../../support/git.ts';
import { withOpen } from '../../support/open.ts';
import { openTestVault, withVault } from '../../support/vault.ts';
import type { VaultSource } from '../../support/vault.ts';
import { lines, noteAbout, touched, unconfirmed } from './support.ts';

/** As many as are walked; fewer in each run of all tests, as git has 15 s for them, however busy the machine is. */
const COMMITS = isLong ? 20_000 : 4_000;

const day = (number: number): string => `2026-01-${String(number).padStart(2, '0')}T12:00:00Z`;

/** A repository whose first commit is of January 1. */
function withDated(source: VaultSource, run: (vault: GitVault) => Promise<void>): Promise<void> {
  return withVault(source, (vault) => run(openGitVault(vault, ['--all'], { at: day(1) })));
}

const verified = (anchor: string, ...days: readonly number[]): string =>
  noteAbout(anchor).replace('---\nText', `verified:\n${days.map((each) => `  - by: human:ana\n    at: ${day(each)}\n`).join('')}---\nText`);

describe.skipIf(!hasGit)('G-01 notes whose code changed since they were confirmed', () => {
  it('by the last commit of the note: changed, added, removed; renames alone are no change', () =>
    withDated(
      {
        'n.md': noteAbout('src/a.ts'),
        'glob.md': noteAbout('src/**'),
        'other.md': noteAbout('lib'),
        'src/a.ts': lines('a'),
        'src/b.ts': lines('b'),
        'lib/c.ts': 'c\n',
      },
      async (vault) => {
        expect(await unconfirmed(vault.root)).toEqual([]);
        vault.git('mv', 'src/a.ts', 'src/moved.ts');
        vault.commit('renamed', day(2));
        expect(await unconfirmed(vault.root)).toEqual([]);
        vault.write('src/moved.ts', lines('other'));
        vault.commit('rewritten', day(3));
        expect(await unconfirmed(vault.root)).toEqual(['glob.md commit: changed src/moved.ts', 'n.md commit: changed src/moved.ts']);
        vault.write('src/moved.ts', lines('a'));
        vault.write('src/new.ts', 'new\n');
        vault.git('rm', '--quiet', 'src/b.ts');
        vault.commit('added and removed', day(4));
        expect(await unconfirmed(vault.root)).toEqual(['glob.md commit: added src/new.ts removed src/b.ts']);
        vault.write('glob.md', noteAbout('src/**', 'x'));
        expect(await unconfirmed(vault.root)).toEqual([]);
        vault.commit('edited', day(5));
        expect(await unconfirmed(vault.root)).toEqual([]);
      },
    ));

  it('by `verified`: an edit of the note confirms nothing; what was committed with the confirmation was confirmed with it', () =>
    withDated({ 'n.md': verified('src', 1), 'src/a.ts': lines('a') }, async (vault) => {
      vault.write('src/a.ts', lines('b'));
      vault.commit('code', day(5));
      expect(await unconfirmed(vault.root)).toEqual(['n.md verified: changed src/a.ts']);
      vault.write('n.md', `${verified('src', 1)}typo\n`);
      vault.commit('typo', day(6));
      expect(await unconfirmed(vault.root)).toEqual(['n.md verified: changed src/a.ts']);
      vault.write('n.md', verified('src', 1, 7));
      expect(await unconfirmed(vault.root)).toEqual([]);
      vault.write('src/a.ts', lines('c'));
      vault.commit('confirmed with code', day(8));
      expect(await unconfirmed(vault.root)).toEqual([]);
      vault.write('src/a.ts', lines('d'));
      vault.commit('later', day(9));
      expect(await unconfirmed(vault.root)).toEqual(['n.md verified: changed src/a.ts']);
    }));

  it('by the commit of an anchor, which an edit of the note does not renew; a commit that is unknown is told', () =>
    withDated({ 'src/a.ts': lines('a') }, async (vault) => {
      const first = vault.git('rev-parse', 'HEAD').trim();
      vault.write('n.md', noteAbout(`{ path: src/a.ts, commit: ${first.slice(0, 10)} }`));
      vault.commit('note', day(2));
      expect(await unconfirmed(vault.root)).toEqual([]);
      vault.write('src/a.ts', lines('b'));
      vault.write('n.md', `${vault.read('n.md')}typo\n`);
      vault.commit('both', day(3));
      expect(await unconfirmed(vault.root)).toEqual(['n.md anchor: changed src/a.ts']);
      const blob = vault.git('rev-parse', 'HEAD:src/a.ts').trim();
      vault.write('n.md', noteAbout(`{ path: src/a.ts, commit: ${first}, hash: ${blob.slice(0, 9)} }`));
      expect(await unconfirmed(vault.root)).toEqual([]);
      vault.write('n.md', noteAbout('{ path: src/a.ts, commit: abcdef0123 }'));
      vault.commit('unknown', day(4));
      expect(await unconfirmed(vault.root)).toEqual(['unknown abcdef0123']);
    }));

  it('what is not committed: code is told, until the note is confirmed or edited; a new note is confirmed', () =>
    withDated({ 'n.md': noteAbout('src'), 'v.md': verified('src', 2), 'src/a.ts': lines('a'), 'src/b.ts': 'b\n' }, async (vault) => {
      vault.write('src/a.ts', lines('b'));
      vault.remove('src/b.ts');
      vault.write('new.md', noteAbout('src'));
      const changes = 'changed src/a.ts* removed src/b.ts*';
      expect(await unconfirmed(vault.root)).toEqual([`n.md commit: ${changes}`, `v.md verified: ${changes}`]);
      vault.write('n.md', noteAbout('src', 'x'));
      vault.write('v.md', verified('src', 2).replace(day(2), new Date().toISOString()));
      vault.git('checkout', '--quiet', 'src/b.ts');
      expect(await unconfirmed(vault.root)).toEqual([]);
      vault.write('src/new.ts', 'staged\n');
      vault.git('add', 'src/new.ts');
      vault.git('checkout', '--quiet', 'n.md', 'src/a.ts');
      expect((await unconfirmed(vault.root))[0]).toBe('n.md commit: added src/new.ts*');
    }));

  it('ends of lines that git turns, and files that LFS stands in for, are no change', () =>
    withDated(
      { 'n.md': noteAbout('src'), 'src/a.ts': lines('a'), 'src/big.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n' },
      async (vault) => {
        vault.write('src/a.ts', lines('a').replaceAll('\n', '\r\n'));
        vault.write('src/big.bin', 'the large file');
        expect(await unconfirmed(vault.root)).toEqual([]);
      },
    ));

  it('merges: a note and code that were changed in different branches, before they met', () =>
    withDated({ 'n.md': noteAbout('src'), 'm.md': noteAbout('lib'), 'src/a.ts': lines('a'), 'lib/a.ts': 'x\n' }, async (vault) => {
      vault.git('checkout', '--quiet', '-b', 'feature');
      vault.write('src/a.ts', lines('b'));
      vault.commit('code', day(2));
      vault.write('lib/a.ts', 'y\n');
      vault.write('m.md', noteAbout('lib', 'y'));
      vault.commit('code with its note', day(3));
      vault.git('checkout', '--quiet', 'main');
      vault.write('n.md', noteAbout('src', 'x'));
      vault.commit('note', day(4));
      vault.git('merge', '--quiet', '--no-edit', 'feature');
      expect(await unconfirmed(vault.root)).toEqual(['n.md commit: changed src/a.ts']);
      expect(await touched(vault.root, 'HEAD^1')).toEqual(['m.md (changed): changed lib/a.ts', 'n.md: changed src/a.ts']);
    }));

  it('a shallow clone says that history is missing, and calls nothing unconfirmed that it does not know', () =>
    withDated({ 'n.md': noteAbout('src'), 'v.md': verified('src', 1), 'src/a.ts': lines('a') }, async (vault) => {
      vault.write('src/a.ts', lines('b'));
      vault.commit('code', day(5));
      const clone = (depth: number): string => {
        const place = vault.path(`clone-${depth}`);
        execFileSync('git', ['clone', '--quiet', `--depth=${depth}`, `file://${vault.root}`, place]);
        return place;
      };
      expect(await unconfirmed(clone(1))).toEqual([expect.stringContaining('2 notes were confirmed before the history')]);
      const [first, second] = await unconfirmed(clone(2));
      expect([first, second]).toEqual(['n.md commit: changed src/a.ts', 'v.md verified: changed src/a.ts']);
      await expect(touched(vault.path('clone-1'), 'HEAD~1')).rejects.toThrow('fetch-depth: 0');
    }));

  it('a partial clone without trees is told, and nothing is fetched', () =>
    withDated({ 'n.md': noteAbout('src'), 'src/a.ts': lines('a') }, async (vault) => {
      vault.write('src/a.ts', lines('b'));
      vault.commit('code', day(5));
      vault.git('config', 'uploadpack.allowFilter', 'true');
      execFileSync('git', ['clone', '--quiet', '--filter=tree:0', `file://${vault.root}`, vault.path('clone')]);
      const packs = readdirSync(vault.path('clone/.git/objects/pack')).length;
      expect(await unconfirmed(vault.path('clone'))).toEqual([expect.stringContaining('partial clone')]);
      expect(readdirSync(vault.path('clone/.git/objects/pack'))).toHaveLength(packs);
    }));

  it('a vault in a folder of a worktree is compared with the branch of the worktree', () =>
    withVault({ 'docs/n.md': noteAbout('src'), 'src/a.ts': lines('a') }, async (plain) => {
      const vault = openGitVault(plain, ['--all'], { at: day(1) });
      vault.git('worktree', 'add', '--quiet', '-b', 'other', 'tree');
      const tree = openTestVault(vault.path('tree'));
      tree.write('src/a.ts', lines('b'));
      vault.git('-C', 'tree', 'commit', '--quiet', '--all', '--message', 'there');
      expect(await unconfirmed(tree.path('docs'))).toEqual(['n.md commit: changed src/a.ts']);
      expect(await unconfirmed(vault.path('docs'))).toEqual([]);
      expect(await touched(tree.path('docs'), 'main')).toEqual(['n.md: changed src/a.ts']);
    }));

  it('what a branch touched: since it left the other one, with what is not committed; tags, remote branches and steps back', () =>
    withDated(
      { 'n.md': noteAbout('src/a.ts'), 'm.md': noteAbout('src/b.ts'), 'src/a.ts': lines('a'), 'src/b.ts': lines('b') },
      async (vault) => {
        vault.git('tag', '-a', 'v1', '-m', 'one');
        vault.git('checkout', '--quiet', '-b', 'feature');
        vault.write('src/a.ts', lines('c'));
        vault.commit('feature', day(2));
        vault.git('checkout', '--quiet', 'main');
        vault.write('src/b.ts', lines('d'));
        vault.commit('main', day(3));
        vault.git('update-ref', 'refs/remotes/origin/main', 'main');
        vault.git('checkout', '--quiet', 'feature');
        for (const since of ['main', 'origin/main', 'v1', 'HEAD~1', 'HEAD^', 'feature~', vault.git('rev-parse', 'main').trim().slice(0, 8)])
          expect([since, await touched(vault.root, since)]).toEqual([since, ['n.md: changed src/a.ts']]);
        vault.write('src/b.ts', 'not committed\n');
        vault.write('new.md', noteAbout('src/b.ts'));
        expect(await touched(vault.root, 'main')).toEqual([
          'm.md: changed src/b.ts',
          'n.md: changed src/a.ts',
          'new.md (changed): changed src/b.ts',
        ]);
        vault.git('checkout', '--quiet', '.');
        vault.git('mv', 'src/b.ts', 'src/c.ts');
        expect(await touched(vault.root, 'HEAD')).toEqual([]);
        await expect(touched(vault.root, 'nowhere')).rejects.toThrow('nowhere');
        for (const text of ['--output=x', 'HEAD:src', '', 'main..feature'])
          await expect(touched(vault.root, text)).rejects.toThrow('no commit');
      },
    ));

  it('what was touched since a release that thousands of commits came after', () =>
    withDated({ 'n.md': noteAbout('src/a.ts'), 'src/a.ts': 'a\n' }, async (vault) => {
      vault.git('tag', 'v1');
      const text = Array.from({ length: 4_000 }, (_, at) => {
        const from = at === 0 ? 'from refs/tags/v1^0\n' : '';
        const head = `commit refs/heads/work\ncommitter A <a@b.org> ${1_800_000_000 + at} +0000\ndata 0\n${from}`;
        return `${head}M 100644 inline src/a.ts\ndata 5\n${String(at).padStart(5, '0')}\n`;
      });
      execFileSync('git', ['fast-import', '--quiet'], { cwd: vault.root, input: text.join('') });
      vault.git('checkout', '--quiet', 'work');
      expect(await touched(vault.root, 'v1')).toEqual(['n.md: changed src/a.ts']);
    }));

  it('the cost is one walk of the commits: 1,000 notes and many commits of which few touch what is anchored', () =>
    withVault({}, async (plain) => {
      execFileSync('git', ['init', '--quiet', '--initial-branch=main', plain.root]);
      const parts: string[] = [];
      const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
      const commit = (at: number, text: string): number =>
        parts.push(`commit refs/heads/main\ncommitter A <a@example.org> ${1_700_000_000 + at * 60} +0000\n${data(`c${at}`)}${text}`);
      const file = (path: string, text: string): string => `M 100644 inline ${path}\n${data(text)}`;
      const names = Array.from({ length: 1_000 }, (_, at) => `docs/${at % 10}/n${at}.md`);
      commit(
        0,
        names.map((name, at) => file(name, noteAbout(`src/${at % 100}/**`))).join('') +
          Array.from({ length: 200 }, (_, at) => file(`src/${at}/a.ts`, `a${at}\n`)).join(''),
      );
      for (let at = 1; at < COMMITS - 100; at++) commit(at, file('log.txt', `${at}\n`));
      for (let at = 0; at < 100; at++) commit(COMMITS + at, file(`src/${at}/a.ts`, `changed ${at}\n`));
      execFileSync('git', ['fast-import', '--quiet'], { cwd: plain.root, input: parts.join('') });
      execFileSync('git', ['reset', '--quiet', '--hard'], { cwd: plain.root });
      await withOpen(plain.path('docs'), async (vault) => {
        const { findings, objectsRead, incomplete } = await findUnconfirmed(vault);
        expect([findings.length, incomplete]).toEqual([1_000, []]);
        // A commit and its tree each, and the folders of what is anchored.
        expect(objectsRead).toBeLessThan(2 * COMMITS + 1_000);
      });
    }));

  it('a note that was moved as it is was neither changed nor confirmed by that', () =>
    withDated({ 'n.md': noteAbout('src/a.ts'), 'v.md': verified('src/a.ts', 1), 'src/a.ts': lines('a') }, async (vault) => {
      vault.write('src/a.ts', lines('b'));
      vault.commit('code', day(2));
      for (const [from, to, at] of [
        ['n.md', 'notes/n.md', 3],
        ['v.md', 'notes/v.md', 4],
        ['notes', 'docs/all', 5],
      ] as const) {
        vault.write(`${to.replace(/\/[^/]*$/, '')}/.keep`, '');
        vault.git('mv', from, to);
        vault.commit('moved', day(at));
      }
      const expected = ['docs/all/n.md commit: changed src/a.ts', 'docs/all/v.md verified: changed src/a.ts'];
      expect(await unconfirmed(vault.root)).toEqual(expected);
      vault.write('docs/all/n.md', noteAbout('src/a.ts', 'src'));
      vault.commit('edited', day(6));
      expect(await unconfirmed(vault.root)).toEqual(expected.slice(1));
    }));

  it('what was committed, confirmed and committed again within a second was confirmed by the latter', () =>
    withDated({ 'n.md': noteAbout('src/a.ts'), 'src/a.ts': lines('a') }, async (vault) => {
      const confirmed = noteAbout('src/a.ts').replace('---\nText', 'verified: {by: human:ana, at: 2026-01-02T12:00:00.500Z}\n---\nText');
      vault.write('n.md', `${noteAbout('src/a.ts')}more\n`);
      vault.commit('note', day(2));
      vault.write('n.md', confirmed);
      vault.write('src/a.ts', lines('b'));
      vault.commit('confirmed with the code', day(2));
      expect(await unconfirmed(vault.root)).toEqual([]);
      vault.write('n.md', `${confirmed}typo\n`);
      vault.write('src/a.ts', lines('c'));
      vault.commit('later', day(3));
      expect(await unconfirmed(vault.root)).toEqual(['n.md verified: changed src/a.ts']);
    }));

  it('what a sparse checkout leaves out was not removed, also where its index names folders alone', () =>
    withDated(
      { 'docs/n.md': noteAbout('src/a.ts'), 'docs/lib.md': noteAbout('lib'), 'src/a.ts': lines('a'), 'lib/b.ts': 'b\n' },
      async (vault) => {
        for (const form of ['--no-sparse-index', '--sparse-index']) {
          vault.git('sparse-checkout', 'set', '--cone', form, 'docs');
          expect(vault.exists('src')).toBe(false);
          expect(await unconfirmed(vault.root)).toEqual([]);
          expect(await touched(vault.root, 'HEAD')).toEqual([]);
        }
      },
    ));
});
