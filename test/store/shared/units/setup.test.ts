import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { hashOf } from '../../../../src/store/folder/hash.ts';
import { cloneFolder } from '../../../../src/store/shared/setup/clone-folder.ts';
import { syncOnce } from '../../../../src/store/shared/setup/sync-once.ts';
import { shareFolder } from '../../../../src/store/shared/setup/share-folder.ts';
import { flushFolder } from '../../../../src/store/shared/setup/flush-folder.ts';
import type { BlobStore, SharedVault } from '../../../../src/store/shared/shared-vault.ts';
import { readCheckpoint, CHECKPOINT_PATH, writeCheckpoint } from '../../../../src/store/shared/checkpoint/checkpoint.ts';
import { failure, simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import type { SimulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../../support/simulated/simulated-process.ts';
import { overrideVault, simulatedStore } from '../../../support/simulated/simulated-store.ts';
import type { VaultOverrides } from '../../../support/simulated/simulated-store.ts';
import { testPorts } from '../../../support/test-ports.ts';

type Texts = Readonly<Record<string, string>>;
type Store = ReturnType<typeof simulatedStore>;

const ports = testPorts();

/** The vault as a machine has it, with some of it otherwise. */
async function vaultOf(store: Store, otherwise: VaultOverrides = {}): Promise<SharedVault> {
  return overrideVault(await store.connect('a'), otherwise);
}

/** The files of a store with their texts. */
function textsIn({ state }: Store): Texts {
  return Object.fromEntries([...state.files.values()].map(({ path, hash }) => [path, state.blobs.get(hash)?.toString() ?? 'no content']));
}

async function share(store: Store, disk: SimulatedDisk, otherwise: VaultOverrides = {}) {
  const progress: string[] = [];
  const shared = await vaultOf(store, otherwise);
  const onProgress = (done: number, total: number): void => void progress.push(`${done}/${total}`);
  return { ...(await shareFolder({ files: disk.files, shared, ports, machine: 'a', copy: 'mine', onProgress })), progress };
}

async function clone(
  store: Store,
  disk: SimulatedDisk,
  { otherwise = {}, signal, onProgress }: { otherwise?: VaultOverrides; signal?: AbortSignal; onProgress?: () => void } = {},
) {
  const progress: string[] = [];
  const cloned = await cloneFolder({
    files: disk.files,
    shared: await vaultOf(store, otherwise),
    copy: 'mine',
    ports,
    onProgress: (done, total) => (progress.push(`${done}/${total}`), onProgress?.()),
    ...(signal === undefined ? {} : { signal }),
  });
  return { ...cloned, progress };
}

async function storeOf(texts: Texts): Promise<Store> {
  const store = simulatedStore();
  await share(store, simulatedDisk(texts));
  return store;
}

/** Some files, more than go into one commit. */
const many = (count: number): Texts => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}.md`, `note ${index}\n`]));

describe('a folder that is shared', () => {
  it('is in the store file by file, and is marked complete there when the folder has its mark', async () => {
    const store = simulatedStore();
    const disk = simulatedDisk({ 'a.md': 'A\n', 'sub/b.md': 'B\n', 'sub/A.md': 'A\n', '.hidden': '', 'git~1': '' });
    let atFill: unknown = null;
    const fill = async (): Promise<void> => void (atFill = readCheckpoint(disk.files));
    const { seq, files, skipped, progress } = await share(store, disk, { markComplete: fill });
    expect({ seq, files, skipped: skipped.map(({ path }) => path), progress }).toEqual({
      seq: 1,
      files: 3,
      skipped: ['git~1'],
      progress: ['1/3', '2/3', '3/3'],
    });
    expect(textsIn(store)).toEqual({ 'a.md': 'A\n', 'sub/b.md': 'B\n', 'sub/A.md': 'A\n' });
    expect(store.state.feed).toMatchObject([{ agent: 'external', machine: 'a', operation: 'share' }]);
    expect(store.state.feed[0]?.changes).toMatchObject([{ op: 'create' }, { op: 'create' }, { op: 'create' }]);
    const mark = { vault: 'simulated', seq: 1, batch: null, pushing: null, copy: 'mine', unplaced: [] };
    expect(readCheckpoint(disk.files)).toMatchObject(mark);
    expect(atFill).toMatchObject(mark);
    expect(disk.all()['.roux/.gitignore']).toBeDefined();
  });

  it('of nothing makes no commit, and of very many several, each with its part', async () => {
    const store = simulatedStore();
    expect(await share(store, simulatedDisk({}))).toMatchObject({ seq: 0, files: 0, skipped: [], progress: [] });
    const texts = many(401);
    expect(await share(store, simulatedDisk(texts))).toMatchObject({ seq: 2, files: 401 });
    expect(store.state.feed.map(({ changes }) => changes.length)).toEqual([400, 1]);
    expect(textsIn(store)).toEqual(texts);
  });

  it('is held against what an earlier attempt has put in: what is gone, what changed and what is new', async () => {
    const store = await storeOf({ 'same.md': 'same\n', 'changed.md': 'old\n', 'Case.md': 'case\n' });
    await share(store, simulatedDisk({ 'same.md': 'same\n', 'changed.md': 'new\n', 'case.md': 'case\n', 'new.md': 'new\n' }));
    expect(textsIn(store)).toEqual({ 'same.md': 'same\n', 'changed.md': 'new\n', 'case.md': 'case\n', 'new.md': 'new\n' });
    const [, gone, rest] = store.state.feed;
    expect(gone?.changes).toMatchObject([{ op: 'delete', path: 'Case.md' }]);
    expect(rest?.changes.map(({ op, path }) => `${op} ${path}`)).toEqual(['create case.md', 'update changed.md', 'create new.md']);
    const before = store.state.seq;
    expect((await share(store, simulatedDisk(textsIn(store)))).seq).toBe(before);
  });

  it('is begun again when another process puts the same in, and not for ever', async () => {
    const fails = (code: string, times: number) => {
      let listings = 0;
      return {
        listing: async () => {
          listings += 1;
          if (listings <= times) throw code === 'a fault' ? new Error(code) : new RouxError(code as 'CONFLICT', code);
          return { seq: 0, files: [] };
        },
        get listings() {
          return listings;
        },
      };
    };
    for (const [code, times, listings] of [
      ['CONFLICT', 3, 4],
      ['NODE_EXISTS', 1, 2],
    ] as const) {
      const failing = fails(code, times);
      expect(await share(simulatedStore(), simulatedDisk({ 'a.md': 'A\n' }), { feed: { listing: failing.listing } })).toMatchObject({
        files: 1,
      });
      expect(failing.listings).toBe(listings);
    }
    for (const [code, listings] of [
      ['CONFLICT', 4],
      ['STORE_UNAVAILABLE', 1],
      ['a fault', 1],
    ] as const) {
      const failing = fails(code, 9);
      const disk = simulatedDisk({ 'a.md': 'A\n' });
      let isFull = false;
      await expect(
        share(simulatedStore(), disk, { feed: { listing: failing.listing }, markComplete: async () => void (isFull = true) }),
      ).rejects.toThrow(code);
      expect(failing.listings).toBe(listings);
      expect([readCheckpoint(disk.files), isFull]).toEqual([null, false]);
    }
  });

  it('is without what is too large, and without what went or cannot be read as large as it is', async () => {
    const store = simulatedStore();
    const disk = simulatedDisk({ 'fits.md': '12345', 'large.md': '123456', 'gone.md': '1', 'huge.md': '2' });
    disk.onCall(({ method, path }) => {
      if (path === 'huge.md' && method === 'read') throw failure('EFBIG', path);
      if (path === 'gone.md' && method === 'stat') disk.remove(path);
    });
    const { files, skipped, progress } = await share(store, disk, { blobs: { maxBytes: 5 } });
    expect(textsIn(store)).toEqual({ 'fits.md': '12345' });
    expect(skipped).toEqual([
      { path: 'huge.md', reason: 'it is too large to be read' },
      { path: 'large.md', reason: expect.stringContaining('ROUX_MAX_SHARED_FILE_MB') as string },
    ]);
    expect([files, progress.at(-1)]).toEqual([2, '4/4']);
    disk.onCall(({ method, path }) => {
      if (path === 'fits.md' && method === 'read') throw failure('EIO', path);
    });
    await expect(share(store, disk)).rejects.toThrow('EIO');
  });
});

describe('a folder that is cloned', () => {
  const texts = { 'a.md': 'A\n', 'sub/b.md': 'B\n', 'sub/deep/c.md': 'A\n', 'empty.md': '' };

  it('has all files, and its mark before the first', async () => {
    const store = await storeOf(texts);
    const disk = simulatedDisk({});
    const atFirst: unknown[] = [];
    const cloned = await clone(store, disk, { onProgress: () => atFirst.push(readCheckpoint(disk.files)?.seq) });
    expect(disk.visible()).toEqual(texts);
    expect(cloned).toMatchObject({ seq: 1, files: 4, skipped: [], progress: ['1/4', '2/4', '3/4', '4/4'] });
    expect(atFirst).toEqual([1, 1, 1, 1]);
    expect(readCheckpoint(disk.files)).toMatchObject({
      vault: 'simulated',
      seq: 1,
      batch: null,
      pushing: null,
      copy: 'mine',
      unplaced: [],
    });
    expect(disk.residue().filter((path) => path.startsWith('.roux/tmp/'))).toEqual([]);
  });

  it('goes on where an attempt ended: what is there stays, what a power loss left empty is written', async () => {
    const store = await storeOf(texts);
    const disk = simulatedDisk({ 'a.md': 'my own\n', 'sub/b.md': '', 'empty.md': '' });
    await writeCheckpoint(disk.files.hold(), {
      vault: 'simulated',
      seq: 1,
      batch: null,
      pushing: null,
      copy: 'mine',
      unplaced: [],
    }).catch(() => undefined);
    const { files, progress, skipped } = await clone(store, disk);
    expect(disk.visible()).toEqual({ ...texts, 'a.md': 'my own\n' });
    expect({ files, progress, skipped }).toEqual({ files: 4, progress: ['3/4', '4/4'], skipped: [] });
    expect(await clone(store, disk)).toMatchObject({ files: 4, progress: [] });
  });

  it('stands at the commit that it noted, unless the store does not know that any more or it was another vault', async () => {
    const store = await storeOf({ 'a.md': 'A\n' });
    const at = (vault: string, seq: number) => ({ vault, seq, batch: null, pushing: null, copy: 'mine', unplaced: [] });
    const noted = async (mark: ReturnType<typeof at>): Promise<SimulatedDisk> => {
      const disk = simulatedDisk({ '.roux/.gitignore': '*\n' });
      await writeCheckpoint(disk.files, mark);
      return disk;
    };
    const disk = await noted(at('simulated', 1));
    await share(store, simulatedDisk({ 'a.md': 'A\n', 'b.md': 'B\n' }));
    expect(await clone(store, disk)).toMatchObject({ seq: 1 });
    expect(disk.visible()).toEqual({ 'a.md': 'A\n' });
    const old = await noted(at('simulated', 1));
    expect(await clone(store, old, { otherwise: { feed: { filesAt: async () => null } } })).toMatchObject({ seq: 2 });
    expect(old.visible()).toEqual({ 'a.md': 'A\n', 'b.md': 'B\n' });
    expect(readCheckpoint(old.files)?.seq).toBe(1);
    const another = await noted(at('another', 1));
    expect(await clone(store, another)).toMatchObject({ seq: 2 });
    expect(readCheckpoint(another.files)).toMatchObject(at('simulated', 2));
  });

  it('has no names that a vault may not have, and says so', async () => {
    const store = simulatedStore();
    const bytes = Buffer.from('x');
    const names = ['.git/hooks/post-checkout', '../out.md', 'ok.md', 'node_modules/x.js'];
    store.state.blobs.set(hashOf(bytes), bytes);
    store.state.seq = 1;
    for (const path of names) store.state.files.set(path, { path, hash: hashOf(bytes), size: 1, seq: 1 });
    const disk = simulatedDisk({});
    const { skipped, files } = await clone(store, disk);
    expect(disk.visible()).toEqual({ 'ok.md': 'x' });
    expect(files).toBe(1);
    expect(skipped.map(({ path }) => path).toSorted()).toEqual(names.filter((name) => name !== 'ok.md').toSorted());
    expect(skipped[0]?.reason).toBe('no vault may have a file of this name here');
  });

  it('reports folders, and files, that the file system takes for one; where it does not, all are there', async () => {
    const twins = { 'A/x.md': '1', 'a/y.md': '2', 'b/C/z.md': '3', 'b/c/v.md': '4', 'b/w.md': '5', 'top.md': '6' };
    const store = simulatedStore();
    for (const [path, text] of Object.entries({ ...twins, 'Top.md': '7' })) {
      store.state.blobs.set(hashOf(text), Buffer.from(text));
      store.state.files.set(path, { path, hash: hashOf(text), size: 1, seq: 1 });
    }
    const folding = simulatedDisk({}, { ignoresCase: true });
    const { skipped, files } = await clone(store, folding);
    expect(folding.visible()).toEqual({ 'A/x.md': '1', 'b/C/z.md': '3', 'b/w.md': '5', 'Top.md': '7' });
    expect(skipped).toEqual([
      { path: 'a/y.md', reason: 'this file system takes the folders A and a for one; rename one of them on another machine' },
      { path: 'b/c/v.md', reason: 'this file system takes the folders b/C and b/c for one; rename one of them on another machine' },
      { path: 'top.md', reason: 'a file of this name, or of one that this file system takes for it, is there already' },
    ]);
    expect(files).toBe(4);
    const other = simulatedDisk({});
    expect((await clone(store, other)).skipped).toEqual([]);
    expect(other.visible()).toEqual({ ...twins, 'Top.md': '7' });
  });

  it('goes on without names that the system refuses, and ends with what is no matter of names', async () => {
    const store = await storeOf({ 'a.md': 'A\n', 'b.md': 'B\n', 'long/c.md': 'C\n', 'd.md': 'B\n' });
    const refusing = (code: string, refused: string, method: string) => {
      const disk = simulatedDisk({});
      disk.onCall((call) => {
        if (call.method === method && call.path === refused) throw failure(code, refused);
      });
      return disk;
    };
    for (const [code, reason] of [
      ['EEXIST', 'is there already'],
      ['ENAMETOOLONG', 'its name is longer than names can be here'],
      ['EINVAL', 'this system takes no file of this name'],
      ['EILSEQ', 'this system takes no file of this name'],
      ['ENOENT', 'this system takes no file of this name'],
      ['ENOTDIR', 'this system takes no file of this name'],
    ] as const) {
      const disk = refusing(code, 'b.md', 'rename');
      const { skipped, files, progress } = await clone(store, disk);
      expect(skipped, code).toEqual([{ path: 'b.md', reason: expect.stringContaining(reason) as string }]);
      expect([files, progress.length]).toEqual([3, 4]);
      expect(disk.visible()).toEqual({ 'a.md': 'A\n', 'long/c.md': 'C\n', 'd.md': 'B\n' });
      expect(disk.residue().filter((path) => path.startsWith('.roux/tmp/'))).toEqual([]);
    }
    const folder = refusing('ENAMETOOLONG', 'long', 'makeFolder');
    const { skipped: without, files: rest } = await clone(store, folder);
    expect([without.map(({ path }) => path), rest]).toEqual([['long/', 'long/c.md'], 3]);
    for (const method of ['rename', 'makeFolder']) {
      const disk = refusing('EIO', method === 'rename' ? 'b.md' : 'long', method);
      await expect(clone(store, disk)).rejects.toThrow('EIO');
      expect(disk.residue().filter((path) => path.startsWith('.roux/tmp/'))).toEqual([]);
    }
    for (const code of ['ENOSPC', 'EDQUOT'])
      await expect(clone(store, refusing(code, 'b.md', 'rename'))).rejects.toMatchObject({ code: 'NO_SPACE' });
  });

  it('does not write over what comes while it is made', async () => {
    const store = await storeOf({ 'a.md': 'A\n' });
    const disk = simulatedDisk({});
    const getAll: BlobStore['getAll'] = async function* () {
      disk.save('a.md', 'meanwhile\n');
      yield { hash: hashOf('A\n'), bytes: Buffer.from('A\n') };
    };
    const { skipped } = await clone(store, disk, { otherwise: { blobs: { getAll } } });
    expect(disk.visible()).toEqual({ 'a.md': 'meanwhile\n' });
    expect(skipped.map(({ path }) => path)).toEqual(['a.md']);
  });

  it('is without what is too large, and refused where the store lacks a content', async () => {
    const store = await storeOf({ 'a.md': 'A\n', 'large.md': 'L\n', 'also large.md': 'L\n' });
    const getAll = (isTold: boolean): BlobStore['getAll'] =>
      async function* (hashes, how) {
        for (const hash of hashes) {
          if (hash === hashOf('A\n')) yield { hash, bytes: Buffer.from('A\n') };
          else if (isTold) how?.onTooLarge?.(hash, 3 * 1024 * 1024);
        }
      };
    const { skipped, files } = await clone(store, simulatedDisk({}), {
      otherwise: { blobs: { getAll: getAll(true), maxBytes: 1024 * 1024 } },
    });
    expect(skipped).toEqual(
      ['also large.md', 'large.md'].map((path) => ({ path, reason: expect.stringContaining('it has 3 MB') as string })),
    );
    expect(files).toBe(1);
    await expect(clone(store, simulatedDisk({}), { otherwise: { blobs: { getAll: getAll(false) } } })).rejects.toThrow(
      'contents of 1 files',
    );
  });

  it('asks for contents by hundreds, each once, and writes them by tens', async () => {
    const texts = many(900);
    const store = await storeOf({ ...texts, 'same.md': 'note 0\n' });
    const [real, asked, sizes] = [await store.connect('a'), [] as number[], [] as number[]];
    const disk = simulatedDisk({});
    let spares = 0;
    disk.onCall(({ method, path, from }) => {
      if (method === 'create' && path.startsWith('.roux/tmp/')) spares += 1;
      else if (method === 'rename' && from?.startsWith('.roux/tmp/') === true && path.endsWith('.md')) {
        sizes.push(spares);
        spares -= 1;
      }
    });
    const getAll: BlobStore['getAll'] = (hashes, how) => {
      const some = [...hashes];
      asked.push(some.length);
      return real.blobs.getAll(some, how);
    };
    await clone(store, disk, { otherwise: { blobs: { getAll } } });
    expect(asked.toSorted((a, b) => a - b)).toEqual([100, 400, 400]);
    expect(Object.keys(disk.visible()).length).toBe(901);
    // Those of three groups at once, with one content that two files have.
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3 * 64 + 1);
    expect(Math.max(...sizes)).toBeGreaterThanOrEqual(64);
  });

  it('of large files is written one after the other', async () => {
    const large = Buffer.alloc(8 * 1024 * 1024, 'x');
    const store = simulatedStore();
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      const bytes = Buffer.concat([large, Buffer.from(String(index))]);
      store.state.blobs.set(name, bytes);
      store.state.files.set(name, { path: `${name}.md`, hash: name, size: bytes.length, seq: 1 });
    }
    const disk = simulatedDisk({});
    const steps: string[] = [];
    disk.onCall(({ method, path }) => {
      if (method === 'create' && path.startsWith('.roux/tmp/')) steps.push('write');
      if (method === 'rename' && path.endsWith('.md')) steps.push('name');
    });
    await clone(store, disk);
    expect(steps).toEqual(['write', 'name', 'write', 'name', 'write', 'name']);
  });

  it('ends when it is cancelled, and nothing of it is left over', async () => {
    const store = await storeOf({ 'a.md': 'A\n', 'b.md': 'B\n' });
    const cancelled = new AbortController();
    cancelled.abort();
    const disk = simulatedDisk({});
    await expect(clone(store, disk, { signal: cancelled.signal })).rejects.toThrow('aborted');
    expect(disk.visible()).toEqual({});
    const late = new AbortController();
    await expect(clone(store, simulatedDisk({}), { signal: late.signal, onProgress: () => late.abort() })).rejects.toThrow('aborted');
  });
});

describe('a folder and its store', () => {
  it('meet once: what others made comes in, what was edited goes out, and a copy of what cannot be merged as well', async () => {
    const store = await storeOf({ 'a.md': 'A\n', 'b.md': 'B\n' });
    const disk = simulatedDisk({});
    await clone(store, disk);
    await share(store, simulatedDisk({ 'a.md': 'A, theirs\n', 'b.md': 'B\n', 'new.md': 'new\n' }));
    disk.save('a.md', 'A, mine\n');
    disk.save('b.md', 'B, edited\n');
    let isClosed = 0;
    await syncOnce({
      files: disk.files,
      ports,
      self: simulatedProcess(1),
      machine: 'a',
      copy: 'mine',
      merge: () => null,
      notes: { idOf: () => null, describe: () => [] },
      reapply: () => null,
      connect: () => vaultOf(store, { close: async () => void (isClosed += 1) }),
    });
    const inFolder = disk.visible();
    expect(inFolder).toEqual(textsIn(store));
    expect(Object.values(inFolder).toSorted()).toEqual(['A, mine\n', 'A, theirs\n', 'B, edited\n', 'new\n']);
    expect(isClosed).toBe(1);
  });

  it('are closed where they cannot meet', async () => {
    const disk = simulatedDisk({});
    const away = new RouxError('STORE_UNAVAILABLE', 'away');
    let isClosed = 0;
    await expect(
      syncOnce({
        files: disk.files,
        ports,
        self: simulatedProcess(1),
        machine: 'a',
        copy: 'mine',
        merge: () => null,
        notes: { idOf: () => null, describe: () => [] },
        reapply: () => null,
        connect: async () =>
          vaultOf(simulatedStore(), {
            feed: { head: () => Promise.reject(away), listing: () => Promise.reject(away) },
            close: async () => void (isClosed += 1),
          }),
      }),
    ).rejects.toThrow('away');
    expect(isClosed).toBe(1);
  });

  it('are brought to the medium, files, mark and folders', async () => {
    const disk = simulatedDisk({ 'a.md': 'A\n', 'sub/b.md': 'B\n', '.roux/.gitignore': '*\n' });
    await writeCheckpoint(disk.files, { vault: 'v', seq: 1, batch: null, pushing: null, copy: '', unplaced: [] });
    const calls: string[] = [];
    disk.onCall(({ method, path }) => void (['sync', 'close', 'syncFolder'].includes(method) && calls.push(`${method} ${path}`)));
    await flushFolder(disk.files);
    const files = ['a.md', 'sub/b.md', CHECKPOINT_PATH];
    expect(calls.toSorted()).toEqual(
      [
        ...files.flatMap((path) => [`sync ${path}`, `close ${path}`]),
        ...['', 'sub', '.roux'].map((path) => `syncFolder ${path}`),
      ].toSorted(),
    );
  });
});
