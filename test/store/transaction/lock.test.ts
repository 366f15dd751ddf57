import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { thisProcess } from '../../../src/store/folder/process-identity.ts';
import { openLock } from '../../../src/store/transaction/lock.ts';
import { systemPorts } from '../../../src/system-ports.ts';
import { withVault } from '../../support/vault.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

describe('the writer lock', () => {
  it('F17 is never taken from a living holder by one whose own attempt at the same number failed', async () => {
    await withVault({ '.roux/lock/.keep': '' }, async (vault) => {
      const self = thisProcess();
      let isTaken = false;
      // The folder seems to be missing at the first attempt, and somebody else takes the number before the next one.
      const files = wrapFiles(openNodeFileSystem(vault.root), (real) => ({
        link(from, to) {
          if (isTaken) return real.link(from, to);
          isTaken = true;
          vault.write('.roux/lock/1', JSON.stringify({ ...self.record, nonce: 'of another' }));
          throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
        },
      }));
      const lock = openLock({ files, self, ports: systemPorts('error') });
      await expect(lock.acquire({ timeoutMs: 200 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', retryable: true });
      renameSync(vault.path('.roux/lock/1'), vault.path('.roux/lock/1.free'));
      const next = await lock.acquire();
      expect(next.token).toBe(2);
      await next.release();
    });
  });
});
