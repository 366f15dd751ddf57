import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { readCheckpoint, CHECKPOINT_PATH } from '../../../../src/store/shared/checkpoint/checkpoint.ts';
import type { SharedStoreOptions } from '../../../../src/store/shared/shared-store.ts';
import type { CommitFeed, SharedVault } from '../../../../src/store/shared/shared-vault.ts';
import { writeThrough } from '../../../../src/store/shared/write-through.ts';
import { failure, Killed, simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import type { SimulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { simulatedStore } from '../../../support/simulated/simulated-store.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { create, machineOf, operations, replace, stored, write } from './machine.ts';
import type { Machine } from './machine.ts';

const META = { operation: 'test', agent: 'ada' };
const append = (machine: Machine, path: string, text: string) =>
  machine.shared.transact(META, async (now) => ({ changes: [await replace(now, path, text)] }));
const rename = ({ shared }: Machine, from: string, to: string) =>
  shared.transact(META, async (now) => ({
    changes: [
      { kind: 'move', of: (await now.read(from))!, to, bytes: null, changes: null, isCommutative: false, events: [], describe: () => [] },
    ],
  }));
const meet = async ({ shared }: Machine): Promise<void> => {
  shared.touched(null);
  await shared.sync();
};
/** Which of these commits can be undone by themselves on a machine. */
const undoable = ({ disk }: Machine, ids: readonly string[]): readonly string[] =>
  ids.filter((id) => disk.files.stat(`.roux/history/batches/${id}.json`) !== null);
/** Calls that change what is below a folder fail until that is lifted. */
function lock(disk: SimulatedDisk, folder: string, code = 'EACCES'): { readonly unlock: () => void; readonly tries: () => number } {
  let [isLocked, tries] = [true, 0];
  disk.onCall(({ method, path }) => {
    if (!isLocked || !['rename', 'link', 'create', 'remove'].includes(method) || !path.startsWith(`${folder}/`)) return;
    tries += 1;
    throw failure(code, path);
  });
  return { unlock: () => void (isLocked = false), tries: () => tries };
}

describe('a session', () => {
  it('finds what somebody moves while it writes', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    await write(a, create('one.md'));
    await b.shared.sync();
    await append(a, 'one.md', 'more\n');
    let isMoved = false;
    b.disk.onCall(({ method, path }) => {
      if (isMoved || method !== 'create' || !path.startsWith('.roux/journal/')) return;
      isMoved = true;
      b.disk.move('one.md', 'renamed.md');
    });
    await b.shared.sync();
    await meet(b);
    expect([isMoved, b.disk.visible(), stored(store)]).toEqual([
      true,
      { 'renamed.md': 'one.md\nmore\n' },
      { 'renamed.md': 'one.md\nmore\n' },
    ]);
    expect(operations(store).at(-1)).toBe('external edit rename renamed.md');
  });

  it('knows a file that makes room for a folder, also after a kill', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    await write(a, create('x.md'));
    await b.shared.sync();
    b.disk.save('x.md', 'x.md\nby b\n');
    b.shared.touched('', 'x.md');
    await rename(a, 'x.md', 'y.md');
    await write(a, create('x.md/in.md'));
    const moved: unknown[] = [];
    b.disk.onCall(({ method, from }) => {
      if (method === 'rename' && from === 'x.md') moved.push(readCheckpoint(b.disk.files)?.moved);
    });
    await b.shared.sync();
    expect(moved[0]).toEqual([{ from: 'x.md', to: expect.stringContaining('sync-conflict') as string }]);
    await meet(b);
    expect(b.disk.visible()).toEqual(stored(store));
    expect(b.disk.visible()).toMatchObject({ 'x.md/in.md': 'x.md/in.md\n', 'y.md': 'x.md\n' });
    expect(Object.values(b.disk.visible())).toContain('x.md\nby b\n');
  });

  it('lists and undoes up to twenty commits by themselves, and more as one', async () => {
    for (const count of [2, 20, 21]) {
      const store = simulatedStore();
      const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
      await write(a, create('one.md'));
      await b.shared.sync();
      for (let index = 0; index < count; index += 1) await write(a, create(`n${index}.md`));
      await b.shared.sync();
      const ids = store.state.feed.slice(1).map(({ batch }) => batch);
      expect([count, undoable(b, ids)]).toEqual([count, count > 20 ? [] : ids]);
      expect(b.disk.visible()).toEqual(stored(store));
    }
  });

  it('keeps each of several commits of one file, and its events once', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    await write(a, create('one.md', '0\n'));
    await b.shared.sync();
    for (const text of ['1\n', '2\n', '3\n']) await append(a, 'one.md', text);
    await b.shared.sync();
    const ids = store.state.feed.slice(1).map(({ batch }) => batch);
    const displaced = ids.map((id) => String(b.disk.files.read(`.roux/history/batches/${id}.0`)?.bytes));
    expect(displaced).toEqual(['0\n', '0\n1\n', '0\n1\n2\n']);
    await append(a, 'one.md', '4\n');
    await b.shared.sync();
    // One commit by itself is recorded with its file.
    expect(b.shared.records.events.tail().map(({ batch }) => batch)).toEqual(store.state.feed.map(({ batch }) => batch).slice(-4));
  });

  it('tells a write what another process of the machine has pulled, a renamed file by both names', async () => {
    const store = simulatedStore();
    const disk = simulatedDisk({});
    const [a, first, second] = [machineOf(store, 'a'), machineOf(store, 'b', disk), machineOf(store, 'b', disk, { pid: 2 })];
    await write(a, create('one.md'));
    await first.shared.sync();
    await second.shared.sync();
    await first.shared.transact(META, async () => ({ changes: [] }));
    await rename(a, 'one.md', 'two.md');
    await second.shared.sync();
    let paths: readonly string[] | null = null;
    await first.shared.transact(META, async (now) => ((paths = now.externalChanges), { changes: [] }));
    expect(paths).toEqual(expect.arrayContaining(['one.md', 'two.md']));
  });

  it('is compared with all files where the commits of another process are not kept any more', async () => {
    const store = simulatedStore();
    const disk = simulatedDisk({});
    const [a, second] = [machineOf(store, 'a'), machineOf(store, 'b', disk, { pid: 2 })];
    await write(a, create('one.md'));
    await second.shared.sync();
    const real = await store.connect('b');
    let listings = 0;
    const pruned = machineOf(store, 'b', disk, {
      pid: 3,
      otherwise: {
        feed: {
          commitsAfter: async (seq, limit, how) => (seq >= store.state.seq - 1 ? real.feed.commitsAfter(seq, limit, how) : null),
          listing: () => ((listings += 1), real.feed.listing()),
        },
      },
    });
    await pruned.shared.sync();
    listings = 0;
    await write(a, create('three.md'));
    await write(a, create('four.md'));
    await second.shared.sync();
    await pruned.shared.sync();
    expect([listings, disk.visible()]).toEqual([1, stored(store)]);
  });

  it('tells a write what was pulled for it, a renamed file by both names', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    await write(a, create('one.md'));
    await b.shared.sync();
    const seen = async (): Promise<readonly string[] | null> => {
      let paths: readonly string[] | null = null;
      await b.shared.transact(META, async (now) => ((paths = now.externalChanges), { changes: [] }));
      return paths;
    };
    await seen();
    await rename(a, 'one.md', 'two.md');
    expect((await seen())?.toSorted()).toEqual(['one.md', 'two.md']);
    expect(await seen()).toEqual([]);
  });

  it('pulls what others commit until a write has its turn', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'));
    const real = await store.connect('b');
    let isFirst = true;
    const commitUnderLock: SharedVault['commitUnderLock'] = async (run, how) => {
      if (isFirst) await append(a, 'one.md', 'by a\n');
      isFirst = false;
      return real.commitUnderLock(run, how);
    };
    const b = machineOf(store, 'b', simulatedDisk({}), { otherwise: { commitUnderLock } });
    await append(b, 'one.md', 'by b\n');
    expect(stored(store)).toEqual({ 'one.md': 'one.md\nby a\nby b\n' });
    expect(b.disk.visible()).toEqual(stored(store));
  });

  it('asks for commits with their contents, and under the lock there alone', async () => {
    const store = simulatedStore();
    const real = await store.connect('b');
    const asked: string[] = [];
    const feed: Partial<CommitFeed> = {
      commitsAfter(seq, limit, how) {
        asked.push(`${seq} ${how?.withContents ?? false}`);
        return real.feed.commitsAfter(seq, limit, how);
      },
    };
    const intervals = { push: 1e6, poll: 1e6, upkeep: 1e6 };
    const b = machineOf(store, 'b', simulatedDisk({}), { otherwise: { feed }, intervals });
    await b.shared.sync();
    expect(asked.splice(0)).toEqual(['0 true']);
    await write(b, create('one.md'));
    expect(asked.splice(0)).toEqual(['0 true']);
    // One that follows asks no more before it has its turn.
    await b.shared.follow();
    asked.length = 0;
    await write(b, create('two.md'));
    expect(asked).toEqual([]);
    expect(stored(store)).toEqual(b.disk.visible());
    await b.shared.close();
  });

  it('does not try again what is blocked with every commit', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    await write(a, create('one.md'));
    await b.shared.sync();
    const { tries } = lock(b.disk, 'x');
    await write(a, create('x/in.md'));
    await b.shared.sync();
    const before = tries();
    await append(a, 'one.md', 'more\n');
    await write(b);
    expect([tries(), b.disk.visible()]).toEqual([before, { 'one.md': 'one.md\nmore\n' }]);
  });

  it('compares a folder that took the place of another one, also where the store was away at first', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    await write(a, create('one.md'));
    await a.shared.sync();
    await b.shared.sync();
    const line = (seq: number, more: object = {}): string =>
      `${JSON.stringify({ format: 1, vault: 'simulated', seq, batch: null, pushing: null, copy: 'b', ...more })}\n`;
    // Another process says that it is at a commit which the store does not have, or no more, or that it was about to push one.
    for (const mark of [line(9, { batch: 'x' }), line(0, { pushing: 'never' }), line(1, { batch: 'other', pushing: 'never' })]) {
      b.disk.save(CHECKPOINT_PATH, mark);
      await append(a, 'one.md', 'more\n');
      await b.shared.sync();
      expect(b.disk.visible()).toEqual(stored(store));
      expect(readCheckpoint(b.disk.files)).toMatchObject({ seq: store.state.seq, batch: store.state.feed.at(-1)?.batch, pushing: null });
    }
  });
});

