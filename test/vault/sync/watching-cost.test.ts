import { describe, expect, it } from 'vitest';
import type { OpenFileSystem } from '../../../src/store/folder/file-system.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import type { CountedVault } from '../../../src/vault/open-vault.ts';
import { isLong } from '../../support/effort.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const NOTES = isLong ? 2_000 : 600;
/** Far more than one save needs, far less than the folder holds. */
const FEW = 40;

/** The real file system, with its looks counted. */
function countedFiles(): { openFileSystem: OpenFileSystem; looks: { stats: number; lists: number } } {
  const looks = { stats: 0, lists: 0 };
  const openFileSystem: OpenFileSystem = (root) =>
    wrapFiles(openNodeFileSystem(root), (real) => ({
      stat: (path) => {
        if (!path.startsWith('.roux')) looks.stats++;
        return real.stat(path);
      },
      hint: (path) => {
        if (!path.startsWith('.roux')) looks.stats++;
        return real.hint(path);
      },
      list: (folder) => {
        if (!folder.startsWith('.roux')) looks.lists++;
        return real.list(folder);
      },
    }));
  return { openFileSystem, looks };
}

/** What the disk is asked while this happens in a large folder of notes that is being followed. */
async function looksOf(work: (vault: CountedVault, files: TestVault) => Promise<void>): Promise<{ stats: number; lists: number }> {
  const notes = Object.fromEntries(Array.from({ length: NOTES }, (_, number) => [`n${number}.md`, `Note ${number}.\n`]));
  return withVault(notes, async (files) => {
    const { openFileSystem, looks } = countedFiles();
    const isQuiet = async (): Promise<boolean> => {
      const before = looks.stats + looks.lists;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return looks.stats + looks.lists === before;
    };
    return withOpen(
      files.root,
      async (vault) => {
        // The first comparison is not counted, nor what is young by then.
        await waitFor(isQuiet, { what: 'quiet' });
        Object.assign(looks, { stats: 0, lists: 0 });
        await work(vault, files);
        await waitFor(isQuiet, { what: 'quiet after the change' });
        return looks;
      },
      { openFileSystem },
    );
  });
}

describe('what following a change costs', () => {
  it('looks at the one note of a large folder that an editor saved', async () => {
    const looks = await looksOf(async (vault, files) => {
      files.write('n7.md', 'Saved. #seven\n');
      await waitFor(() => vault.graph.get('n7.md')?.tags[0] === 'seven');
    });
    expect(looks.stats).toBeLessThan(FEW);
    expect(looks.lists).toBe(0);
  });

  it('does not compare a large folder after a write of its own', async () => {
    const looks = await looksOf(async (vault) => {
      await vault.writes.write({ operation: 'test', agent: 'ada' }, () => ({
        files: [{ kind: 'create', path: 'mine.md', text: 'Mine. #mine\n' }],
      }));
      expect(vault.graph.get('mine.md')?.tags).toEqual(['mine']);
    });
    expect(looks.stats).toBeLessThan(FEW);
  });

  it('finds a new and a removed note among many by looking at few', async () => {
    const looks = await looksOf(async (vault, files) => {
      files.remove('n1.md');
      files.write('new.md', 'New.\n');
      await waitFor(() => vault.graph.get('n1.md') === null && vault.graph.get('new.md') !== null);
    });
    expect(looks.stats).toBeLessThan(FEW);
  });
});
