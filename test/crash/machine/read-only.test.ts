import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { thisProcess } from '../../../src/store/folder/process-identity.ts';
import { cli } from '../../support/program/cli.ts';
import { sample } from '../../support/effort.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import { lookAt } from '../../support/outside.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const mount = (vault: TestVault): void => {
  execFileSync('mount', ['--bind', vault.root, vault.root], { stdio: 'ignore' });
};
const setWritable = (vault: TestVault, isWritable: boolean): void => {
  execFileSync('mount', ['-o', `remount,bind,${isWritable ? 'rw' : 'ro'}`, vault.root], { stdio: 'ignore' });
};
const unmount = (vault: TestVault): void => void spawnSync('umount', ['-l', vault.root]);

const mayMount = await withVault({}, (vault) => {
  try {
    mount(vault);
    setWritable(vault, false);
    return true;
  } catch {
    return false;
  } finally {
    unmount(vault);
  }
});

describe.skipIf(!mayMount)('a vault on a file system that is read-only', () => {
  for (const lock of sample(['none', 'of a killed process', 'of one that lives'], 3)) {
    it(`F11 F17 with a lock (${lock}) in it: reads and doctor are answered, writes say READ_ONLY at once, and when it can be written again they work`, () =>
      withVault({ 'a.md': 'A, see [[b]].\n', 'b.md': 'B\n' }, async (vault) => {
        await cli(['update', 'a', '--set', '{"x": 1}', '--vault', vault.root]);
        if (lock !== 'none') {
          const { record } = thisProcess();
          mkdirSync(vault.path('.roux/lock'), { recursive: true });
          writeFileSync(
            vault.path('.roux/lock/7'),
            JSON.stringify({ ...record, ...(lock === 'of one that lives' ? {} : { start: '1' }), nonce: 'other' }),
          );
        }
        mount(vault);
        try {
          setWritable(vault, false);
          const before = lookAt(vault.root);
          await withMcp(
            vault,
            async ({ ask, call }) => {
              for (const [tool, args] of [
                ['update_node', { id: 'a', properties: { x: 2 } }],
                ['update_node', { id: 'b', title: 'Bee' }],
                ['create_node', { title: 'New' }],
                ['delete_node', { id: 'b' }],
              ] as const) {
                const { isError, texts } = await call(tool, args);
                expect([tool, isError, texts.join()]).toEqual([tool, true, expect.stringContaining('READ_ONLY')]);
              }
              expect((await ask('get_node', { id: 'a' })).content).toContain('see [[b]]');
              expect((await ask('search', { query: 'see' }))[0].id).toBe('a.md');
              const doctor = await cli(['doctor', vault.root]);
              expect([doctor.status, doctor.stderr]).toEqual([0, expect.not.stringContaining('roux doctor:')]);
              expect((await cli(['get', 'b', '--vault', vault.root])).stdout).toBe('B\n');
              expect(lookAt(vault.root)).toEqual(before);
              setWritable(vault, true);
              if (lock === 'of one that lives') vault.remove('.roux/lock/7');
              await ask('update_node', { id: 'b', title: 'Bee' });
            },
            { flags: ['--toolsets', 'all'] },
          );
          expect(vault.read('a.md')).toContain('[[bee');
        } finally {
          unmount(vault);
        }
      }));
  }
});
