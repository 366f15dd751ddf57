import { spawn, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { thisProcess } from '../../../src/store/folder/process-identity.ts';
import { WriterLock } from '../../../src/store/transaction/lock/lock.ts';
import { program, testEnvironment } from '../../support/program/cli.ts';
import { isLong } from '../../support/effort.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { testPorts } from '../../support/test-ports.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { writingProcess } from '../rounds.ts';
import { notePath } from '../scenarios.ts';

const ALONE = ['--pid', '--fork', '--mount-proc', '--kill-child'];
/** The kernel gives the next number out after this one. */
const canChoosePids =
  spawnSync('unshare', [...ALONE, 'sh', '-c', 'echo 400 > /proc/sys/kernel/ns_last_pid && sh -c "echo \\$\\$"'], { encoding: 'utf8' })
    .stdout === '401\n';

/** A shell in a pid namespace of its own, with what it prints. */
function startAlone(script: string, args: readonly string[]) {
  const child = spawn('unshare', [...ALONE, 'bash', '-c', script, 'bash', ...args], {
    env: testEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, output: () => output, ended: new Promise<number | null>((resolve) => child.on('close', resolve)) };
}

/** Kills the holder of the lock, lets another program have its number, and writes. */
const REUSE = `
mkfifo "$5/fifo"; sleep 60 > "$5/fifo" & "$1" "$2" "$3" hold < "$5/fifo" > "$5/out" & holder=$!
until grep -q holding "$5/out" 2>/dev/null; do sleep 0.02; done
kill -9 $holder; wait $holder 2>/dev/null
echo $((holder - 1)) > /proc/sys/kernel/ns_last_pid; sleep 60 & other=$!
echo "holder $holder other $other lock $(cat "$3"/.roux/lock/[0-9] | tr ',' '\\n' | grep pid)"
SECONDS=0; "$1" "$4" update shared.md --set '{"x": 1}' --vault "$3"; echo "status $? after $SECONDS"
kill -9 $other`;

describe.skipIf(!canChoosePids)('processes with numbers of a namespace', () => {
  it('F17 a lock whose number another program has got by now is taken over within seconds', () =>
    withVault({ 'shared.md': 'Shared\n' }, (vault) =>
      withVault({}, async (place) => {
        const { ended, output } = startAlone(REUSE, [process.execPath, writingProcess, vault.root, program, place.root]);
        await ended;
        const [, holder, other] = /holder (\d+) other (\d+)/.exec(output()) ?? [];
        expect([other, output()]).toEqual([holder, expect.stringContaining(`lock {"pid":${holder}`)]);
        expect(Number(/status 0 after (\d+)/.exec(output())?.[1] ?? Infinity), output()).toBeLessThan(10);
        expect(vault.read('shared.md')).toContain('x: 1');
      }),
    ));

  it('F17 a lock held in another namespace is not taken, though its number is nobody here; it is free when its holder has ended', () =>
    withVault({ 'shared.md': 'Shared\n' }, async (vault) => {
      const holder = startAlone('"$1" "$2" "$3" hold', [process.execPath, writingProcess, vault.root]);
      await waitFor(() => holder.output().includes('holding'), { what: 'the holder' });
      const lock = new WriterLock({ files: openNodeFileSystem(vault.root), self: thisProcess(), ports: testPorts() });
      await expect(lock.acquire({ timeoutMs: 1_500 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', retryable: true });
      holder.child.stdin.write('go\n');
      expect(await holder.ended).toBe(0);
      await (await lock.acquire()).release();
      expect(vault.read('shared.md')).toContain('- held');
    }));

  // Whether it lives cannot be seen from here, so it takes fifteen seconds without a sign of life.
  it.skipIf(!isLong)('F17 a lock that was held in another namespace when its holder was killed is taken over', () =>
    withVault({ 'shared.md': 'Shared\n' }, async (vault) => {
      const holder = startAlone('"$1" "$2" "$3" hold', [process.execPath, writingProcess, vault.root]);
      await waitFor(() => holder.output().includes('holding'), { what: 'the holder' });
      holder.child.kill('SIGKILL');
      await holder.ended;
      const writer = openTestWriter({ root: vault.root });
      await writer.write({ operation: 'test', agent: 'ada' }, () => ({
        files: [{ kind: 'change', path: notePath('shared.md'), changes: [{ op: 'set', key: ['x'], value: 1 }] }],
      }));
      await writer.close();
      expect(vault.read('shared.md')).toContain('x: 1');
    }),
  );
});
