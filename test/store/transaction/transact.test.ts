import { describe, expect, it } from 'vitest';
import { hashOf } from '../../../src/store/folder/hash.ts';
import type { FolderStore } from '../../../src/store/folder-store.ts';
import { openFolderStore } from '../../../src/store/open-folder-store.ts';
import type { Prepared } from '../../../src/store/store.ts';
import type { HeldStore } from '../../../src/store/transaction/transact.ts';
import { longer, moved, newFile, reapplyLine, removed, replaced } from '../../crash/store-scenarios.ts';
import { failure, simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../support/simulated/simulated-process.ts';
import { testPorts } from '../../support/test-ports.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const meta = { operation: 'test', agent: 'ada' };

/** A store on a simulated disk with these files. */
function storeOn(files: Readonly<Record<string, string>>, options: { readonly isReadOnly?: boolean } = {}, reads: string[] = []) {
  const disk = simulatedDisk(files);
  const counted = wrapFiles(disk.files, (real) => ({ read: (path, range) => (reads.push(path), real.read(path, range)) }));
  const log: string[] = [];
  const store = openFolderStore({
    files: counted,
    ports: testPorts(log),
    self: simulatedProcess(1),
    git: { waitUntilDone: () => Promise.resolve(false) },
    reapply: reapplyLine,
    isReadOnly: false,
    isSynced: true,
    trashDays: 30,
    ...options,
  });
  const write = async (prepared: Partial<Prepared>, more: object = {}) => {
    const done = await store.transact({ ...meta, ...more }, async () => ({ changes: [], ...prepared }));
    if (done.kind !== 'done') throw new Error('it was done before');
    return done;
  };
  return { disk, store, log, write };
}

describe('what a transaction answers', () => {
  it('F01 its events by number, what its files hold now and how they were written, and every name that it touched', async () => {
    const { disk, store, write } = storeOn({ 'a.bin': 'a', 'b.bin': 'b', 'c.bin': 'c', 'd.bin': 'd\n' });
    const done = await write({
      changes: [
        newFile('x/n.bin', 'n'),
        await replaced(store, 'a.bin', 'A'),
        await moved(store, 'b.bin', 'y/b.bin'),
        await removed(store, 'c.bin', 'trash'),
        await longer(store, 'd.bin', 'more'),
      ],
    });
    expect(done).toMatchObject({ kind: 'done', seq: 5, warnings: [], paths: ['x/n.bin', 'a.bin', 'b.bin', 'y/b.bin', 'c.bin', 'd.bin'] });
    expect(done.hashes).toEqual([hashOf('n'), hashOf('A'), hashOf('b'), null, hashOf('d\nmore\n')]);
    expect(done.events.map(({ seq, path, agent, batch, hash }) => [seq, path, agent, batch === done.batch, hash])).toEqual(
      ['x/n.bin', 'a.bin', 'y/b.bin', 'c.bin', 'd.bin'].map((path, index) => [
        index + 1,
        path,
        'ada',
        true,
        done.hashes[index]?.slice(0, 16),
      ]),
    );
    expect(done.staged.map((state) => state?.ino ?? null)).toEqual([
      disk.files.stat('x/n.bin')?.ino,
      disk.files.stat('a.bin')?.ino,
      null,
      null,
      disk.files.stat('d.bin')?.ino,
    ]);
    const next = await write({ changes: [newFile('later.bin', 'l')] });
    expect([next.seq, next.events[0]?.seq]).toEqual([6, 6]);
    await store.close();
  });

  it('F01 nothing, with no number of its own, where there is nothing to do', async () => {
    const { disk, store, write } = storeOn({});
    await write({ changes: [newFile('a.bin', 'a')] });
    const nothing = { events: [], hashes: [], staged: [], paths: [], warnings: [] };
    expect(await write({})).toMatchObject({ kind: 'done', batch: null, seq: 1, ...nothing });
    expect(disk.residue()).toEqual([]);
    await store.close();
  });

  it('F19 each conflict copy that it made, with what was saved and what is told of it', async () => {
    const { disk, store, write } = storeOn({ 'a.bin': 'a' });
    const changes = [await replaced(store, 'a.bin', 'A')];
    let isSaved = false;
    disk.onCall(({ method, path }) => {
      if (method !== 'rename' || path !== 'a.bin' || isSaved) return;
      isSaved = true;
      disk.save('a.bin', 'mine');
    });
    const done = await write({ changes });
    const copy = Object.keys(disk.visible()).find((path) => path.includes('sync-conflict')) ?? '';
    expect(done.paths).toEqual(['a.bin', copy]);
    expect(done.warnings).toEqual([`a.bin was saved by another program while roux wrote it; its text is now in ${copy}.`]);
    expect([disk.visible()[copy], done.hashes]).toEqual(['mine', [hashOf('A')]]);
    await store.close();
  });

  it('F10 what came of a change that was made on a newer text, in its events, its hash and its state', async () => {
    const { disk, store, write } = storeOn({ 'a.bin': 'a\n', 'b.bin': 'b' });
    const changes = [await longer(store, 'a.bin', 'more'), await replaced(store, 'b.bin', 'B')];
    const described = {
      ...changes[0]!,
      describe: (before: Buffer, after: Buffer) => [
        { node: `${before.toString()}→${after.toString()}`, path: 'a.bin', action: 'updated' as const, changes: [] },
      ],
    };
    let isSaved = false;
    disk.onCall(({ method, path }) => {
      if (method !== 'rename' || !path.endsWith('.json') || isSaved) return;
      isSaved = true;
      disk.save('a.bin', 'mine\n');
    });
    const done = await write({ changes: [described, changes[1]!] });
    expect(done.hashes).toEqual([hashOf('mine\nmore\n'), hashOf('B')]);
    expect(done.events.map(({ seq, node, hash }) => [seq, node, hash])).toEqual([
      [1, 'mine\n→mine\nmore\n', hashOf('mine\nmore\n').slice(0, 16)],
      [2, 'b.bin', hashOf('B').slice(0, 16)],
    ]);
    expect(done.staged.map((state) => state === null)).toEqual([true, false]);
    const kept = store.records.batches.read(done.batch ?? '');
    expect(kept.steps).toMatchObject([
      { path: 'a.bin', before: hashOf('mine\n'), after: hashOf('mine\nmore\n') },
      { path: 'b.bin', before: hashOf('b'), after: hashOf('B') },
    ]);
    expect(kept.steps.map((_, index) => store.records.batches.before(kept, index).bytes.toString())).toEqual(['mine\n', 'b']);
    await store.close();
  });
});

describe('a transaction', () => {
  it('F30 tells how far staging is, and is called off before it is in force without leaving anything', async () => {
    const { disk, store, write } = storeOn({});
    const told: string[] = [];
    const onProgress = (done: number, total: number): void => void told.push(`${done} of ${total}`);
    await write({ changes: [newFile('a.bin', 'a'), newFile('b.bin', 'b')] }, { onProgress });
    expect(told).toEqual(['1 of 2', '2 of 2', '2 of 2']);
    const callOff = new AbortController();
    disk.onCall(({ method, path }) => {
      if (method === 'sync' && path.startsWith('.roux/journal/')) callOff.abort(new Error('called off'));
    });
    await expect(write({ changes: [newFile('c.bin', 'c')] }, { signal: callOff.signal })).rejects.toThrow(
      'The call was cancelled before anything',
    );
    disk.onCall(null);
    expect([Object.keys(disk.visible()), disk.residue()]).toEqual([['a.bin', 'b.bin'], []]);
    await store.close();
  });

  it('F14 under an idempotency key is done once, and answers a repeat as the first time, also where there was nothing to do', async () => {
    const { disk, store } = storeOn({});
    const key = { idempotencyKey: 'k', payloadHash: 'p' };
    const once = (changes: Prepared['changes'], more: object) =>
      store.transact({ ...meta, ...more }, async () => ({ changes, answer: ({ batch, events }) => ({ batch, count: events.length }) }));
    const first = await once([newFile('a.bin', 'a')], key);
    expect(first).toMatchObject({ kind: 'done' });
    expect(await once([newFile('b.bin', 'b')], key)).toEqual({
      kind: 'repeated',
      answer: { batch: first.kind === 'done' ? first.batch : '', count: 1 },
    });
    await expect(once([], { ...key, payloadHash: 'q' })).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    expect(await once([], { idempotencyKey: 'nothing' })).toMatchObject({ kind: 'done', batch: null });
    expect(await once([newFile('c.bin', 'c')], { idempotencyKey: 'nothing' })).toEqual({
      kind: 'repeated',
      answer: { batch: null, count: 0 },
    });
    const silent = () => store.transact({ ...meta, idempotencyKey: 'silent' }, async () => ({ changes: [newFile('d.bin', 'd')] }));
    await silent();
    expect(await silent()).toEqual({ kind: 'repeated', answer: null });
    expect(Object.keys(disk.visible())).toEqual(['a.bin', 'd.bin']);
    await store.close();
  });

  it('F35 of a store that is open for reading only changes nothing but what it takes over', async () => {
    const { disk, store, write } = storeOn({}, { isReadOnly: true });
    await expect(write({ changes: [newFile('a.bin', 'a')] })).rejects.toMatchObject({ code: 'READ_ONLY' });
    expect(await write({})).toMatchObject({ batch: null });
    await write({ changes: [newFile('b.bin', 'b')], isIncoming: true });
    expect(disk.visible()).toEqual({ 'b.bin': 'b' });
    await store.close();
  });

  it('F19 F24 looks again at the bytes of a file that was read before it was planned', async () => {
    const reads: string[] = [];
    const { store } = storeOn({ 'a.bin': 'a', 'b.bin': 'b' }, {}, reads);
    const incoming = await replaced(store, 'a.bin', 'A');
    reads.length = 0;
    await store.transact(meta, async () => ({ changes: [incoming], isIncoming: true }));
    expect(reads).toContain('a.bin');
    await store.transact(meta, async () => {
      const changes = [await replaced(store, 'b.bin', 'B')];
      reads.length = 0;
      return { changes };
    });
    expect(reads).not.toContain('b.bin');
    await store.close();
  });

  it('F60 takes the folders along that it emptied, and tells of one that it could not take', async () => {
    const { disk, store, write } = storeOn({ 'x/deep/a.bin': 'a', 'y/b.bin': 'b', 'z/c.bin': 'c' });
    const done = await write({
      changes: [await removed(store, 'x/deep/a.bin', 'gone'), await removed(store, 'y/b.bin', 'gone')],
      emptied: ['x', 'z', 'missing'],
      vacated: ['y'],
    });
    expect(done.warnings).toEqual([]);
    expect(['x', 'y', 'z'].filter((folder) => disk.files.stat(folder) !== null)).toEqual(['z']);
    disk.onCall(({ method, path }) => {
      if (method === 'removeFolder') throw failure('EIO', path);
    });
    const refused = await write({ changes: [await removed(store, 'z/c.bin', 'gone')], emptied: ['z'] });
    expect(refused.warnings).toEqual(['The folder z is empty now and could not be removed: EIO: z.']);
    await store.close();
  });

  it('F01 is refused, and undone, where a folder of it has another name by the end', async () => {
    const { disk, store, write } = storeOn({ 'x/a.bin': 'a' });
    const hold = disk.files.hold.bind(disk.files);
    for (const [folder, name] of [
      ['x', 'x was moved'],
      ['', 'The folder of the vault was moved'],
    ] as const) {
      disk.files.hold = () => ({ ...hold(), findExchanged: () => folder });
      await expect(write({ changes: [newFile('x/n.bin', 'n')] })).rejects.toMatchObject({
        code: 'CONFLICT',
        retryable: true,
        details: { path: folder },
      });
      await expect(write({ changes: [newFile('x/n.bin', 'n')] })).rejects.toThrow(name);
    }
    expect([disk.visible(), disk.residue()]).toEqual([{ 'x/a.bin': 'a' }, []]);
    await store.close();
  });
});

describe('a task that holds a store', () => {
  const inHold = <T>(store: FolderStore, task: (held: HeldStore) => Promise<T>) => store.hold({}, task);

  it('carries out what others decided under their name and time, in parts that are undone by themselves', async () => {
    const { disk, store } = storeOn({ 'a.bin': 'a', 'b.bin': 'b' });
    const changes = [await replaced(store, 'a.bin', 'A'), await replaced(store, 'b.bin', 'B')];
    const [whole, one] = ['w', 'o'].map((letter) => letter.repeat(26)) as [string, string];
    const at = '2020-01-01T00:00:00.000Z';
    const done = await inHold(store, async (held) => {
      const now = await held.enter(0);
      const planned = await held.plan({ ...meta, id: whole, at }, now, async () => ({ changes }));
      if (planned.kind !== 'planned') throw new Error('it was done before');
      const parts = [{ id: one, at, operation: 'part', agent: 'eve', has: (path: string) => path === 'b.bin' }];
      return await held.carryOut(planned, { parts });
    });
    expect(done).toMatchObject({ batch: whole, events: [{ timestamp: at, batch: whole }, { timestamp: at }] });
    const kept = Object.keys(disk.all())
      .filter((path) => path.startsWith('.roux/history/batches/'))
      .map((path) => path.slice('.roux/history/batches/'.length));
    expect(kept.toSorted()).toEqual([`${one}.0`, `${one}.json`, `${whole}.0`, `${whole}.json`]);
    expect(disk.all()[`.roux/history/batches/${one}.0`]).toBe('b');
    await store.close();
  });

  it('has done what it did where its parts cannot be kept apart, and logs that', async () => {
    const { disk, store, log } = storeOn({ 'a.bin': 'a' });
    const changes = [await replaced(store, 'a.bin', 'A')];
    await inHold(store, async (held) => {
      const planned = await held.plan(meta, await held.enter(0), async () => ({ changes }));
      if (planned.kind !== 'planned') throw new Error('it was done before');
      const fail = (): never => {
        throw new Error('no parts');
      };
      await held.carryOut(planned, { parts: [{ id: 'o'.repeat(26), at: '', operation: '', agent: '', has: fail }] });
    });
    expect(log.join()).toContain('could not be split: no parts');
    expect(disk.visible()).toEqual({ 'a.bin': 'A' });
    await store.close();
  });

  it('appends what others did with numbers of this store, and what happened without roux', async () => {
    const { store } = storeOn({});
    const draft = { node: 'a', path: 'a.md', action: 'updated', changes: [] } as const;
    const foreign = { ...draft, timestamp: '2020-01-01T00:00:00.000Z', agent: 'eve' } as const;
    const [first, second] = await inHold(store, async (held) => {
      const now = await held.enter(0);
      const recorded = await now.record([draft, { ...draft, path: 'b.md' }], 'external', ({ path }) =>
        path === 'b.md' ? hashOf('b') : null,
      );
      return [recorded, await held.recordAs([foreign, foreign])];
    });
    expect(first.map(({ seq, agent, hash }) => [seq, agent, hash])).toEqual([
      [1, 'external', undefined],
      [2, 'external', hashOf('b').slice(0, 16)],
    ]);
    expect(second.map(({ seq, agent, timestamp }) => [seq, agent, timestamp])).toEqual([
      [3, 'eve', foreign.timestamp],
      [4, 'eve', foreign.timestamp],
    ]);
    expect(store.records.lastSeq()).toBe(4);
    const later = await store.transact(meta, async () => ({ changes: [newFile('n.bin', 'n')] }));
    expect(later).toMatchObject({ seq: 5 });
    await store.close();
  });
});
