import { readdirSync, statSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FileSystem, OpenFile } from '../../../src/store/folder/file-system.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import type { Plan } from '../../../src/vault/plan/plan.ts';
import { notePath as note } from '../../crash/scenarios.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../support/simulated/simulated-process.ts';
import { withVault } from '../../support/vault.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const meta = { operation: 'test', agent: 'ada' };
const touch = { op: 'touch', at: '2026-01-01T00:00:00.000Z' } as const;
const setX = (path: string): Plan => ({
  files: [{ kind: 'change', path: note(path), changes: [{ op: 'set', key: ['x'], value: 1 }, touch] }],
});

/** A file system that counts the calls that make durable. */
function countSyncs(root: string): { files: FileSystem; count: () => number } {
  let count = 0;
  const counted = (file: OpenFile): OpenFile => ({ ...file, sync: () => (count++, file.sync()) });
  const files = wrapFiles(openNodeFileSystem(root), (real) => ({
    create: (path, mode) => counted(real.create(path, mode)),
    append: (path) => counted(real.append(path)),
    syncFolder: (path) => (count++, real.syncFolder(path)),
  }));
  return { files, count: () => count };
}

describe('commit', () => {
  it('creates, changes, moves and removes in one transaction', async () => {
    await withVault({ 'a.md': 'A\n', 'b.md': '---\nrev: 3\n---\nB [[a]]\n', 'c.md': 'C\n' }, async (vault) => {
      const writer = openTestWriter({ root: vault.root });
      const done = await writer.write(meta, () => ({
        files: [
          { kind: 'create', path: 'neu/d.md', text: 'D\n' },
          { kind: 'change', path: note('b.md'), changes: [{ op: 'set', key: ['x'], value: 1 }, touch] },
          { kind: 'move', from: 'a.md', to: 'neu/e.md', changes: [] },
          { kind: 'remove', path: 'c.md', to: 'trash' },
        ],
      }));
      expect(vault.files()).toEqual(['b.md', 'neu/d.md', 'neu/e.md']);
      expect(vault.read('b.md')).toContain('rev: 4');
      expect(done.events.map((event) => [event.seq, event.action])).toEqual([
        [1, 'created'],
        [2, 'updated'],
        [3, 'moved'],
        [4, 'deleted'],
      ]);
      expect(done.files[1]?.rev).toBe(4);
      expect(writer.graph.get('neu/e.md')?.path).toBe('neu/e.md');
      expect(writer.graph.get('a.md')).toBeNull();
      await writer.close();
    });
  });

  it('one small update costs five syncs, whatever the size of the vault', async () => {
    const counts: number[] = [];
    for (const size of [1, 300]) {
      const notes = Object.fromEntries(Array.from({ length: size }, (_, index) => [`n${index}.md`, 'N\n']));
      await withVault({ ...notes, 'a.md': 'A\n' }, async (vault) => {
        const { root } = vault;
        const { files, count } = countSyncs(root);
        const writer = openTestWriter({ root, files });
        await writer.write(meta, () => setX('a.md'));
        const before = count();
        await writer.write(meta, () => ({
          files: [{ kind: 'change', path: note('a.md'), changes: [{ op: 'set', key: ['x'], value: 2 }] }],
        }));
        counts.push(count() - before);
        await writer.close();
      });
    }
    expect(counts).toEqual([5, 5]);
  });

  it('relaxed durability syncs nothing and leaves the same files', async () => {
    await withVault({ 'a.md': 'A\n' }, async (vault) => {
      const { root } = vault;
      const { files, count } = countSyncs(root);
      const writer = openTestWriter({ root, files, config: { durability: 'relaxed', readOnly: false } });
      await writer.write(meta, () => setX('a.md'));
      expect(count()).toBe(0);
      expect(vault.read('a.md')).toContain('x: 1');
      await writer.close();
    });
  });

  it('a plan that changes nothing writes nothing, not even a time', async () => {
    await withVault({ 'a.md': '---\nx: 1\n---\nA\n' }, async (vault) => {
      const { root } = vault;
      utimesSync(vault.path('a.md'), 1_000, 1_000);
      const writer = openTestWriter({ root });
      const done = await writer.write(meta, () => setX('a.md'));
      expect(done).toMatchObject({ batch: null, events: [], files: [{ path: 'a.md', changed: false }] });
      expect(statSync(vault.path('a.md')).mtimeMs).toBe(1_000_000);
      expect(readdirSync(vault.path('.roux/history'))).toEqual(['batches', 'keys']);
    });
  });

  it('a dry run gives the unified diff and touches nothing', async () => {
    await withVault({ 'a.md': 'A\n' }, async (vault) => {
      const { root } = vault;
      const writer = openTestWriter({ root });
      const done = await writer.write({ ...meta, dryRun: true }, () => setX('a.md'));
      expect(done.diff).toContain('--- a/a.md\n+++ b/a.md\n');
      expect(done.diff).toContain('+x: 1\n');
      expect(readdirSync(root)).toEqual(['a.md']);
    });
  });

  it('F14 a stale rev or etag is CONFLICT with the current ones, and nothing is written', async () => {
    await withVault({ 'a.md': '---\nrev: 5\n---\nA\n', 'b.md': 'B\n' }, async (vault) => {
      const { root } = vault;
      const writer = openTestWriter({ root });
      const etag = writer.graph.get('a.md')?.hash ?? '';
      for (const expectation of [{ rev: 4 }, { etag: 'f'.repeat(16) }, { rev: 5, etag: `${etag.slice(0, 15)}` }]) {
        const write = writer.write(meta, () => ({
          files: [
            { kind: 'create', path: 'c.md', text: 'C\n' },
            { kind: 'change', path: note('a.md'), changes: [{ op: 'body', text: 'New\n' }], expect: expectation },
          ],
        }));
        await expect(write).rejects.toMatchObject({ code: 'CONFLICT', details: { path: 'a.md', rev: 5, etag: etag.slice(0, 16) } });
      }
      expect([vault.read('a.md'), readdirSync(root).toSorted()]).toEqual(['---\nrev: 5\n---\nA\n', ['.roux', 'a.md', 'b.md']]);
      for (const expectation of [{ rev: 5 }, { etag }]) {
        const tag = expectation.etag === undefined ? expectation : { etag: writer.graph.get('a.md')?.hash.slice(0, 16) ?? '' };
        await writer.write(meta, () => ({
          files: [{ kind: 'change', path: note('a.md'), changes: [{ op: 'body', text: `New ${tag.etag ?? ''}\n` }], expect: tag }],
        }));
      }
      expect(vault.read('a.md')).toContain('New ');
      await writer.close();
    });
  });

  it('F11 a vault that is open for reading only answers READ_ONLY and stays without .roux', async () => {
    await withVault({ 'a.md': 'A\n' }, async (vault) => {
      const { root } = vault;
      const writer = openTestWriter({ root, config: { durability: 'full', readOnly: true } });
      await writer.recover();
      await expect(writer.write(meta, () => setX('a.md'))).rejects.toMatchObject({ code: 'READ_ONLY' });
      expect(readdirSync(root)).toEqual(['a.md']);
    });
  });

  it('F06 a disk that is full for good is NO_SPACE, and the old note is there byte for byte', async () => {
    const disk = simulatedDisk({ 'a.md': 'A\n' });
    const writer = openTestWriter({ root: disk.root, files: disk.files, reader: disk.reader, identity: simulatedProcess(1) });
    disk.onCall((call) => {
      if (call.method === 'write') throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      return undefined;
    });
    await expect(writer.write(meta, () => setX('a.md'))).rejects.toMatchObject({ code: 'NO_SPACE' });
    expect(disk.visible()).toEqual({ 'a.md': 'A\n' });
    expect(disk.residue()).toEqual([]);
  });

  it('F30 while most notes are gone nothing is written', async () => {
    await withVault({ 'a.md': 'A\n' }, async (vault) => {
      const { root } = vault;
      const writer = openTestWriter({ root, isShrunk: () => true });
      await expect(writer.write(meta, () => setX('a.md'))).rejects.toMatchObject({ code: 'VAULT_SHRUNK' });
      expect(vault.read('a.md')).toBe('A\n');
    });
  });

  it('a cancelled call is CANCELLED and leaves nothing behind', async () => {
    await withVault({ 'a.md': 'A\n' }, async (vault) => {
      const { root } = vault;
      const writer = openTestWriter({ root });
      const controller = new AbortController();
      const write = writer.write({ ...meta, signal: controller.signal }, () => {
        controller.abort();
        return setX('a.md');
      });
      await expect(write).rejects.toMatchObject({ code: 'CANCELLED' });
      expect([vault.read('a.md'), readdirSync(vault.path('.roux/journal'))]).toEqual(['A\n', []]);
    });
  });
});
