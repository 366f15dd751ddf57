import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { hashOf } from '../../../../src/store/folder/hash.ts';
import type { SharedStoreOptions } from '../../../../src/store/shared/shared-store.ts';
import type { BlobStore, Followers, SharedVault } from '../../../../src/store/shared/shared-vault.ts';
import { readCheckpoint } from '../../../../src/store/shared/checkpoint/checkpoint.ts';
import { failure, simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { Cut, overrideVault, simulatedStore } from '../../../support/simulated/simulated-store.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { create, machineOf, operations, replace, stored, write } from './machine.ts';
import type { Machine } from './machine.ts';

describe('a write of a machine', () => {
  it('is a commit in the store and in the folder, and one of nothing is none', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    const done = await write(a, create('one.md'));
    expect(done).toMatchObject({ kind: 'done', batch: store.state.feed[0]?.batch, paths: ['one.md'], warnings: [] });
    expect(store.state.feed).toMatchObject([{ seq: 1, agent: 'ada', machine: 'a', operation: 'test' }]);
    expect([stored(store), a.disk.visible()]).toEqual([{ 'one.md': 'one.md\n' }, { 'one.md': 'one.md\n' }]);
    expect(readCheckpoint(a.disk.files)).toMatchObject({ seq: 1, pushing: null });
    expect(await write(a)).toMatchObject({ kind: 'done', batch: null });
    expect(store.state.seq).toBe(1);
    expect(a.shared.capabilities()).toMatchObject({ isShared: true });
  });

  it('comes after what people edited before it, also where it comes to nothing itself', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'));
    a.disk.save('two.md', 'two\n');
    a.shared.touched('', 'two.md');
    await write(a, create('three.md'));
    a.disk.save('four.md', 'four\n');
    a.shared.touched(null);
    await write(a);
    expect(operations(store)).toEqual([
      'ada test create one.md',
      'external edit create two.md',
      'ada test create three.md',
      'external edit create four.md',
    ]);
    expect(readCheckpoint(a.disk.files)?.seq).toBe(4);
    const history = a.shared.records.events.tail();
    expect(history.filter(({ agent }) => agent === 'external').map(({ path }) => path)).toEqual(['two.md', 'four.md']);
  });

  it('comes after what a person saved when it was being prepared: that is in the store first, as an edit', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'), create('two.md'));
    await a.shared.transact({ operation: 'test', agent: 'ada' }, async (now) => {
      a.disk.save('one.md', 'saved\n');
      return { changes: [await replace(now, 'one.md', 'written\n'), await replace(now, 'two.md', 'written\n')] };
    });
    expect(operations(store).slice(1)).toEqual(['external edit update one.md', 'ada test update one.md, update two.md']);
    expect(stored(store)).toEqual({ 'one.md': 'saved\nwritten\n', 'two.md': 'two.md\nwritten\n' });
    expect(store.state.blobs.get(store.state.feed[1]?.changes[0]?.hash ?? '')?.toString()).toBe('saved\n');
    expect(a.disk.visible()).toEqual(stored(store));
    // A file that appears only then, and one that was given another name just before.
    a.disk.move('two.md', 'moved.md');
    a.shared.touched(null);
    await a.shared.transact({ operation: 'test', agent: 'ada' }, async (now) => {
      a.disk.save('new.md', 'new\n');
      return { changes: [await replace(now, 'new.md', 'written\n'), await replace(now, 'moved.md', 'and moved\n')] };
    });
    expect(operations(store).slice(3)).toEqual([
      'external edit rename moved.md',
      'external edit create new.md',
      'ada test update new.md, update moved.md',
    ]);
    expect(a.disk.visible()).toEqual(stored(store));
  });

  it('with a key is done once on all machines, and answered alike', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    const ask = ({ shared }: Machine, payloadHash: string | undefined, path: string) =>
      shared.transact(
        { operation: 'test', agent: 'ada', idempotencyKey: 'k', ...(payloadHash === undefined ? {} : { payloadHash }) },
        async () => ({
          changes: [create(path)],
          answer: ({ batch, events: made }) => ({ batch, made: made.map(({ seq, node, hash }) => ({ seq, node, hash })) }),
        }),
      );
    const first = await ask(a, 'p', 'one.md');
    const answer = {
      batch: first.kind === 'done' ? first.batch : null,
      made: [{ seq: 1, node: 'n', hash: expect.any(String) as string }],
    };
    b.disk.save('edited.md', 'edited\n');
    expect(await ask(b, 'p', 'two.md')).toEqual({ kind: 'repeated', answer });
    expect(await ask(a, 'p', 'two.md')).toEqual({ kind: 'repeated', answer });
    await expect(ask(b, 'other', 'two.md')).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH', details: { idempotency_key: 'k' } });
    await expect(ask(b, undefined, 'two.md')).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    // What was edited is in the store, and what was refused is not.
    expect(operations(store)).toEqual(['ada test create one.md', 'external edit create edited.md']);
    await b.shared.sync();
    expect(b.disk.visible()).toEqual({ 'edited.md': 'edited\n', 'one.md': 'one.md\n' });
    expect(stored(store)).toEqual(b.disk.visible());
  });

  it('is refused with a role that may only read', async () => {
    const store = simulatedStore();
    await write(machineOf(store, 'a'), create('one.md'));
    const reader = machineOf(store, 'r', simulatedDisk({}), { otherwise: { isReadOnly: true } });
    await expect(write(reader, create('two.md'))).rejects.toMatchObject({ code: 'READ_ONLY' });
    reader.disk.save('mine.md', 'mine\n');
    reader.shared.touched(null);
    await reader.shared.sync();
    expect(reader.disk.visible()).toEqual({ 'one.md': 'one.md\n', 'mine.md': 'mine\n' });
    expect(Object.keys(stored(store))).toEqual(['one.md']);
  });

  it('that is in the store and not in the folder is in it later, and says so', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a', simulatedDisk({}), { intervals: { push: 1e6, poll: 1e6, upkeep: 1e6 } });
    await write(a, create('sub/one.md'));
    let isFull = false;
    a.disk.onCall(({ method, path }) => {
      if (isFull && ['rename', 'link', 'create'].includes(method) && path.startsWith('sub/')) throw failure('ENOSPC', path);
    });
    store.onCall(({ step }) => void (isFull ||= step === 'committed'));
    const done = await write(a, create('sub/two.md'));
    expect(done).toMatchObject({
      kind: 'done',
      seq: 1,
      batch: store.state.feed[1]?.batch,
      hashes: [hashOf('sub/two.md\n')],
      staged: [null],
      paths: [],
      events: [{ seq: 2, node: 'n', agent: 'ada' }],
    });
    expect(done.kind === 'done' && done.warnings).toEqual([
      'This is in the store, and the folder of this machine gets it later: it could not be written now.',
    ]);
    expect(a.log.at(-1)).toContain('Commit 2 is in the store and not in the folder yet');
    expect(Object.keys(stored(store))).toEqual(['sub/one.md', 'sub/two.md']);
    store.onCall(null);
    isFull = false;
    await a.shared.sync();
    expect(a.disk.visible()).toEqual(stored(store));
  });

  it('onto what the folder is left without is refused until that is in place', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    await write(a, create('sub/one.md'), create('other.md'));
    await b.shared.sync();
    let isLocked = true;
    b.disk.onCall(({ method, path }) => {
      if (isLocked && ['rename', 'link', 'create', 'remove'].includes(method) && path.startsWith('sub/')) throw failure('EACCES', path);
    });
    await a.shared.transact({ operation: 'test', agent: 'ada' }, async (now) => ({
      changes: [await replace(now, 'sub/one.md', 'more\n')],
    }));
    await b.shared.sync();
    expect(b.said.at(-1)).toContain('sub/one.md');
    const more = (path: string) =>
      b.shared.transact({ operation: 'test', agent: 'bo' }, async (now) => ({ changes: [await replace(now, path, 'by b\n')] }));
    await expect(more('sub/one.md')).rejects.toMatchObject({ code: 'CONFLICT', details: { path: 'sub/one.md' } });
    await more('other.md');
    expect(stored(store)).toEqual({ 'sub/one.md': 'sub/one.md\nmore\n', 'other.md': 'other.md\nby b\n' });
    isLocked = false;
    b.shared.touched(null);
    await b.shared.sync();
    await more('sub/one.md');
    expect(stored(store)['sub/one.md']).toBe('sub/one.md\nmore\nby b\n');
    expect(b.disk.visible()).toEqual(stored(store));
  });

  it('that the store refuses has not happened, and the row of the vault is not taken for good', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'));
    store.onCall(({ step }) => {
      if (step === 'append') throw new Cut();
    });
    await expect(write(a, create('two.md'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    store.onCall(null);
    expect([stored(store), a.disk.visible()]).toEqual([{ 'one.md': 'one.md\n' }, { 'one.md': 'one.md\n' }]);
    await write(a, create('two.md'));
    expect(a.disk.visible()).toEqual(stored(store));
  });
});

