import { renameSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { openNodeFileSystem } from '../../../../src/store/folder/node-file-system.ts';
import { identityOf, thisProcess } from '../../../../src/store/folder/process-identity.ts';
import { WriterLock } from '../../../../src/store/transaction/lock/lock.ts';
import type { ProcessRecord } from '../../../../src/store/folder/process-identity.ts';
import { systemPorts } from '../../../../src/system/system-ports.ts';
import { withVault } from '../../../support/vault.ts';
import { wrapFiles } from '../../../support/wrap-files.ts';

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
      const lock = new WriterLock({ files, self, ports: systemPorts('error') });
      await expect(lock.acquire({ timeoutMs: 200 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', retryable: true });
      renameSync(vault.path('.roux/lock/1'), vault.path('.roux/lock/1.free'));
      const next = await lock.acquire();
      expect(next.token).toBe(2);
      await next.release();
    });
  });

  it('F17 is not taken under a number that another process has used up since it was read', async () => {
    await withVault({ '.roux/lock/1.free': '{}' }, async (vault) => {
      let isUsedUp = false;
      // Between the look at the folder and the attempt, another process takes 2 and gives it back.
      const files = wrapFiles(openNodeFileSystem(vault.root), (real) => ({
        link(from, to) {
          if (!isUsedUp && to === '.roux/lock/2') {
            isUsedUp = true;
            vault.write('.roux/lock/2.free', '{}');
          }
          real.link(from, to);
        },
      }));
      const held = await new WriterLock({ files, self: thisProcess(), ports: systemPorts('error') }).acquire();
      // Whoever comes now would take 2 for free, and 3 for the next number.
      expect([isUsedUp, held.token]).toEqual([true, 3]);
      await held.release();
    });
  });

  it('H-09 is given back as soon as the disk lets it, so that others need not wait for the next write of its holder', async () => {
    await withVault({ '.roux/lock/.keep': '' }, async ({ root }) => {
      let failures = 0;
      const files = wrapFiles(openNodeFileSystem(root), (real) => ({
        link(from, to) {
          if (to.endsWith('.free') && failures < 2) {
            failures++;
            throw Object.assign(new Error('EIO'), { code: 'EIO' });
          }
          real.link(from, to);
        },
      }));
      const held = await new WriterLock({ files, self: thisProcess(), ports: systemPorts('error') }).acquire();
      await expect(held.release()).rejects.toThrow('EIO');
      const other = new WriterLock({ files: openNodeFileSystem(root), self: thisProcess(), ports: systemPorts('error') });
      const next = await other.acquire();
      expect([failures, next.token]).toEqual([2, 2]);
      await next.release();
    });
  });

  it('F50 has one holder among machines of one name that were started at different times, whether their ids are known, alike or cloned away', async () => {
    const { record } = thisProcess();
    const machines: readonly [string, Partial<ProcessRecord>, Partial<ProcessRecord>][] = [
      ['two machines', { machine: 'one' }, { machine: 'two' }],
      ['two that do not know who they are', { machine: null }, { machine: null }],
      ['two that were started by an earlier version', { machine: undefined as never }, { machine: undefined as never }],
    ];
    for (const [which, one, two] of machines) {
      await withVault({ '.roux/lock/.keep': '' }, async ({ root }) => {
        const lockOf = (own: Partial<ProcessRecord>) =>
          new WriterLock({ files: openNodeFileSystem(root), self: identityOf({ ...record, ...own }), ports: systemPorts('error') });
        const [here, there] = [lockOf({ ...one, boot: 'a' }), lockOf({ ...two, boot: 'b' })];
        for (let round = 0; round < 3; round++) {
          const held = await here.acquire();
          await expect(there.acquire({ timeoutMs: 30 }), which).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
          await held.check();
          await held.release();
          const next = await there.acquire();
          expect(next.token, which).toBeGreaterThan(held.token);
          await expect(here.acquire({ timeoutMs: 30 }), which).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
          await next.release();
        }
      });
    }
  });

  it('F50 is taken at once from a process of this very machine that a restart has ended', async () => {
    const { record } = thisProcess();
    await withVault({ '.roux/lock/.keep': '' }, async ({ root }) => {
      const lockOf = (boot: string) =>
        new WriterLock({
          files: openNodeFileSystem(root),
          self: identityOf({ ...record, machine: 'one', boot }),
          ports: systemPorts('error'),
        });
      const lost = await lockOf('a').acquire();
      const next = await lockOf('b').acquire({ timeoutMs: 1000 });
      expect(next.token).toBe(lost.token + 1);
      await next.release();
    });
  });

  it('F17 is taken from a silent number that runs, where the system does not tell since when', async () => {
    const { record } = thisProcess();
    const untold = { ...record, start: null, boot: null, namespace: null };
    // The parent runs, and may be another process than the one that held the lock under its number.
    const lost = { ...untold, pid: process.ppid };
    const self = identityOf(untold);
    expect([self.liveness(lost), self.liveness({ ...untold, pid: 2 ** 22 + 1 })]).toEqual(['unknown', 'dead']);
    await withVault({ '.roux/lock/7': JSON.stringify({ ...lost, nonce: 'x' }) }, async (vault) => {
      const lock = new WriterLock({ files: openNodeFileSystem(vault.root), self, ports: systemPorts('error') });
      await expect(lock.acquire({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
      // A hundred times as fast, so that it is silent for long enough soon.
      const now = performance.now.bind(performance);
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() * 100);
      try {
        const held = await lock.acquire();
        expect(held.token).toBe(8);
        await held.release();
      } finally {
        clock.mockRestore();
      }
    });
  });
});
