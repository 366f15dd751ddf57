import { describe, expect, it } from 'vitest';
import { settled, withMachines } from '../../../support/postgres/machine.ts';
import { hasPostgres, useStore } from '../../../support/postgres/store.ts';
import { waitFor } from '../../../support/wait-for.ts';

const MARK = '.roux/shared.jsonl';

describe.skipIf(!hasPostgres)('a mark of another working copy', () => {
  const store = useStore();

  it('P-14 one that is further on makes no older file a newer edit', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      anna!.folder.write('One.md', 'at first\n');
      anna!.folder.write('Two.md', 'two\n');
      await settled(machines);
      await ben!.restart(async () => {
        anna!.folder.write('One.md', 'at first\nand later\n');
        const before = anna!.folder.read(MARK);
        await waitFor(() => anna!.folder.read(MARK) !== before, { what: 'the commit' });
        // A sync service brings the mark before the files.
        ben!.folder.write(MARK, anna!.folder.read(MARK));
        ben!.folder.write('Mine.md', 'only here\n');
      });
      await waitFor(() => anna!.folder.exists('Mine.md'), { what: 'what is only here' });
      await settled(machines);
      expect(ben!.folder.read('One.md')).toBe('at first\nand later\n');
      expect(ben!.vault.health.reports.join('\n')).toContain('Another working copy of this vault was laid over this folder');
      // From then on it has its own.
      await ben!.restart(() => ben!.folder.write('Two.md', 'two of ben\n'));
      await waitFor(() => anna!.folder.read('Two.md') === 'two of ben\n', { what: 'the edit' });
      expect(ben!.vault.health.reports).toEqual([]);
    }));
});