describe('after a kill', () => {
  it('what was pushed is not taken for a change of others', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'));
    a.disk.save('one.md', 'edited\n');
    a.shared.touched('', 'one.md');
    let killed: SimulatedDisk | null = null;
    store.onCall(({ step }) => {
      if (step === 'committed') killed ??= a.disk.afterKill();
    });
    await a.shared.sync().catch(() => undefined);
    store.onCall(null);
    // The person goes on.
    killed!.save('one.md', 'edited again\n');
    const again = machineOf(store, 'a', killed!, { pid: 2 });
    await again.shared.sync();
    await meet(again);
    expect([again.disk.visible(), stored(store)]).toEqual([{ 'one.md': 'edited again\n' }, { 'one.md': 'edited again\n' }]);
    expect(again.said).toEqual([]);
  });

  it('what was pushed is in the history once, wherever the kill came', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'));
    a.disk.save('two.md', 'two\n');
    a.shared.touched('', 'two.md');
    let isPushed = false;
    store.onCall(({ step }) => void (isPushed ||= step === 'committed'));
    a.disk.onCall(({ method, path }) => {
      // The history has it, the mark not.
      if (isPushed && method === 'write' && path === CHECKPOINT_PATH) throw new Killed('the mark');
    });
    await a.shared.sync().catch(() => undefined);
    store.onCall(null);
    const again = machineOf(store, 'a', a.disk.afterKill(), { pid: 2 });
    await again.shared.sync();
    const external = again.shared.records.events.tail().filter(({ agent }) => agent === 'external');
    expect(external.map(({ path }) => path)).toEqual(['two.md']);
    expect(readCheckpoint(again.disk.files)).toMatchObject({ seq: 2, pushing: null });
  });

  it('what another process of the machine had pushed is in the history', async () => {
    const store = simulatedStore();
    const disk = simulatedDisk({});
    const [first, second] = [machineOf(store, 'a', disk), machineOf(store, 'a', disk, { pid: 2 })];
    await write(first, create('one.md'));
    await second.shared.sync();
    disk.save('two.md', 'two\n');
    second.shared.touched('', 'two.md');
    store.onCall(({ step }) => {
      if (step === 'committed') throw new RouxError('IO_ERROR', 'The process is gone.');
    });
    await second.shared.sync().catch(() => undefined);
    store.onCall(null);
    expect(operations(store).length).toBe(2);
    await meet(first);
    const external = first.shared.records.events.tail().filter(({ agent }) => agent === 'external');
    expect(external.map(({ path }) => path)).toEqual(['two.md']);
    expect(readCheckpoint(disk.files)).toMatchObject({ seq: 2, pushing: null });
    expect(disk.visible()).toEqual(stored(store));
  });

  it('what was moved here and merged is known by the mark', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b', simulatedDisk({}), { mayPush: () => false })];
    await write(a, create('one.md', 'a line\n'));
    await b.shared.sync();
    b.disk.move('one.md', 'renamed.md');
    await append(a, 'one.md', 'and another\n');
    await b.shared.sync();
    const moved = [{ from: 'one.md', to: 'renamed.md' }];
    expect([b.disk.visible(), readCheckpoint(b.disk.files)?.moved]).toEqual([{ 'renamed.md': 'a line\nand another\n' }, moved]);
    b.disk.save('renamed.md', 'all of it is new\n', 'rename');
    const again = machineOf(store, 'b', b.disk.afterKill(), { pid: 2 });
    await again.shared.sync();
    expect(operations(store).at(-1)).toBe('external edit rename renamed.md');
    expect([again.disk.visible(), stored(store)]).toEqual([{ 'renamed.md': 'all of it is new\n' }, { 'renamed.md': 'all of it is new\n' }]);
    // What went out is no move any more, also where another file gets the name.
    await a.shared.sync();
    await write(a, create('one.md', 'another file\n'));
    await again.shared.sync();
    expect(readCheckpoint(again.disk.files)?.moved).toEqual([]);
    expect(again.disk.visible()).toEqual(stored(store));
  });
});

