import { describe, expect, it } from 'vitest';
import { nodeFileSystem } from '../../src/disk/file-system.ts';
import type { FileSystem } from '../../src/disk/file-system.ts';
import { openLock } from '../../src/disk/lock.ts';
import type { HeldLock } from '../../src/disk/lock.ts';
import { thisProcess } from '../../src/disk/process-identity.ts';
import { systemPorts } from '../../src/system-ports.ts';
import { withVault } from '../support/vault.ts';

describe('the writer lock', () => {
  it('F17 is never taken from a living holder by one whose own attempt at the same number failed', async () => {
    await withVault({ '.roux/lock/.keep': '' }, async (vault) => {
      const files = nodeFileSystem();
      const shared = { folder: vault.path('.roux'), self: thisProcess(), ports: systemPorts('error') };
      const first = openLock({ ...shared, files });
      let held: HeldLock | undefined;
      // The folder seems to be missing at the first attempt, and somebody else takes the number before the next one.
      const late: FileSystem = {
        ...files,
        async link(from, to) {
          if (held !== undefined) return files.link(from, to);
          held = await first.acquire();
          throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
        },
      };
      const second = openLock({ ...shared, files: late });
      await expect(second.acquire({ timeoutMs: 200 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', retryable: true });
      expect(held?.token).toBe(1);
      await held?.release();
      const next = await second.acquire();
      expect(next.token).toBe(2);
      await next.release();
    });
  });
});
