import { expect, it, vi } from 'vitest';
import { findNotesAbout } from '../../../src/vault/code/notes-about.ts';
import { hasGit, withGitVault } from '../../support/git.ts';
import { withOpen } from '../../support/open.ts';
import { lines, noteAbout } from './support.ts';

it.skipIf(!hasGit)('G-01 notes about a path: the history is not walked again after a note was changed, but for another anchor', () =>
  withGitVault({ 'n.md': noteAbout('old.ts', 'never.ts'), 'other.md': 'Text\n', 'old.ts': lines('a') }, async (git) => {
    git.git('mv', 'old.ts', 'new.ts');
    git.commit('renamed');
    await withOpen(git.root, async (vault) => {
      const walk = vi.spyOn(vault.code, 'withHistory');
      const about = async (): Promise<unknown> => {
        await vault.refresh('strict');
        const found = await findNotesAbout(vault, 'new.ts');
        return found?.notes.map(({ note, anchors }) => [note.entry.path, ...anchors]);
      };
      expect(await about()).toEqual([['n.md', 'old.ts']]);
      git.write('other.md', 'Another text\n');
      git.write('n.md', `${noteAbout('old.ts', 'never.ts')}More\n`);
      expect(await about()).toEqual([['n.md', 'old.ts']]);
      expect(walk).toHaveBeenCalledTimes(1);
      git.write('other.md', noteAbout('./old.ts', './nor.ts'));
      expect(await about()).toEqual([
        ['n.md', 'old.ts'],
        ['other.md', './old.ts'],
      ]);
      expect(walk).toHaveBeenCalledTimes(2);
    });
  }),
);
