import { describe, expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { identityOf, thisProcess } from '../../../src/store/folder/process-identity.ts';
import { createOrigin } from '../../../src/store/origin.ts';
import { openCacheFiles } from '../../../src/store/records/cache-files.ts';
import { createLease } from '../../../src/vault/embeddings/lease.ts';
import { VectorIndex } from '../../../src/vault/embeddings/vector-index.ts';
import { SHARD_ROWS } from '../../../src/vault/embeddings/vector-cache.ts';
import { contentKey } from '../../../src/vault/embeddings/content-key.ts';
import { hashed } from '../../support/meaning/hashing-embedder.ts';
import { testPorts } from '../../support/test-ports.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

function cacheOf(vault: TestVault) {
  const [files, ports] = [openNodeFileSystem(vault.root), testPorts()];
  return openCacheFiles(files, createOrigin(files, ports), { newId: () => ports.newId(), onFailure: () => undefined });
}

let ids = 0;
const newId = (): string => `g${ids++}`;
const open = (vault: TestVault, id = 'e'): VectorIndex => new VectorIndex(id, cacheOf(vault), newId);

describe('the claim to embed', () => {
  const clock = (now = { at: 1_000_000 }) => ({ now: () => now.at });

  it('is one process’s, until it lets go or is gone', () =>
    withVault({}, async (vault) => {
      const self = thisProcess();
      // The parent of this process runs as long as this one does.
      const other = identityOf({ ...self.record, pid: process.ppid, start: null });
      const dead = identityOf({ ...self.record, pid: 2 ** 22 + 1, start: '1' });
      const now = { at: 1_000_000 };
      const claim = createLease(cacheOf(vault), self, clock(now));
      expect(await claim.tryAcquire()).toBe(true);
      const second = createLease(cacheOf(vault), other, clock(now));
      expect(await second.tryAcquire()).toBe(false);
      await claim.release();
      now.at += 60_000;
      expect(await second.tryAcquire()).toBe(true);
      await second.release();
      expect(await createLease(cacheOf(vault), dead, clock(now)).tryAcquire()).toBe(true);
      expect(await createLease(cacheOf(vault), self, clock(now)).tryAcquire()).toBe(true);
    }));

  it('is of a process that may not write while nobody else has it, and leaves no trace', () =>
    withVault({}, async (vault) => {
      const now = { at: 1_000_000 };
      const other = identityOf({ ...thisProcess().record, pid: process.ppid, start: null });
      const [reader, writer] = [
        createLease(cacheOf(vault), thisProcess(), clock(now), { canSave: false }),
        createLease(cacheOf(vault), other, clock(now)),
      ];
      expect(await reader.tryAcquire()).toBe(true);
      expect(vault.exists('.roux')).toBe(false);
      expect(await writer.tryAcquire()).toBe(true);
      now.at += 60_000;
      expect(await reader.tryAcquire()).toBe(false);
      await writer.release();
      now.at += 60_000;
      expect(await reader.tryAcquire()).toBe(true);
      await reader.release();
    }));

  it('of a process that cannot be looked at holds for two minutes, whichever way the clock went', () =>
    withVault({}, async (vault) => {
      const far = identityOf({ ...thisProcess().record, boot: 'another', machine: 'another' });
      const now = { at: 1_000_000 };
      expect(await createLease(cacheOf(vault), far, clock(now)).tryAcquire()).toBe(true);
      const asked = async (): Promise<boolean> => createLease(cacheOf(vault), thisProcess(), clock(now)).tryAcquire();
      now.at += 60_000;
      expect(await asked()).toBe(false);
      now.at -= 1_000_000;
      expect(await asked()).toBe(true);
    }));

  it('that is damaged or not from here is nobody’s', () =>
    withVault({ '.roux/cache/embedding': 'garbage' }, async (vault) => {
      expect(await createLease(cacheOf(vault), thisProcess(), clock()).tryAcquire()).toBe(true);
    }));
});

describe('vectors on the disk', () => {
  const put = (index: VectorIndex, from: number, to: number): void => {
    for (let at = from; at < to; at += 1) index.add(contentKey(String(at)), hashed(String(at), 4));
  };

  it('are in files of which only the last is written again, and are taken by others as they come', () =>
    withVault({}, async (vault) => {
      const [writer, reader] = [open(vault), open(vault)];
      expect(await reader.load()).toBe(false);
      put(writer, 0, SHARD_ROWS + 5);
      writer.setDocument(contentKey('note'), [contentKey('0'), contentKey('1')]);
      await writer.save();
      expect(await reader.load()).toBe(true);
      expect(reader.size).toBe(SHARD_ROWS + 5);
      expect(reader.documents.get(contentKey('note'))).toHaveLength(2);
      const first = vault.list('.roux/cache').find((name) => name.endsWith('-0')) ?? '';
      const before = vault.readBytes(`.roux/cache/${first}`);
      put(writer, SHARD_ROWS + 5, SHARD_ROWS * 2 + 7);
      await writer.save();
      expect(vault.readBytes(`.roux/cache/${first}`)).toEqual(before);
      expect(await reader.load()).toBe(true);
      expect(reader.size).toBe(SHARD_ROWS * 2 + 7);
      expect(reader.vectors?.get(contentKey('1500'))).toEqual(hashed('1500', 4));
      expect(await reader.load()).toBe(false);
    }));

  it('that come while others are written are written the next time', () =>
    withVault({}, async (vault) => {
      const index = open(vault);
      put(index, 0, 10);
      const saving = index.save();
      put(index, 10, 20);
      await saving;
      await index.save();
      const again = open(vault);
      await again.load();
      expect(again.size).toBe(20);
    }));

  it('that nobody uses go when they are many, with the files that held them', () =>
    withVault({}, async (vault) => {
      const index = open(vault);
      put(index, 0, 8_000);
      index.setDocument(contentKey('old'), [contentKey('7999')]);
      index.setDocument(contentKey('new'), [contentKey('1')]);
      await index.save();
      const used = { contents: new Set([contentKey('1'), contentKey('2')]), documents: new Set([contentKey('new')]) };
      expect(index.shrink(used)).toBe(true);
      expect(index.shrink(used)).toBe(false);
      await index.save();
      expect(vault.list('.roux/cache').filter((name) => /-\d+$/.test(name))).toHaveLength(1);
      const again = open(vault);
      await again.load();
      expect([again.size, [...again.documents.keys()]]).toEqual([2, [contentKey('new')]]);
    }));

  it('of an embedder before the last one are forgotten, those of the last two kept', () =>
    withVault({}, async (vault) => {
      for (const id of ['a', 'b', 'c']) {
        const index = open(vault, id);
        put(index, 0, 3);
        await index.save();
      }
      for (const [id, size] of [
        ['a', 0],
        ['b', 3],
        ['c', 3],
      ] as const) {
        const index = open(vault, id);
        await index.load();
        expect(index.size, id).toBe(size);
      }
      expect(vault.list('.roux/cache')).toHaveLength(3);
    }));
});
