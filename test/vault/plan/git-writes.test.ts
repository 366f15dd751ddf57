import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { GraphView } from '../../../src/graph/view.ts';
import { toNotePath } from '../../../src/note/path.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { planRename } from '../../../src/vault/links/rename.ts';
import type { Plan } from '../../../src/vault/plan/plan.ts';
import { hasGit, openGitVault } from '../../support/git.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const meta = { operation: 'test', agent: 'ada' };

const setX = (path: string, value: number) => (): Plan => {
  const known = toNotePath(path);
  if (known === null) throw new Error('path');
  return { files: [{ kind: 'change', path: known, changes: [{ op: 'set', key: ['x'], value }] }] };
};

describe('writes while git changes the vault', () => {
  it('F26 a write waits while git holds its lock, and is planned on what git left', () =>
    withVault({ 'a.md': 'A\n', 'b.md': 'See [[a]].\n', '.git/HEAD': 'ref: refs/heads/main\n', '.git/index.lock': '' }, (vault) =>
      withOpen(
        vault.root,
        async (open) => {
          let seen: readonly string[] | null = null;
          const writing = open.writes.write(meta, (graph: GraphView) => {
            seen = [...graph.entries()].map(({ path }) => path);
            return setX('a.md', 1)();
          });
          await waitFor(() => vault.exists('.roux/lock/1'), { what: 'the write to have its turn' });
          vault.write('c.md', 'Came with the branch.\n');
          expect(seen).toBeNull();
          vault.remove('.git/index.lock');
          await writing;
          expect(seen).toEqual(['a.md', 'b.md', 'c.md']);
          expect(vault.read('a.md')).toBe('---\nx: 1\n---\nA\n');
        },
        // Nothing is watched, so that only the comparison after the wait can know of the new note.
        { isFollowing: false },
      ),
    ));

  it('F26 after five seconds of waiting the write is refused, can be retried, and changed nothing; a lock left behind holds nobody up', () =>
    withVault({ 'a.md': 'A\n', '.git/HEAD': 'ref: refs/heads/main\n', '.git/index.lock': '' }, (vault) => {
      let later = 0;
      return withOpen(
        vault.root,
        async (open) => {
          const writing = open.writes.write(meta, setX('a.md', 1));
          await waitFor(() => vault.exists('.roux/lock/1'), { what: 'the write to have its turn' });
          later = 6_000;
          await expect(writing).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', retryable: true });
          expect(vault.read('a.md')).toBe('A\n');
          later = 11_000;
          await open.writes.write(meta, setX('a.md', 2));
          expect(vault.read('a.md')).toContain('x: 2');
        },
        {
          isFollowing: false,
          openFileSystem: (root) => wrapFiles(openNodeFileSystem(root), (real) => ({ now: () => real.now() + later })),
        },
      );
    }));

  it.skipIf(!hasGit)('F26 when HEAD moved since the last write, everything is compared before the next', () =>
    withVault({ 'Old.md': 'Old\n', 'from.md': 'See [[Old]].\n' }, (vault) => {
      const repository = openGitVault(vault);
      vault.write('.gitignore', '.roux\n');
      repository.commit('ignore');
      repository.git('checkout', '--quiet', '-b', 'renamed');
      repository.git('mv', 'Old.md', 'New.md');
      repository.commit('renamed, links left');
      repository.git('checkout', '--quiet', 'main');
      return withOpen(
        vault.root,
        async (open) => {
          repository.git('checkout', '--quiet', 'renamed');
          let seen: readonly string[] = [];
          await open.writes.write(meta, (graph) => {
            seen = [...graph.entries()].map(({ path }) => path);
            return setX('New.md', 1)();
          });
          expect(seen).toEqual(['New.md', 'from.md']);
          // The switch itself had no link rewritten, in whichever direction.
          expect(repository.git('status', '--porcelain')).toBe(' M New.md\n');
          expect(vault.read('from.md')).toBe('See [[Old]].\n');
        },
        { isFollowing: false },
      );
    }),
  );

  it.skipIf(!hasGit)('F26 a rename in the middle of a slow checkout waits for its end and rewrites the links of the branch that came', () =>
    withVault(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`n${index}.md`, `On main, see [[n0]].\n`])), async (vault) => {
      const repository = openGitVault(vault);
      vault.write('.gitignore', '.roux\n');
      repository.commit('ignore');
      repository.git('checkout', '--quiet', '-b', 'other');
      for (let index = 1; index < 12; index++) vault.write(`n${index}.md`, `On the other, see [[n0]] and ${index}.\n`);
      repository.commit('other');
      repository.git('checkout', '--quiet', 'main');
      // Each file takes a moment to come, as over a slow disk.
      repository.git('config', 'filter.slow.smudge', 'sleep 0.05; cat');
      vault.write('.git/info/attributes', '*.md filter=slow\n');
      await withOpen(
        vault.root,
        async (open) => {
          const checkout = spawn('git', ['checkout', '--quiet', 'other'], { cwd: vault.root, stdio: 'ignore' });
          const ended = new Promise<number | null>((resolve) => checkout.on('close', (code) => resolve(code)));
          await waitFor(() => vault.read('n1.md').startsWith('On the other'), { what: 'the first file of the branch' });
          expect(vault.read('n9.md')).toContain('On main');
          await open.writes.write(meta, (graph) =>
            planRename(
              { graph, readText: () => null, style: open.settings.linkStyle(), at: '', filenames: 'title', renameAlias: 'off' },
              'n0.md',
              {
                title: 'first',
              },
            ),
          );
          expect(await ended).toBe(0);
          for (let index = 1; index < 12; index++) expect(vault.read(`n${index}.md`)).toBe(`On the other, see [[first]] and ${index}.\n`);
          expect(vault.exists('n0.md')).toBe(false);
          expect(open.graph.unresolved()).toEqual([]);
        },
        { isFollowing: true },
      );
    }),
  );
});