describe('what people edit', () => {
  it('is reported file by file, with what it was, and with very many at once only which they are', async () => {
    const store = simulatedStore();
    const described: unknown[] = [];
    const notes: SharedStoreOptions['notes'] = {
      idOf: () => null,
      describe: ({ path, former, before, after }) => {
        described.push([path, former, before === null ? null : String(before.bytes), after === null ? null : String(after.bytes)]);
        return [{ node: path, path, action: 'external', changes: [] }];
      },
    };
    const a = machineOf(store, 'a', simulatedDisk({ 'a.md': 'A\n', 'b.md': 'B\n' }), { notes });
    await a.shared.sync();
    a.shared.touched(null);
    await a.shared.sync();
    described.length = 0;
    a.disk.save('a.md', 'A, edited\n');
    a.disk.remove('b.md');
    a.disk.save('c.md', 'C\n');
    a.shared.touched(null);
    await a.shared.sync();
    expect(described).toEqual([
      ['a.md', 'a.md', 'A\n', 'A, edited\n'],
      ['c.md', null, null, 'C\n'],
      ['b.md', 'b.md', 'B\n', null],
    ]);
    expect(store.state.feed.at(-1)?.changes[0]?.event).toEqual([{ node: 'a.md', path: 'a.md', action: 'external', changes: [] }]);
    const save = async (count: number): Promise<number> => {
      described.length = 0;
      for (let index = 0; index < count; index += 1) a.disk.save(`${count}-${index}.md`, `${index}\n`);
      a.shared.touched(null);
      await a.shared.sync();
      expect(store.state.feed.at(-1)?.changes.length).toBe(count);
      return described.length;
    };
    expect(await save(64)).toBe(64);
    expect(await save(65)).toBe(0);
    expect(store.state.feed.at(-1)?.changes[0]?.event).toMatchObject([{ action: 'external', changes: [{ field: 'file' }] }]);
  });

  it('stays here where the name is one of the vault in other letters, or of another that goes out with it; the rest does not wait', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('Taken.md'));
    for (const name of ['taken.md', 'new.md', 'NEW.md', 'free.md']) a.disk.save(name, `${name}\n`);
    a.shared.touched(null);
    await a.shared.sync();
    await a.shared.sync();
    expect(Object.keys(stored(store)).toSorted()).toEqual(['NEW.md', 'Taken.md', 'free.md']);
    expect(a.said.filter((message) => message.includes('stays on this machine')).map((message) => message.split(' ')[0])).toEqual([
      'new.md',
      'taken.md',
    ]);
    expect(Object.keys(a.disk.visible()).length).toBe(5);
    // A deletion takes no name.
    a.disk.remove('Taken.md');
    a.disk.remove('free.md');
    a.shared.touched(null);
    await a.shared.sync();
    expect(Object.keys(stored(store)).toSorted()).toEqual(['NEW.md', 'taken.md']);
  });

  it('that is refused for what is no name, or for a name that is not among it, is an error', async () => {
    const store = simulatedStore();
    for (const error of [
      new RouxError('CONFLICT', 'refused', { path: 'new.md' }),
      new RouxError('NODE_EXISTS', 'refused', { path: 'another.md' }),
      new RouxError('NODE_EXISTS', 'refused'),
      new Error('refused'),
    ]) {
      const commitUnderLock: SharedVault['commitUnderLock'] = async (run) =>
        run({
          seq: 0,
          commitsAfter: async () => [],
          findFiles: async () => new Map(),
          findKey: async () => null,
          getBlob: async () => null,
          append: () => Promise.reject(error),
        });
      const a = machineOf(store, 'a', simulatedDisk({}), { otherwise: { commitUnderLock } });
      await a.shared.sync();
      a.disk.save('new.md', 'new\n');
      a.disk.save('second.md', 'second\n');
      a.shared.touched(null);
      await expect(a.shared.sync()).rejects.toThrow('refused');
      expect(a.said).toEqual([]);
    }
  });

  it('does not go out while the disk may be lost, and large contents go before the row is taken', async () => {
    const store = simulatedStore();
    let isSure = false;
    const uploaded: number[] = [];
    const upload: BlobStore['upload'] = async (blobs) => {
      for await (const { hash, bytes } of blobs) {
        uploaded.push(bytes.length);
        store.state.blobs.set(hash, Buffer.from(bytes));
      }
    };
    const a = machineOf(store, 'a', simulatedDisk({}), { mayPush: () => isSure, otherwise: { blobs: { upload } } });
    await a.shared.sync();
    a.disk.save('at most.md', 'x'.repeat(256 * 1024));
    a.disk.save('more.md', 'y'.repeat(256 * 1024 + 1));
    a.shared.touched(null);
    await a.shared.sync();
    await write(a, create('one.md'));
    expect(Object.keys(stored(store))).toEqual(['one.md']);
    isSure = true;
    await a.shared.sync();
    expect(uploaded).toEqual([256 * 1024 + 1]);
    expect(Object.keys(stored(store)).toSorted()).toEqual(['at most.md', 'more.md', 'one.md']);
  });

  it('goes out when the process ends, unless the store is away', async () => {
    const store = simulatedStore();
    let closed = 0;
    const a = machineOf(store, 'a', simulatedDisk({}), { otherwise: { close: async () => void (closed += 1) } });
    await a.shared.sync();
    a.disk.save('last.md', 'last\n');
    a.shared.touched(null);
    await a.shared.close();
    expect([stored(store), closed]).toEqual([{ 'last.md': 'last\n' }, 1]);
    const b = machineOf(store, 'b', simulatedDisk({}), { otherwise: { close: async () => void (closed += 1) } });
    await b.shared.sync();
    b.disk.save('later.md', 'later\n');
    b.shared.touched(null);
    store.onCall(() => {
      throw new Cut();
    });
    await b.shared.close();
    store.onCall(null);
    expect([Object.keys(stored(store)), closed]).toEqual([['last.md'], 2]);
    const again = machineOf(store, 'b', b.disk.afterKill(), { pid: 2 });
    await again.shared.sync();
    expect(Object.keys(stored(store))).toEqual(['last.md', 'later.md']);
    // One that was never reached is no matter.
    await machineOf(store, 'c').shared.close();
  });
});

