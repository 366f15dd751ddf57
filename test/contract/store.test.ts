import { describe, expect, it } from 'vitest';
import { nodeFileSystem } from '../../src/disk/file-system.ts';
import { openFolderStore } from '../../src/vault/store.ts';
import type { StoreEvent, VaultStore } from '../../src/vault/store.ts';
import { openTestWriter } from '../support/open-test-writer.ts';
import { simulatedDisk } from '../support/simulated-disk.ts';
import { simulatedProcess } from '../support/simulated-process.ts';
import { withVault } from '../support/vault.ts';

/** Opens stores on the same vault, as often as asked. */
type Stores = (run: (open: () => VaultStore) => Promise<void>) => Promise<void>;

const meta = { agent: 'ada', requestId: 'r1' };
const bytes = (text: string): Uint8Array => Buffer.from(text);
const textOf = async (store: VaultStore, path: string): Promise<string | null> => {
  const file = await store.read(path);
  return file === null ? null : Buffer.from(file.bytes).toString('utf8');
};

async function take(feed: AsyncIterable<StoreEvent>, count: number): Promise<StoreEvent[]> {
  const taken: StoreEvent[] = [];
  for await (const event of feed) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

/** What every store of a vault keeps. */
function storeContract(name: string, stores: Stores): void {
  describe(`a store on ${name}`, () => {
    it('gives back the exact bytes, and null for what is not there', () =>
      stores(async (open) => {
        const store = open();
        const done = await store.commit([{ path: 'sub/a.md', expect: 'absent', bytes: bytes('\ufeffA\r\n') }], meta);
        expect(await textOf(store, 'sub/a.md')).toBe('\ufeffA\r\n');
        expect((await store.read('sub/a.md'))?.rev).toBe(done.revs['sub/a.md']);
        expect(await store.read('b.md')).toBeNull();
      }));

    it('a commit is all or nothing: one unexpected state refuses the whole', () =>
      stores(async (open) => {
        const store = open();
        const first = await store.commit([{ path: 'a.md', expect: 'absent', bytes: bytes('A') }], meta);
        const both = (expectation: string) =>
          store.commit(
            [
              { path: 'b.md', expect: 'absent', bytes: bytes('B') },
              { path: 'a.md', expect: expectation, bytes: bytes('A2') },
            ],
            meta,
          );
        await expect(both('0'.repeat(64))).rejects.toMatchObject({ code: 'CONFLICT' });
        expect([await textOf(store, 'a.md'), await textOf(store, 'b.md')]).toEqual(['A', null]);
        await both(first.revs['a.md'] ?? '');
        expect([await textOf(store, 'a.md'), await textOf(store, 'b.md')]).toEqual(['A2', 'B']);
        await expect(store.commit([{ path: 'b.md', expect: 'absent', bytes: bytes('B2') }], meta)).rejects.toMatchObject({
          code: 'CONFLICT',
        });
      }));

    it('renames and removes, and lists what is there in order', () =>
      stores(async (open) => {
        const store = open();
        await store.commit(
          ['a.md', 'sub/b.md', 'sub/c.md'].map((path) => ({ path, expect: 'absent' as const, bytes: bytes(path) })),
          meta,
        );
        await store.commit(
          [
            { path: 'a.md', expect: 'any', renameTo: 'sub/a.md' },
            { path: 'sub/b.md', expect: 'any', remove: true },
            { path: 'gone.md', expect: 'any', remove: true },
          ],
          meta,
        );
        const listed: string[] = [];
        for await (const { path } of store.list('sub/')) listed.push(path);
        expect(listed).toEqual(['sub/a.md', 'sub/c.md']);
        expect(await textOf(store, 'sub/a.md')).toBe('a.md');
      }));

    it('of two that expect the same state one wins', () =>
      stores(async (open) => {
        const [one, two] = [open(), open()];
        const { revs } = await one.commit([{ path: 'a.md', expect: 'absent', bytes: bytes('0') }], meta);
        const change = (text: string) => [{ path: 'a.md', expect: revs['a.md'] ?? '', bytes: bytes(text) }];
        const outcomes = await Promise.allSettled([one.commit(change('1'), meta), two.commit(change('2'), meta)]);
        expect(outcomes.map(({ status }) => status).toSorted((a, b) => a.localeCompare(b))).toEqual(['fulfilled', 'rejected']);
      }));

    it('the feed of changes has no gaps, tells old names, and goes on from any number', () =>
      stores(async (open) => {
        const store = open();
        await store.commit([{ path: 'a.md', expect: 'absent', bytes: bytes('1') }], meta);
        await store.commit([{ path: 'a.md', expect: 'any', bytes: bytes('2') }], meta);
        await store.commit([{ path: 'a.md', expect: 'any', renameTo: 'b.md' }], meta);
        const last = await store.commit([{ path: 'b.md', expect: 'any', remove: true }], meta);
        const feed = (since: number) => open().changes(since, new AbortController().signal);
        const all = await take(feed(0), 4);
        expect(all.map(({ seq, path, op, oldPath }) => [seq, path, op, oldPath])).toEqual([
          [1, 'a.md', 'created', undefined],
          [2, 'a.md', 'updated', undefined],
          [3, 'b.md', 'renamed', 'a.md'],
          [4, 'b.md', 'deleted', undefined],
        ]);
        expect(last.seq).toBe(4);
        expect(await take(feed(2), 2)).toEqual(all.slice(2));
        const coming = take(feed(4), 1);
        await store.commit([{ path: 'c.md', expect: 'absent', bytes: bytes('3') }], meta);
        expect((await coming)[0]?.seq).toBe(5);
      }));

    it('a request that is repeated with its key has one effect', () =>
      stores(async (open) => {
        const change = [{ path: 'a.md', expect: 'absent' as const, bytes: bytes('A') }];
        const first = await open().commit(change, { ...meta, idempotencyKey: 'k' });
        expect(await open().commit(change, { ...meta, idempotencyKey: 'k' })).toEqual(first);
        const other = open().commit([{ path: 'b.md', expect: 'absent', bytes: bytes('B') }], { ...meta, idempotencyKey: 'k' });
        await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
      }));
  });
}

storeContract('the real disk', async (run) => {
  await withVault({}, async ({ root }) => {
    const files = nodeFileSystem();
    await run(() => openFolderStore({ root, files, writer: openTestWriter({ root, files }) }));
  });
});

storeContract('a simulated disk', async (run) => {
  const disk = simulatedDisk({});
  const { root, files, reader } = disk;
  let processes = 0;
  await run(() => {
    const identity = simulatedProcess(++processes, () => true);
    return openFolderStore({ root, files, writer: openTestWriter({ root, files, reader, identity }) });
  });
});
