import { describe, expect, it } from 'vitest';
import type { FileSystem } from '../../src/store/folder/file-system.ts';
import { openNodeFileSystem } from '../../src/store/folder/node-file-system.ts';
import { openRoot } from '../../src/store/folder/held-folders.ts';
import { thisProcess } from '../../src/store/folder/process-identity.ts';
import type { ProcessIdentity } from '../../src/store/folder/process-identity.ts';
import { openFolderStore } from '../../src/store/open-folder-store.ts';
import type { ChangedFile, Done, StoreChange, StoreEvent, VaultStore } from '../../src/store/store.ts';
import { simulatedDisk } from '../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../support/simulated/simulated-process.ts';
import { testPorts } from '../support/test-ports.ts';
import { withVault } from '../support/vault.ts';

/** Opens stores on the same vault, as often as asked. */
type Stores = (run: (open: () => VaultStore) => Promise<void>) => Promise<void>;

const meta = { operation: 'test', agent: 'ada' };
const bytes = (text: string): Buffer => Buffer.from(text);

/** A change with the event that tells of it. */
function told(file: ChangedFile): StoreChange {
  const path = file.kind === 'create' ? file.path : file.kind === 'move' ? file.to : file.of.path;
  const action = ({ create: 'created', replace: 'updated', move: 'renamed', remove: 'deleted' } as const)[file.kind];
  const changes = file.kind === 'move' ? [{ field: 'path', before: file.of.path, after: file.to }] : [];
  const events = [{ node: path, path, action, changes }];
  return { ...file, events, describe: () => events };
}

const create = (path: string, text: string): StoreChange => told({ kind: 'create', path, bytes: bytes(text) });

/** A change of a file as it is now. */
async function change(store: VaultStore, path: string, to: { text?: string; path?: string; isGone?: true }): Promise<StoreChange> {
  const of = await store.read(path);
  if (of === null) throw new Error(`${path} is not there`);
  if (to.isGone === true) return told({ kind: 'remove', of, to: 'trash' });
  const wanted = to.text === undefined ? null : bytes(to.text);
  if (to.path !== undefined) return told({ kind: 'move', of, to: to.path, bytes: wanted, changes: null, isCommutative: false });
  return told({ kind: 'replace', of, bytes: wanted ?? of.bytes, changes: null, isCommutative: false });
}

async function write(store: VaultStore, changes: readonly StoreChange[], more: object = {}): Promise<Extract<Done, { kind: 'done' }>> {
  const done = await store.transact({ ...meta, ...more }, async () => ({ changes }));
  if (done.kind !== 'done') throw new Error('it was done before');
  return done;
}

