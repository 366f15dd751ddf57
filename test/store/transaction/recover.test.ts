import { expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { withVault } from '../../support/vault.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

it('F46 F55 a journal of very many files is cleared with one look at each folder', () =>
  withVault({ 'a.md': 'A\n' }, async (vault) => {
    const COUNT = 300;
    const idOf = (count: number): string => `01h${String(count).padStart(23, '0')}`;
    for (let count = 0; count < COUNT; count++) {
      vault.write(`.roux/journal/${idOf(count)}.0`, '');
      if (count % 3 === 0) vault.write(`.roux/journal/${idOf(count)}.json`, '');
    }
    let looks = 0;
    const files = wrapFiles(openNodeFileSystem(vault.root), (real) => ({
      list(folder) {
        if (folder.startsWith('.roux/journal')) looks++;
        return real.list(folder);
      },
    }));
    const writer = openTestWriter({ root: vault.root, files });
    await writer.recover();
    await writer.close();
    expect(looks).toBeLessThan(10);
    expect(vault.list('.roux/journal')).toEqual(['rejected']);
    // What a damaged intent was to use is kept beside it; what has no intent was never committed.
    const kept = Array.from({ length: COUNT }, (_, count) => idOf(count)).filter((_, count) => count % 3 === 0);
    expect(vault.list('.roux/journal/rejected').toSorted()).toEqual(kept.flatMap((id) => [`${id}.0`, `${id}.json`]));
  }));