describe('a folder that follows', () => {
  const PACE = { push: 1, poll: 1e6, upkeep: 1e6 };

  it('tells why it cannot, once, and that it can again', async () => {
    const store = simulatedStore();
    let fault: Error | null = new RouxError('STORE_UNAVAILABLE', 'away');
    let reached = 0;
    const a = machineOf(store, 'a', simulatedDisk({}), {
      intervals: PACE,
      connect: async () => {
        reached += 1;
        if (fault !== null) throw fault;
        return store.connect('a');
      },
    });
    await a.shared.follow();
    expect(a.troubles).toEqual([expect.stringContaining('notes are read as the folder was when roux started')]);
    expect(a.log.length).toBe(1);
    await expect(a.shared.sync()).rejects.toThrow('away');
    a.shared.touched('');
    await waitFor(() => a.troubles.length > 1);
    expect([a.troubles[1], a.log.length]).toEqual([a.troubles[0], 1]);
    const before = reached;
    fault = null;
    await a.shared.sync();
    expect(reached).toBe(before + 1);
    a.shared.touched('');
    await waitFor(() => a.troubles.at(-1) === null);
    store.onCall(() => {
      throw new Cut();
    });
    a.shared.touched('');
    await waitFor(() => /notes are read as of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ,/.test(a.troubles.at(-1) ?? ''));
    store.onCall(() => {
      throw new Error('a fault');
    });
    a.shared.touched('');
    await waitFor(() => a.troubles.at(-1)?.startsWith('The folder cannot follow the store of this vault: '));
    expect(a.log.length).toBe(3);
    store.onCall(null);
    await a.shared.close();
  });

  it('hears of what others commit, tells which files came, and asks the store for nothing that it has', async () => {
    const store = simulatedStore();
    const stands: number[] = [];
    let listening: AbortSignal | null = null;
    const connect = async (): Promise<SharedVault> => {
      const vault = await store.connect('b');
      const follow: Followers['follow'] = (onNotice, signal) => vault.followers.follow(onNotice, (listening = signal));
      return overrideVault(vault, { followers: { follow, reportCheckpoint: (seq) => void stands.push(seq) } });
    };
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b', simulatedDisk({}), { intervals: PACE, connect })];
    await b.shared.follow();
    await write(a, create('one.md'));
    await waitFor(() => b.changed.length > 0);
    expect(b.changed).toEqual(['one.md']);
    expect(stands.at(-1)).toBe(1);
    expect(listening).toMatchObject({ aborted: false });
    await b.shared.close();
    expect(listening).toMatchObject({ aborted: true });
    await write(a, create('two.md'));
    expect(b.changed).toEqual(['one.md']);
  });

  it('has no file under a name that no vault may have, and those beside it, con.md among them', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    await write(a, create('one.md'));
    await b.shared.sync();
    await write(a, create('two.md'));
    const commit = store.state.feed[1]!;
    const bad = ['../outside/x.md', '.git/hooks/x', '.rouxrc.json', 'sub/x.md.tmp'];
    const changes = [...bad, 'con.md'].map((path) => ({ ...commit.changes[0]!, path }));
    store.state.feed[1] = { ...commit, changes: [...commit.changes, ...changes] };
    for (const { path, hash, size } of changes) store.state.files.set(path, { path, hash: hash ?? '', size, seq: 2 });
    await b.shared.sync();
    expect(Object.keys(b.disk.visible()).toSorted()).toEqual(['con.md', 'one.md', 'two.md']);
    expect(b.said.join('\n')).toContain('../outside/x.md (No vault may have a file of this name); ');
    // A machine that is new leaves them out as well, and what is written goes on.
    const c = machineOf(store, 'c');
    await write(c, create('three.md'));
    await b.shared.sync();
    for (const { disk } of [b, c]) expect(Object.keys(disk.visible()).toSorted()).toEqual(['con.md', 'one.md', 'three.md', 'two.md']);
    expect(store.state.feed.length).toBe(3);
  });

  it('is compared with a store that was restored to an earlier moment', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'));
    await write(a, create('two.md'));
    store.state.feed.pop();
    store.state.files.delete('two.md');
    store.state.seq = 1;
    await a.shared.sync();
    a.shared.touched(null);
    await a.shared.sync();
    // Nobody removed it: it is an edit of this machine now.
    expect(stored(store)).toEqual({ 'one.md': 'one.md\n', 'two.md': 'two.md\n' });
    expect(a.disk.visible()).toEqual(stored(store));
  });

  it('has back what was removed while nobody looked, and says so', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'), create('two.md'));
    await a.shared.close();
    a.disk.remove('one.md');
    a.disk.save('two.md', 'two, edited\n');
    const again = machineOf(store, 'a', a.disk.afterKill(), { pid: 2 });
    await again.shared.sync();
    expect(stored(store)).toEqual({ 'one.md': 'one.md\n', 'two.md': 'two, edited\n' });
    expect(again.disk.visible()).toEqual(stored(store));
    expect(again.said.join('\n')).toContain('one.md');
    expect(operations(store).slice(1)).toEqual(['external edit update two.md']);
  });

  it('follows another process of the machine to where that has brought it, and says nothing twice', async () => {
    const store = simulatedStore();
    const disk = simulatedDisk({});
    const [first, second] = [machineOf(store, 'a', disk), machineOf(store, 'a', disk, { pid: 1 })];
    await write(first, create('one.md'));
    await second.shared.sync();
    await second.shared.transact({ operation: 'test', agent: 'bo' }, async (now) => ({
      changes: [await replace(now, 'one.md', 'by another process\n')],
    }));
    disk.save('one.md', `${disk.visible()['one.md']}saved\n`);
    first.shared.touched('', 'one.md');
    await first.shared.sync();
    expect(stored(store)).toEqual({ 'one.md': 'one.md\nby another process\nsaved\n' });
    expect(disk.visible()).toEqual(stored(store));
    expect(operations(store)).toEqual(['ada test create one.md', 'bo test update one.md', 'external edit update one.md']);
    expect(first.said).toEqual([]);
  });

  it('takes in many commits, those of one file in their order, and those from before its feed as files', async () => {
    const store = simulatedStore();
    const [a, b, c] = [machineOf(store, 'a'), machineOf(store, 'b'), machineOf(store, 'c')];
    await write(a, create('one.md'));
    await b.shared.sync();
    await c.shared.sync();
    for (let index = 0; index < 25; index += 1)
      await a.shared.transact({ operation: 'test', agent: 'ada' }, async (now) => ({
        changes: [index % 2 === 0 ? await replace(now, 'one.md', `${index}\n`) : create(`n${index}.md`)],
      }));
    await b.shared.sync();
    expect(b.disk.visible()).toEqual(stored(store));
    expect(b.shared.records.events.tail().map(({ batch }) => batch)).toEqual(store.state.feed.slice(1).map(({ batch }) => batch));
    const real = await store.connect('c');
    const isKept = (seq: number): boolean => seq >= 20;
    const away = machineOf(store, 'c', c.disk.afterKill(), {
      pid: 2,
      otherwise: {
        feed: {
          filesAt: async (seq) => (isKept(seq) ? real.feed.filesAt(seq) : null),
          commitsAfter: async (seq, limit) => (isKept(seq) ? real.feed.commitsAfter(seq, limit) : null),
        },
      },
    });
    await away.shared.sync();
    expect(away.disk.visible()).toEqual(stored(store));
  });

  it('takes in the files where the feed has ended behind it', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'), create('gone.md'));
    const real = await store.connect('b');
    const b = machineOf(store, 'b', simulatedDisk({}), {
      otherwise: {
        feed: { commitsAfter: async (seq, limit) => (seq < store.state.seq && seq > 0 ? null : real.feed.commitsAfter(seq, limit)) },
      },
    });
    await b.shared.sync();
    b.disk.save('one.md', 'of b\n');
    await a.shared.transact({ operation: 'test', agent: 'ada' }, async (now) => ({
      changes: [{ kind: 'remove', of: (await now.read('gone.md'))!, events: [], describe: () => [] } as never, create('two.md')],
    }));
    await b.shared.sync();
    expect(b.disk.visible()).toMatchObject({ 'two.md': 'two.md\n', 'one.md': 'of b\n' });
    expect(readCheckpoint(b.disk.files)?.seq).toBe(store.state.seq);
  });

  it('has what was about to be said of an edit in its history, where a kill came right after the commit', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'));
    a.disk.save('two.md', 'two\n');
    a.shared.touched('', 'two.md');
    let killed: ReturnType<typeof a.disk.afterKill> | null = null;
    store.onCall(({ step }) => {
      if (step === 'committed') killed ??= a.disk.afterKill();
    });
    await a.shared.sync().catch(() => undefined);
    store.onCall(null);
    const again = machineOf(store, 'a', killed!, { pid: 2 });
    expect(again.shared.records.events.tail().map(({ path }) => path)).toEqual(['n.md']);
    await again.shared.sync();
    await again.shared.sync();
    expect(
      again.shared.records.events
        .tail()
        .filter(({ agent }) => agent === 'external')
        .map(({ path }) => path),
    ).toEqual(['two.md']);
    expect(operations(store)).toEqual(['ada test create one.md', 'external edit create two.md']);
  });

  it('that another working copy was laid over says so, and tells of no file where none came', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'));
    const b = machineOf(store, 'b', a.disk.afterKill(), { pid: 2 });
    let changes = 0;
    b.shared.listen({ onEvents: () => undefined, onReport: (message) => void b.said.push(message), onChanged: () => void (changes += 1) });
    await b.shared.sync();
    expect([b.said, changes]).toEqual([[expect.stringContaining('Another working copy of this vault was laid over this folder')], 0]);
  });
});
