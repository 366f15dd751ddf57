import { describe, expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { Home } from '../../../src/store/records/home.ts';
import { withVault } from '../../support/vault.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

describe('Home', () => {
  it('lists nothing once its folders have stood for a while, and makes one again that is removed or in the way later', async () => {
    await withVault({}, async ({ root }) => {
      const lists: string[] = [];
      let later = 0;
      const files = wrapFiles(openNodeFileSystem(root), (real) => ({
        list: (folder) => (lists.push(folder), real.list(folder)),
        now: () => real.now() + later,
      }));
      const home = new Home();
      const make = async (): Promise<readonly string[]> => {
        lists.length = 0;
        await home.make(files, false);
        return [...lists];
      };
      expect(await make()).not.toEqual([]);
      expect(await make(), 'just made').not.toEqual([]);
      later = 10_000;
      expect(await make(), 'seen for the first time').not.toEqual([]);
      expect(await make()).toEqual([]);
      for (const folder of ['.roux/history/batches', '.roux/journal', '.roux/tmp']) {
        files.removeFolder(folder);
        await make();
        expect(files.stat(folder)?.kind, folder).toBe('folder');
        await make();
        expect(await make(), folder).toEqual([]);
      }
      files.rename('.roux', 'elsewhere');
      await make();
      expect(files.stat('.roux/history/keys')?.kind).toBe('folder');
    });
  });
});
