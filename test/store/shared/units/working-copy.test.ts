import { describe, expect, it } from 'vitest';
import { readCheckpoint, CHECKPOINT_PATH } from '../../../../src/store/shared/checkpoint/checkpoint.ts';
import type { CommitFeed } from '../../../../src/store/shared/shared-vault.ts';
import { failure, simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import type { SimulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { simulatedStore } from '../../../support/simulated/simulated-store.ts';
import type { SimulatedStore } from '../../../support/simulated/simulated-store.ts';
import { create, machineOf, operations, replace, stored, write } from './machine.ts';
import type { Machine } from './machine.ts';

const append = (machine: Machine, path: string, text: string) =>
  machine.shared.transact({ operation: 'test', agent: 'ada' }, async (now) => ({ changes: [await replace(now, path, text)] }));
const meet = async ({ shared }: Machine): Promise<void> => {
  shared.touched(null);
  await shared.sync();
};
/** The history: agent and path of each event. */
const history = ({ shared }: Machine): readonly string[] => shared.records.events.tail().map(({ agent, path }) => `${agent} ${path}`);

/** Commits that another machine made, a new file each, all with the text of `like`. */
function commitMany(store: SimulatedStore, count: number, like: string): readonly string[] {
  const { state } = store;
  const { hash, size } = state.files.get(like)!;
  const last = state.feed.at(-1)!;
  return Array.from({ length: count }, (_, index) => {
    const path = `n${index}.md`;
    const event = [{ node: path, path, action: 'created', changes: [] }];
    state.seq += 1;
    state.files.set(path, { path, hash, size, seq: state.seq });
    state.feed.push({
      ...last,
      seq: state.seq,
      batch: `${last.batch.slice(0, -3)}${String(index).padStart(3, '0')}`,
      changes: [{ op: 'create', path, oldPath: null, before: null, hash, size, event }],
    });
    return path;
  });
}

/** Nothing can be written below a folder while this is not lifted. */
function lock(disk: SimulatedDisk, folder: string): () => void {
  let isLocked = true;
  disk.onCall(({ method, path }) => {
    if (isLocked && ['rename', 'link', 'create', 'remove', 'makeFolder'].includes(method) && path.startsWith(`${folder}/`))
      throw failure('EACCES', path);
  });
  return () => {
    isLocked = false;
  };
}

describe('a working copy', () => {
  it('keeps what the store cannot have, and says so once', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a', simulatedDisk({}), { otherwise: { blobs: { maxBytes: 4 } } });
    await a.shared.sync();
    a.disk.save('sub/large.md', 'large');
    a.disk.save('fits.md', 'fits');
    await meet(a);
    await meet(a);
    expect([stored(store), a.said]).toEqual([{ 'fits.md': 'fits' }, [expect.stringMatching(/^sub\/large\.md is not shared: it has 1 MB/)]]);
  });

  it('takes in pages of commits, and tells each as it was made', async () => {
    const store = simulatedStore();
    const asked: number[] = [];
    const a = machineOf(store, 'a');
    await write(a, create('one.md', 'x\n'));
    const real = await store.connect('b');
    const commitsAfter: CommitFeed['commitsAfter'] = async (seq, limit, how) => {
      if (limit === 200) asked.push(seq);
      return real.feed.commitsAfter(seq, limit, how);
    };
    const b = machineOf(store, 'b', simulatedDisk({}), { otherwise: { feed: { commitsAfter } } });
    await b.shared.sync();
    asked.length = b.changed.length = 0;
    const paths = commitMany(store, 205, 'one.md');
    await b.shared.sync();
    expect(asked).toEqual([1, 201]);
    expect(Object.keys(b.disk.visible()).length).toBe(206);
    expect(b.changed).toEqual(paths);
    expect(history(b)).toEqual(paths.map((path) => `ada ${path}`));
    expect(readCheckpoint(b.disk.files)).toMatchObject({
      seq: 206,
      batch: store.state.feed.at(-1)!.batch,
      pushing: null,
      unplaced: [],
      moved: [],
    });
    // Nothing is asked for twice.
    asked.length = 0;
    await b.shared.sync();
    expect(asked).toEqual([206]);
  });

  it('is compared with all files only where the commits after it are not known', async () => {
    const store = simulatedStore();
    const [a, calls] = [machineOf(store, 'a'), { listing: 0, filesAt: 0 }];
    await write(a, create('one.md'), create('two.md'));
    const real = await store.connect('b');
    const feed: Partial<CommitFeed> = {
      listing: () => ((calls.listing += 1), real.feed.listing()),
      filesAt: (seq) => ((calls.filesAt += 1), real.feed.filesAt(seq)),
    };
    const b = machineOf(store, 'b', simulatedDisk({}), { otherwise: { feed } });
    await b.shared.sync();
    expect(calls).toEqual({ listing: 1, filesAt: 0 });
    await append(a, 'one.md', 'more\n');
    await b.shared.sync();
    await b.shared.sync();
    expect(calls).toEqual({ listing: 1, filesAt: 0 });
    b.disk.save('mine.md', 'mine\n');
    await meet(b);
    await b.shared.close();
    // What was known at the end is known at the start.
    await append(a, 'two.md', 'more\n');
    const again = machineOf(store, 'b', b.disk.afterKill(), { pid: 2, otherwise: { feed } });
    await again.shared.sync();
    expect([calls, again.disk.visible()]).toEqual([{ listing: 1, filesAt: 0 }, stored(store)]);
    expect(again.said).toEqual([]);
  });

  it('brings several files back that were gone, but those that cannot be', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'), create('x/two.md'), create('x/three.md'));
    await a.shared.close();
    a.disk.remove('one.md');
    a.disk.remove('x/two.md');
    const disk = a.disk.afterKill();
    const unlock = lock(disk, 'x');
    const again = machineOf(store, 'a', disk, { pid: 2 });
    await again.shared.sync();
    expect(Object.keys(disk.visible()).toSorted()).toEqual(['one.md', 'x/three.md']);
    expect(again.said).toEqual([
      expect.stringMatching(/cannot be put there: x\/two\.md \(/),
      'Files that were gone from the folder when it was opened are back from the store: one.md.',
    ]);
    expect(readCheckpoint(disk.files)?.unplaced).toMatchObject([{ op: 'update', path: 'x/two.md' }]);
    // At the next start it is said again, and it is no deletion.
    const third = machineOf(store, 'a', disk, { pid: 3 });
    await third.shared.sync();
    expect(third.said).toEqual([expect.stringContaining('x/two.md (it could not be written here)')]);
    unlock();
    await meet(third);
    expect([disk.visible(), operations(store).length]).toEqual([stored(store), 1]);
    expect(readCheckpoint(disk.files)?.unplaced).toEqual([]);
  });

  it('tries all again that could not be put in place, as long as there are fewer each time', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    await write(a, create('one.md'));
    await b.shared.sync();
    const unlock = lock(b.disk, 'x');
    const names = Array.from({ length: 20 }, (_, index) => `x/n${index}.md`);
    await write(a, ...names.map((path) => create(path)), create('free.md'));
    await b.shared.sync();
    expect(Object.keys(b.disk.visible()).toSorted()).toEqual(['free.md', 'one.md']);
    expect(b.said).toEqual([expect.stringContaining('and 17 more')]);
    expect(b.troubles).toEqual([]);
    await write(a, create('x/later.md'), create('also free.md'));
    await meet(b);
    expect(b.said.length).toBe(2);
    expect(Object.keys(b.disk.visible()).length).toBe(3);
    unlock();
    b.changed.length = 0;
    // Somebody touched one of them: what was in its way may be gone.
    b.shared.touched('', 'free.md');
    await b.shared.sync();
    expect(b.changed).toEqual([]);
    b.shared.touched('x', 'n19.md');
    await b.shared.sync();
    expect(b.disk.visible()).toEqual(stored(store));
    expect(b.changed.toSorted()).toEqual([...names, 'x/later.md'].toSorted());
    // Every event once.
    expect(history(b).filter((line) => line.startsWith('ada')).length).toBe(
      store.state.feed.slice(1).flatMap(({ changes }) => changes).length,
    );
  });

  it('tells what its own writes did, and keeps nothing for the next start while something is left out', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    await write(a, create('x/one.md'));
    expect(a.told).toEqual(['n.md']);
    await b.shared.sync();
    b.disk.save('mine.md', 'mine\n');
    await meet(b);
    lock(b.disk, 'x');
    await append(a, 'x/one.md', 'more\n');
    await b.shared.sync();
    await b.shared.close();
    expect(b.disk.files.read('.roux/cache/shared.json')).toBe(null);
    a.disk.save('other.md', 'other\n');
    await meet(a);
    await a.shared.close();
    expect(a.disk.files.read('.roux/cache/shared.json')).not.toBe(null);
  });

  it('recognises a file by the id in it, whatever became of its name and text', async () => {
    const store = simulatedStore();
    const idOf = (_: string, bytes: Uint8Array): string | null => /id=(\w+)/.exec(String(bytes))?.[1] ?? null;
    const describe_ = ({ path }: { readonly path: string }) => [{ node: path, path, action: 'external' as const, changes: [] }];
    const a = machineOf(store, 'a', simulatedDisk({}), { notes: { idOf, describe: describe_ } });
    await write(a, create('one.md', 'id=1\n'));
    a.disk.remove('one.md');
    a.disk.save('two.md', 'id=1, and another text\n');
    await meet(a);
    expect(operations(store).at(-1)).toBe('external edit rename two.md');
  });

  it('moves with what somebody renamed, also after a start', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    await write(a, create('one.md'));
    await b.shared.sync();
    b.disk.move('one.md', 'renamed.md');
    await append(a, 'one.md', 'more\n');
    await b.shared.sync();
    expect(b.disk.visible()).toEqual({ 'renamed.md': 'one.md\nmore\n' });
    expect(stored(store)).toEqual({ 'renamed.md': 'one.md\nmore\n' });
    expect(operations(store).at(-1)).toBe('external edit rename renamed.md');
    expect(readCheckpoint(b.disk.files)?.moved).toEqual([]);
    await a.shared.sync();
    expect(a.disk.visible()).toEqual(stored(store));
  });
});