async function textOf(store: VaultStore, path: string): Promise<string | null> {
  return (await store.read(path))?.bytes.toString('utf8') ?? null;
}

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
    it('gives back the exact bytes with their hash, and null for what is not there', () =>
      stores(async (open) => {
        const store = open();
        const done = await write(store, [create('sub/a.md', '\ufeffA\r\n')]);
        expect(await textOf(store, 'sub/a.md')).toBe('\ufeffA\r\n');
        expect((await store.read('sub/a.md'))?.hash).toBe(done.hashes[0]);
        expect(await store.read('b.md')).toBeNull();
      }));

    it('a transaction is all or nothing: one file in another state refuses the whole', () =>
      stores(async (open) => {
        const store = open();
        await write(store, [create('a.md', 'A')]);
        const stale = await change(store, 'a.md', { text: 'A2' });
        await write(store, [await change(store, 'a.md', { text: 'A1' })]);
        await expect(write(store, [create('b.md', 'B'), stale])).rejects.toMatchObject({ code: 'CONFLICT' });
        expect([await textOf(store, 'a.md'), await textOf(store, 'b.md')]).toEqual(['A1', null]);
        await write(store, [create('b.md', 'B'), await change(store, 'a.md', { text: 'A2' })]);
        expect([await textOf(store, 'a.md'), await textOf(store, 'b.md')]).toEqual(['A2', 'B']);
        await expect(write(store, [create('b.md', 'B2')])).rejects.toMatchObject({ code: 'NODE_EXISTS' });
        await expect(write(store, [create('B.md', 'B2')])).rejects.toMatchObject({ code: 'NODE_EXISTS' });
      }));

    it('renames and removes, and lists what is there in order', () =>
      stores(async (open) => {
        const store = open();
        await write(store, [create('a.md', 'a'), create('sub/b.md', 'b'), create('sub/c.md', 'c'), create('sub/i.png', 'i')]);
        await write(store, [await change(store, 'a.md', { path: 'sub/a.md' }), await change(store, 'sub/b.md', { isGone: true })]);
        const listed: string[] = [];
        for await (const { path } of store.list('sub/')) listed.push(path);
        expect(listed).toEqual(['sub/a.md', 'sub/c.md', 'sub/i.png']);
        expect(await textOf(store, 'sub/a.md')).toBe('a');
      }));

    it('names change places in one transaction', () =>
      stores(async (open) => {
        const store = open();
        await write(store, [create('a.md', 'a'), create('b.md', 'b')]);
        await write(store, [await change(store, 'a.md', { path: 'b.md' }), await change(store, 'b.md', { path: 'a.md' })]);
        expect([await textOf(store, 'a.md'), await textOf(store, 'b.md')]).toEqual(['b', 'a']);
      }));

    it('of two that saw the same state one wins', () =>
      stores(async (open) => {
        const [one, two] = [open(), open()];
        await write(one, [create('a.md', '0')]);
        const changes = [await change(one, 'a.md', { text: '1' }), await change(two, 'a.md', { text: '2' })] as const;
        const outcomes = await Promise.allSettled([write(one, [changes[0]]), write(two, [changes[1]])]);
        expect(outcomes.map(({ status }) => status).toSorted((a, b) => a.localeCompare(b))).toEqual(['fulfilled', 'rejected']);
      }));

    it('refuses paths out of the vault and into hidden folders', () =>
      stores(async (open) => {
        const store = open();
        for (const path of ['../x.md', '.roux/x.md', '/x.md', '.git/x.md', 'a/../../x.md', 'x\\y.md']) {
          await expect(write(store, [create(path, 'X')]), path).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
          await expect(store.read(path), path).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
        }
      }));

    it('the feed of changes has no gaps, tells old names, and goes on from any number', () =>
      stores(async (open) => {
        const store = open();
        await write(store, [create('a.md', '1')]);
        await write(store, [await change(store, 'a.md', { text: '2' })]);
        await write(store, [await change(store, 'a.md', { path: 'b.md' })]);
        const last = await write(store, [await change(store, 'b.md', { isGone: true })]);
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
        await write(store, [create('c.md', '3')]);
        expect((await coming)[0]?.seq).toBe(5);
      }));

    it('a transaction that starts knows what others wrote since this one looked', () =>
      stores(async (open) => {
        const [one, two] = [open(), open()];
        await write(one, [create('a.md', 'a')]);
        await two.transact(meta, async () => ({ changes: [] }));
        await write(one, [await change(one, 'a.md', { path: 'b.md' })]);
        let news: readonly string[] | null = [];
        await two.transact(meta, async (now) => {
          news = now.externalChanges;
          return { changes: [] };
        });
        expect(news?.toSorted()).toEqual(['a.md', 'b.md']);
      }));

    it('a request that is repeated with its key has one effect and the first answer', () =>
      stores(async (open) => {
        const ask = (store: VaultStore, text: string) =>
          store.transact({ ...meta, idempotencyKey: 'k', payloadHash: text }, async () => ({
            changes: [create(`${text}.md`, text)],
            answer: ({ batch }) => ({ batch, said: text }),
          }));
        const first = await ask(open(), 'a');
        expect(first).toMatchObject({ kind: 'done' });
        const batch = first.kind === 'done' ? first.batch : null;
        expect(await ask(open(), 'a')).toEqual({ kind: 'repeated', answer: { batch, said: 'a' } });
        await expect(ask(open(), 'b')).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
      }));
  });
}

function openOn(files: FileSystem, self: ProcessIdentity): VaultStore {
  return openFolderStore({
    files,
    ports: testPorts(),
    self,
    git: { waitUntilDone: () => Promise.resolve(false) },
    reapply: () => null,
    isReadOnly: false,
    isSynced: true,
    trashDays: 0,
  });
}

storeContract('a real folder', async (run) => {
  await withVault({}, ({ root }) => run(() => openOn(openNodeFileSystem(root), thisProcess())));
});

storeContract('a real folder of a system without names for descriptors', async (run) => {
  await withVault({}, ({ root }) => run(() => openOn(openNodeFileSystem(root, openRoot(root, 'names')), thisProcess())));
});

storeContract('a simulated disk', async (run) => {
  const { files } = simulatedDisk({});
  let processes = 0;
  await run(() =>
    openOn(
      files,
      simulatedProcess(++processes, () => true),
    ),
  );
});
