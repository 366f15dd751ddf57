import { expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { createOrigin } from '../../../src/store/origin.ts';
import { checkRecords } from '../../../src/store/records/check/check-records.ts';
import { testPorts } from '../../support/test-ports.ts';
import { withVault } from '../../support/vault.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

it('H-21 what the disk refuses to give is told as not looked at, and is no finding', () =>
  withVault({ '.roux/history/2026-01.jsonl': '', '.roux/history/batches/x': '', 'a.md': '' }, async (vault) => {
    for (const refused of ['.roux/history/2026-01.jsonl', '.roux/history/batches', '.roux/journal', '.roux/trash']) {
      const failing = (): never => {
        throw Object.assign(new Error(`EIO: i/o error, '${refused}'`), { code: 'EIO' });
      };
      const files = wrapFiles(openNodeFileSystem(vault.root), (real) => ({
        read: (path, range) => (path === refused ? failing() : real.read(path, range)),
        list: (folder) => (folder === refused ? failing() : real.list(folder)),
      }));
      const origin = createOrigin(files, testPorts());
      const { faults, unchecked } = await checkRecords({ files, origin, now: () => Date.now(), trashDays: 30 });
      expect([refused, faults, unchecked]).toEqual([refused, [], [expect.stringContaining('EIO')]]);
    }
  }));