describe('a write that goes through', () => {
  it('keeps the mark of the commit at which the folder is', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'));
    const at = { seq: 1, batch: store.state.feed[0]?.batch };
    await write(a);
    expect(readCheckpoint(a.disk.files)).toMatchObject(at);
    a.disk.save('two.md', 'two\n');
    a.shared.touched('', 'two.md');
    const seqs: unknown[] = [];
    a.disk.onCall(({ path }) => {
      if (path === 'three.md' && store.state.seq === 3) seqs.push(readCheckpoint(a.disk.files)?.seq);
    });
    await write(a, create('three.md'));
    a.disk.onCall(null);
    // The edit is in the folder before the write is.
    expect(new Set(seqs)).toEqual(new Set([2]));
    expect(readCheckpoint(a.disk.files)).toMatchObject({ seq: 3, batch: store.state.feed[2]?.batch });
  });

  it('says what of it could not be put into the folder', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('x/one.md'));
    lock(a.disk, 'x');
    const done = await write(a, create('free.md'), create('x/two.md'));
    expect(done).toMatchObject({ kind: 'done', warnings: [expect.stringContaining('not all of it in the folder of this machine')] });
    expect(Object.keys(a.disk.visible()).toSorted()).toEqual(['free.md', 'x/one.md']);
    expect(Object.keys(stored(store)).toSorted()).toEqual(['free.md', 'x/one.md', 'x/two.md']);
  });

  it('says nothing where what a person saved meanwhile could be merged', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a', simulatedDisk({}), { merge: ({ ours, theirs }) => Buffer.concat([ours, theirs]) });
    await write(a, create('one.md', '1\n'));
    let isSaved = false;
    store.onCall(({ step }) => {
      if (step === 'committed' && !isSaved) a.disk.save('one.md', 'saved\n');
      isSaved ||= step === 'committed';
    });
    const done = await append(a, 'one.md', '2\n');
    expect(done).toMatchObject({ kind: 'done', warnings: [], seq: expect.any(Number) as number });
    expect(a.disk.visible()).toEqual({ 'one.md': 'saved\n1\n2\n' });
  });

  it('is put into the folder soon where that failed at first', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a', simulatedDisk({}), { intervals: { push: 1, poll: 1e6, upkeep: 1e6 } });
    await write(a, create('x/one.md'));
    const { unlock } = lock(a.disk, 'x', 'ENOSPC');
    await write(a, create('x/two.md'));
    expect(a.disk.visible()).toEqual({ 'x/one.md': 'x/one.md\n' });
    unlock();
    await waitFor(() => a.disk.visible()['x/two.md'] !== undefined);
    await a.shared.close();
  });

  it('with a key that this machine alone remembers is answered from that', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    const ask = (path: string) =>
      a.shared.transact({ ...META, idempotencyKey: 'k', payloadHash: 'p' }, async () => ({ changes: [create(path)], answer: () => path }));
    await ask('one.md');
    // As in a store that was restored to an earlier moment.
    store.state.keys.clear();
    expect(await ask('two.md')).toEqual({ kind: 'repeated', answer: 'one.md' });
    expect(stored(store)).toEqual({ 'one.md': 'one.md\n' });
  });

  it('is made once nothing is brought in any more, and ends that where there is no turn', async () => {
    const told: string[] = [];
    const prefetch = { start: () => (told.push('begin'), async () => void told.push('end')), onNotice: () => false };
    const context = { prefetch, committer: {}, log: {}, onDelayed: () => undefined } as never;
    const session = (commitUnderLock: (run: (locked: object) => Promise<unknown>) => Promise<unknown>) =>
      ({
        shared: { isReadOnly: false, commitUnderLock },
        held: {},
        async pull() {
          told.push('pull');
          throw new Error('no more');
        },
      }) as never;
    await expect(
      writeThrough(
        session((run) => run({})),
        {} as never,
        context,
      ),
    ).rejects.toThrow('no more');
    expect(told.splice(0, 3)).toEqual(['begin', 'end', 'pull']);
    told.length = 0;
    await expect(
      writeThrough(
        session(async () => {
          throw new Error('away');
        }),
        {} as never,
        context,
      ),
    ).rejects.toThrow('away');
    expect(told).toEqual(['begin', 'end']);
  });
});

