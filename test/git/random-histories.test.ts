import { mkdirSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CheckoutFiles } from '../../src/git/checkout-files.ts';
import { EVERYTHING, openCommits } from '../../src/git/commits.ts';
import { readIndex } from '../../src/git/index-file.ts';
import { findLastCommits } from '../../src/git/last-commits.ts';
import { runs, upTo } from '../support/effort.ts';
import { hasGit, withGitVault } from '../support/git.ts';
import type { GitVault } from '../support/git.ts';
import { randomOf } from '../support/random.ts';
import type { Random } from '../support/random.ts';

const FOLDERS = ['', 'a/', 'a/b/', 'c/', 'é/'];

/** Changes some files in the checkout. */
function change(vault: GitVault, random: Random, turn: number): void {
  for (let left = 1 + Math.floor(random.next() * 3); left > 0; left -= 1) {
    const files = vault.files();
    const path = `${random.pick(FOLDERS)}f${Math.floor(random.next() * 4)}.txt`;
    const old = files.length === 0 ? path : random.pick(files);
    const chance = random.next();
    if (chance < 0.2 && files.length > 2) rmSync(vault.path(old));
    else if (chance < 0.3 && files.length > 2 && !vault.exists(path)) {
      mkdirSync(vault.path(path.slice(0, path.lastIndexOf('/') + 1)), { recursive: true });
      vault.git('mv', '--force', old, path);
    } else vault.write(path, `${turn} ${left}\n`);
  }
}

/** Makes commits on branches that are merged. */
function makeHistory(vault: GitVault, random: Random): void {
  let second = 0;
  const commit = (turn: number): void => vault.commit(`c${turn}`, new Date(1_767_225_600_000 + (second += 7) * 1000).toISOString());
  commit(-1);
  for (let turn = 0; turn < 14; turn++) {
    vault.git('checkout', '--quiet', '-B', 'work', random.next() < 0.6 ? 'main' : 'main~1');
    change(vault, random, turn);
    commit(turn);
    vault.git('checkout', '--quiet', 'main');
    if (random.next() < 0.5) {
      change(vault, random, turn + 100);
      commit(turn + 100);
    }
    vault.try('-c', 'core.editor=true', 'merge', '--quiet', '--no-edit', '-X', random.pick(['ours', 'theirs']), 'work');
    if (vault.git('status', '--porcelain') !== '') commit(turn + 200);
  }
}

/** Whether a commit moved a file to a path and left it as it was. */
function isMove(vault: GitVault, id: string, path: string): boolean {
  const names = vault.git('show', '--format=', '--find-renames=100%', '--name-status', '-z', id).split('\0');
  return names.some((word, at) => word.startsWith('R') && names[at + 2] === path);
}

describe.skipIf(!hasGit)('G-01 random histories are read as git reads them', () => {
  it.each(upTo(runs(12)))('history %i', (round) =>
    withGitVault({ 'f0.txt': 'first\n', 'a/f1.txt': 'first\n', 'c/f2.txt': 'first\n' }, async (vault) => {
      const random = randomOf(`histories ${round}`);
      vault.git('tag', 'start');
      makeHistory(vault, random);
      const commits = openCommits(vault.path('.git'), { vault: vault.root, isStrict: true });
      try {
        const [head, start] = [await commits.find('HEAD'), await commits.find(vault.git('rev-parse', 'start').trim())];
        if (head === null || start === null) throw new Error('no commits');
        const tracked = vault.git('ls-files', '-z').split('\0').filter(Boolean);
        const last = await findLastCommits(commits, head, new Map(tracked.map((path) => [path, null])));
        for (const path of tracked) {
          const id = vault.git('log', '-1', '--format=%H', '--', path).trim();
          const found = last.get(path)?.commit.id ?? '';
          // A file that was moved as it is counts as changed before that.
          const isEarlier = isMove(vault, id, path) && vault.try('merge-base', '--is-ancestor', found, id).status === 0;
          expect([path, isEarlier ? id : found]).toEqual([path, id]);
        }
        const changes = await commits.compare(start.tree, head.tree, EVERYTHING);
        const status = changes.map(({ path, before, after }) => `${before === null ? 'A' : after === null ? 'D' : 'M'} ${path}`);
        const told = vault.git('diff', '--no-renames', '--name-status', '-z', 'start', 'HEAD').split('\0');
        expect(status.sort()).toEqual(told.flatMap((word, at) => (at % 2 === 0 && word !== '' ? [`${word} ${told[at + 1]}`] : [])).sort());
        change(vault, random, 1000);
        vault.git('add', '--all');
        change(vault, random, 2000);
        const files = new CheckoutFiles(vault.root, readIndex(vault.path('.git'), 20));
        expect(files.paths).toEqual(vault.git('ls-files', '-z').split('\0').filter(Boolean).sort());
        for (const path of files.paths)
          expect([path, files.idOf(path)]).toEqual([path, vault.exists(path) ? vault.git('hash-object', path).trim() : null]);
      } finally {
        commits.close();
      }
    }),
  );
});
