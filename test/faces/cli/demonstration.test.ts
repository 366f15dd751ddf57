import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { hasGit, openGitVault } from '../../support/git.ts';
import type { GitVault } from '../../support/git.ts';
import { repositoryRoot, withVault } from '../../support/vault.ts';

const page = readFileSync(join(repositoryRoot, 'docs/history-and-git.md'), 'utf8');

/** The differences on the page, in their order. */
const shown = [...page.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, diff]) => steady(diff ?? ''));

/** A diff without what is another one each time: hashes and times. */
function steady(diff: string): string {
  return diff
    .split('\n')
    .filter((line) => !line.startsWith('index '))
    .map((line) => line.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, 'TIME').trimEnd())
    .join('\n');
}

/** A copy of the vault of the page in git, roux's own folder left out of it. */
async function withLibrary(run: (vault: GitVault) => Promise<void>): Promise<void> {
  await withVault('library', async (files) => {
    files.write('.gitignore', '.roux/\n');
    await run(openGitVault(files));
  });
}

describe.skipIf(!hasGit)('the page on history and git shows what really happens', () => {
  it('when one property is changed', () =>
    withLibrary(async (vault) => {
      await cli(['update', 'The Salt Road', '--set', '{"rating": 6}', '--vault', vault.root]);
      expect(steady(vault.git('diff'))).toBe(shown[0]);
    }));

  it('when a note is renamed', () =>
    withLibrary(async (vault) => {
      await cli(['rename', 'Mara Quill', 'Mara Quill (traveller)', '--vault', vault.root]);
      vault.git('add', '--all');
      expect(steady(vault.git('diff', '--cached', '--find-renames'))).toBe(shown[1]);
    }));

  it('when two branches change the same properties, with the driver and without', () =>
    withLibrary(async (vault) => {
      const note = 'Books/The Salt Road.md';
      const change = (from: string, to: string): void => vault.write(note, vault.read(note).replace(from, to));
      vault.git('checkout', '--quiet', '-b', 'phone');
      change(
        'topics:\n  - "[[Salt]]"\ncreated: 2023-09-12\nlast: 2023-09-12',
        'topics:\n  - "[[Salt]]"\n  - "[[Caravans]]"\ncreated: 2023-09-12\nlast: 2026-03-01',
      );
      vault.commit('phone');
      vault.git('checkout', '--quiet', 'main');
      change('topics:\n  - "[[Salt]]"', 'topics:\n  - "[[Salt]]"\n  - "[[Maps]]"');
      change('rating: 7', 'rating: 6');
      vault.commit('desk');
      expect(vault.try('merge', '--no-edit', 'phone').status).toBe(1);
      const plain = /^```text\n(.*?)^```$/ms.exec(page)?.[1] ?? '';
      expect(plain).toContain('>>>>>>> phone');
      expect(vault.read(note)).toContain(plain);
      vault.git('merge', '--abort');
      await cli(['git', 'install', '--vault', vault.root]);
      vault.commit('driver');
      expect(vault.try('merge', '--no-edit', 'phone')).toMatchObject({ status: 0 });
      expect(steady(vault.git('diff', 'HEAD~1', '--', note))).toBe(shown[2]);
    }));
});