describe('what people edit', () => {
  it('and a tool finds is described as it is, without what the store has no more', async () => {
    const store = simulatedStore();
    const described: unknown[] = [];
    const notes: SharedStoreOptions['notes'] = {
      idOf: () => null,
      describe: ({ path, former, before, after }) => {
        described.push([path, former, before === null ? null : String(before.bytes), after === null ? null : String(after.bytes)]);
        return [{ node: path, path, action: 'external', changes: [] }];
      },
    };
    const a = machineOf(store, 'a', simulatedDisk({}), { notes });
    await write(a, create('one.md', 'one\n'), create('two.md', 'two\n'));
    await a.shared.transact(META, async (now) => {
      a.disk.save('one.md', 'saved\n');
      a.disk.save('new.md', 'new\n');
      return { changes: [await replace(now, 'one.md', '+'), await replace(now, 'new.md', '+')] };
    });
    expect(described.splice(0)).toEqual([
      ['one.md', 'one.md', 'one\n', 'saved\n'],
      ['new.md', null, null, 'new\n'],
    ]);
    store.state.blobs.delete(store.state.files.get('two.md')!.hash);
    a.disk.save('two.md', 'two, edited\n');
    await meet(a);
    expect(described).toEqual([['two.md', 'two.md', null, 'two, edited\n']]);
  });

  it('under a name that another file has just left is a new file', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('two.md'));
    a.disk.move('two.md', 'moved.md');
    a.shared.touched(null);
    await a.shared.transact(META, async (now) => {
      a.disk.save('two.md', 'another\n');
      return { changes: [await replace(now, 'two.md', 'written\n')] };
    });
    expect(operations(store).slice(1)).toEqual(['external edit rename moved.md', 'external edit create two.md', 'ada test update two.md']);
    expect(a.disk.visible()).toEqual(stored(store));
  });
});