describe('the mark of a working copy', () => {
  const line = (value: object): string => `${JSON.stringify({ format: 1, ...value })}\n`;

  it('that is gone while it is followed is made by nobody', async () => {
    const store = simulatedStore();
    const [a, b] = [machineOf(store, 'a'), machineOf(store, 'b')];
    await write(a, create('one.md'));
    await b.shared.sync();
    b.disk.remove(CHECKPOINT_PATH);
    await append(a, 'one.md', 'more\n');
    await expect(b.shared.sync()).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    expect(readCheckpoint(b.disk.files)).toBe(null);
    expect(b.disk.visible()).toEqual({ 'one.md': 'one.md\n' });
  });

  it('of another vault is followed by nobody, and one that cannot be read or is another copy’s is written again', async () => {
    const store = simulatedStore();
    const a = machineOf(store, 'a');
    await write(a, create('one.md'));
    const own = readCheckpoint(a.disk.files)!;
    for (const text of ['torn', line({ ...own, copy: 'other', seq: 7 })]) {
      a.disk.save(CHECKPOINT_PATH, text);
      await a.shared.sync();
      expect(readCheckpoint(a.disk.files)).toEqual(own);
    }
    a.disk.save('two.md', 'two\n');
    await meet(a);
    expect(operations(store).slice(1)).toEqual(['external edit create two.md']);
    a.disk.save(CHECKPOINT_PATH, line({ ...own, vault: 'another' }));
    await expect(a.shared.sync()).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });

  it('of another process says how far the folder is, and what it was left without', async () => {
    const store = simulatedStore();
    const disk = simulatedDisk({});
    const [a, first, second] = [machineOf(store, 'a'), machineOf(store, 'b', disk), machineOf(store, 'b', disk, { pid: 2 })];
    await write(a, create('x/one.md'), create('two.md'));
    await first.shared.sync();
    await second.shared.sync();
    const unlock = lock(disk, 'x');
    await append(a, 'x/one.md', 'more\n');
    await append(a, 'two.md', 'more\n');
    await second.shared.sync();
    expect(second.said).toEqual([expect.stringContaining('x/one.md')]);
    // The first has it from the mark: what is there is no edit, and nothing goes out under the name.
    await meet(first);
    expect(first.said).toEqual([]);
    expect(disk.visible()).toEqual({ 'x/one.md': 'x/one.md\n', 'two.md': 'two.md\nmore\n' });
    await expect(append(first, 'x/one.md', 'by first\n')).rejects.toMatchObject({ code: 'CONFLICT' });
    unlock();
    await meet(second);
    expect(disk.visible()).toEqual(stored(store));
    await append(first, 'x/one.md', 'by first\n');
    expect(disk.visible()).toEqual(stored(store));
    expect(operations(store).length).toBe(4);
    const events = history(first).filter((said) => said.endsWith('n.md'));
    expect(events.length).toBe(store.state.feed.flatMap(({ changes }) => changes).length - 2);
  });
});
