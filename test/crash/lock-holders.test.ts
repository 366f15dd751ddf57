import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openNodeFileSystem } from '../../src/store/folder/node-file-system.ts';
import { thisProcess } from '../../src/store/folder/process-identity.ts';
import { WriterLock } from '../../src/store/transaction/lock/lock.ts';
import type { Plan } from '../../src/vault/plan/plan.ts';
import { openTestWriter } from '../support/open-test-writer.ts';
import { testPorts } from '../support/test-ports.ts';
import { withVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';
import { writingProcess } from './rounds.ts';
import { notePath } from './scenarios.ts';

const meta = { operation: 'test', agent: 'ada' };

const line = (text: string) => (): Plan => ({
  files: [{ kind: 'change', path: notePath('shared.md'), changes: [{ op: 'add-line', section: 'Observations', line: text }] }],
});

/** A process that holds the lock while its plan waits for a line on stdin. */
async function startHolder(root: string) {
  const child = spawn(process.execPath, [writingProcess, root, 'hold'], { stdio: ['pipe', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  await waitFor(() => output.includes('holding'), { what: 'the holder' });
  return { child, ended, output: () => output };
}

describe('holders of the lock that are gone, or seem to be', () => {
  it('F17 a lock that names a living pid with another start time is the one of a process that is gone', async () => {
    await withVault({ 'shared.md': 'Shared\n' }, async (vault) => {
      const { record } = thisProcess();
      mkdirSync(vault.path('.roux/lock'), { recursive: true });
      writeFileSync(vault.path('.roux/lock/7'), JSON.stringify({ ...record, start: '1', nonce: 'of another' }));
      const writer = openTestWriter({ root: vault.root });
      await writer.write(meta, line('after the reuse'));
      await writer.close();
      expect(vault.read('shared.md')).toContain('- after the reuse');
      expect(vault.list('.roux/lock')).toEqual(['8.free']);
    });
  });

  it('F17 while the holder is stopped others give up with LOCK_TIMEOUT that can be retried, and change nothing; when it goes on it ends its write', async () => {
    await withVault({ 'shared.md': 'Shared\n' }, async (vault) => {
      const holder = await startHolder(vault.root);
      holder.child.kill('SIGSTOP');
      const lock = new WriterLock({ files: openNodeFileSystem(vault.root), self: thisProcess(), ports: testPorts() });
      await expect(lock.acquire({ timeoutMs: 700 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', retryable: true });
      expect(vault.list('.roux/lock').filter((name) => name.startsWith('wait-'))).toEqual([]);
      expect(vault.read('shared.md')).toBe('Shared\n');
      holder.child.kill('SIGCONT');
      holder.child.stdin.write('go\n');
      expect(await holder.ended).toBe(0);
      const next = await lock.acquire();
      await next.release();
      expect(vault.read('shared.md')).toContain('- held');
    });
  });

  it('F17 a holder that wakes after the lock went to another notices it and overwrites nothing', async () => {
    await withVault({ 'shared.md': 'Shared\n' }, async (vault) => {
      const holder = await startHolder(vault.root);
      holder.child.kill('SIGSTOP');
      const stopped = performance.now();
      // As on another machine, from where the stopped one looks dead.
      const writer = openTestWriter({ root: vault.root, identity: { record: thisProcess().record, liveness: () => 'dead' } });
      await writer.write(meta, line('the new holder'));
      const text = vault.read('shared.md');
      // A lock is looked at again ten times a second; nobody takes one over sooner.
      await waitFor(() => performance.now() - stopped > 250);
      holder.child.kill('SIGCONT');
      holder.child.stdin.write('go\n');
      expect(await holder.ended).not.toBe(0);
      expect(holder.output()).not.toContain('done');
      expect(vault.read('shared.md')).toBe(text);
      await writer.write(meta, line('and once more'));
      await writer.close();
      expect([...vault.read('shared.md').matchAll(/^- (.+)$/gm)].map(([, words]) => words)).toEqual(['the new holder', 'and once more']);
      expect([...vault.list('.roux/journal'), ...vault.list('.roux/tmp')]).toEqual([]);
    });
  });
});