describe('a store of a folder', () => {
  it('waits for git as long as a call says', async () => {
    const store = simulatedStore();
    const patience: number[] = [];
    const a = machineOf(store, 'a', simulatedDisk({}), { onGitWait: (milliseconds) => void patience.push(milliseconds) });
    await a.shared.transact({ ...META, patienceMs: 60_000 }, async () => ({ changes: [] }));
    await a.shared.transact(META, async () => ({ changes: [] }));
    expect(patience).toEqual([60_000, 5_000]);
  });

  it('tries again what is blocked where somebody touched its folder', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    await b.shared.sync();
    const { unlock } = lock(b.disk, 'x');
    await write(a, create('x/in.md'));
    await b.shared.sync();
    unlock();
    b.shared.touched('x');
    await b.shared.sync();
    expect(b.disk.visible()).toEqual({ 'x/in.md': 'x/in.md\n' });
  });

  it('that was never reached is not reached for at the end', async () => {
    let connects = 0;
    const store = simulatedStore();
    const a = machineOf(store, 'a', simulatedDisk({}), { connect: () => ((connects += 1), store.connect('a')) });
    await a.shared.close();
    expect(connects).toBe(0);
  });

  it('follows nothing after the end, and nothing is written', async () => {
    const store = simulatedStore();
    let asked = 0;
    const a = machineOf(store, 'a', simulatedDisk({}), { intervals: { push: 1, poll: 1, upkeep: 1e6 } });
    await a.shared.follow();
    await a.shared.close();
    store.onCall(() => void (asked += 1));
    await new Promise((resolve) => void setTimeout(resolve, 20));
    expect(asked).toBe(0);
    store.onCall(null);
    await expect(write(a, create('one.md'))).rejects.toBeInstanceOf(RouxError);
    expect(stored(store)).toEqual({});
  });
});
