import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { openFolderStore } from '../../../../src/store/open-folder-store.ts';
import { readCheckpoint } from '../../../../src/store/shared/checkpoint/checkpoint.ts';
import { FolderSync } from '../../../../src/store/shared/folder-sync.ts';
import type { CommitFeed, SharedVault } from '../../../../src/store/shared/shared-vault.ts';
import { StoreConnection } from '../../../../src/store/shared/store-connection.ts';
import { createWorkingCopy } from '../../../../src/store/shared/working-copy.ts';
import { simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../../support/simulated/simulated-process.ts';
import { overrideVault, simulatedStore } from '../../../support/simulated/simulated-store.ts';
import type { SimulatedStore } from '../../../support/simulated/simulated-store.ts';
import { testPorts } from '../../../support/test-ports.ts';
import { create, machineOf, operations, stored, write } from './machine.ts';

/** The sync of a folder that follows this store, with what it asked for and reported. */
function scene(store: SimulatedStore) {
  const disk = simulatedDisk({});
  const log: string[] = [];
  const ports = testPorts(log);
  const folder = openFolderStore({
    files: disk.files,
    ports,
    self: simulatedProcess(1),
    git: { waitUntilDone: async () => false },
    reapply: () => null,
    isReadOnly: false,
    isSynced: true,
    trashDays: 0,
  });
  const state = { fault: null as Error | null, saveFault: null as Error | null, beforeLock: async (): Promise<void> => undefined };
  const [troubles, pruned, said, asked]: [(string | null)[], string[], string[], string[]] = [[], [], [], []];
  const saved: unknown[] = [];
  const copy = createWorkingCopy({
    files: disk.files,
    ports,
    merge: () => null,
    statCache: {
      load: async () => null,
      async save(_, shared, at, how) {
        saved.push([shared.id, at.seq, how?.isLast ?? false]);
        if (state.saveFault !== null) throw state.saveFault;
      },
    },
    idOf: () => null,
    copy: 'b',
    lastEvents: (bytes) => folder.records.events.tail(bytes),
    onApplied: () => undefined,
  });
  const ended = new AbortController();
  const connection = new StoreConnection(async () => {
    if (state.fault !== null) throw state.fault;
    const vault = await store.connect('b');
    const commitUnderLock: SharedVault['commitUnderLock'] = async (run, how) => {
      asked.push('lock');
      await state.beforeLock();
      return vault.commitUnderLock(run, how);
    };
    const feed: Partial<CommitFeed> = {
      head: () => (asked.push('head'), vault.feed.head()),
      commitsAfter(seq, limit, how) {
        asked.push(`after ${seq}${how?.withContents === true ? ' with contents' : ''}`);
        return vault.feed.commitsAfter(seq, limit, how);
      },
    };
    const upload: SharedVault['blobs']['upload'] = (blobs, signal) => (asked.push('upload'), vault.blobs.upload(blobs, signal));
    return overrideVault(vault, { commitUnderLock, feed, blobs: { upload } });
  }, ended.signal);
  let holds = 0;
  const sync = new FolderSync({
    folder: { hold: (wait, task) => ((holds += 1), folder.hold(wait, task)) },
    copy,
    connection,
    committer: { ports, machine: 'b', notes: undefined, mayPush: () => true, reportOnce: (message) => void said.push(message) },
    pruning: { runIfDue: ({ id }) => void pruned.push(id) },
    ports,
    onTrouble: (message) => void troubles.push(message),
    signal: ended.signal,
  });
  const save = (path: string, text = `${path}\n`): void => {
    disk.save(path, text);
    copy.local.markDirty('', path);
  };
  const take = (): readonly string[] => asked.splice(0);
  return { store, disk, folder, log, state, troubles, pruned, said, saved, copy, ended, connection, sync, save, take, holds: () => holds };
}

const unavailable = (): RouxError => new RouxError('STORE_UNAVAILABLE', 'away');

describe('the sync of a folder', () => {
  it('reports why the folder cannot follow its store, and what was read last', async () => {
    const { sync, state, troubles, log, pruned, saved } = scene(simulatedStore());
    for (const [fault, message] of [
      [unavailable(), 'The store of this vault cannot be reached. Until it can, notes are read as the folder was when roux started, '],
      [new RouxError('IO_ERROR', 'full'), 'The folder cannot follow the store of this vault: full'],
      [new Error('broken'), 'The folder cannot follow the store of this vault: broken'],
    ] as const) {
      state.fault = fault;
      await expect(sync.sync()).rejects.toThrow(fault.message);
      for (let times = 0; times < 2; times += 1) await sync.trySync({ isPushing: true });
      expect(troubles.splice(0)).toEqual([expect.stringContaining(message), expect.stringContaining(message)]);
      // Said once.
      expect(log.splice(0)).toEqual([expect.stringContaining(message)]);
    }
    expect([sync.hasSynced, pruned, saved]).toEqual([false, [], []]);
    state.fault = null;
    await sync.trySync({ isPushing: true });
    expect([sync.hasSynced, troubles.splice(0), log]).toEqual([true, [null], []]);
    expect([pruned, saved]).toEqual([['simulated'], [['simulated', 0, false]]]);
  });

  it('says since when a store is away, and that the cache of file states could not be saved', async () => {
    const { sync, state, store, troubles, log } = scene(simulatedStore());
    state.saveFault = new Error('no room');
    await sync.trySync({ isPushing: true });
    expect([troubles.splice(0), log.splice(0)]).toEqual([[null], ['The cache of file states could not be saved: no room']]);
    store.onCall(() => {
      throw unavailable();
    });
    await sync.trySync({ isPushing: true });
    expect(troubles).toEqual([expect.stringMatching(/notes are read as of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, /)]);
    expect(sync.hasSynced).toBe(true);
  });

  it('reports nothing once it was ended', async () => {
    const { sync, ended, state, troubles, log } = scene(simulatedStore());
    state.fault = unavailable();
    ended.abort();
    await sync.trySync({ isPushing: true });
    expect([troubles, log]).toEqual([[], []]);
  });

  it('knows by how many commits the folder is behind, as far as it was told', async () => {
    const store = simulatedStore();
    const { sync, connection } = scene(store);
    expect([sync.behind, connection.newestSeq]).toEqual([Infinity, 0]);
    await write(machineOf(store, 'a'), create('one.md'));
    await sync.trySync({ isPushing: true });
    expect([sync.behind, connection.newestSeq]).toEqual([0, 0]);
    connection.newestSeq = 1;
    expect(sync.behind).toBe(0);
    connection.newestSeq = 4;
    expect(sync.behind).toBe(3);
    await sync.trySync({ isPushing: true });
    expect(connection.newestSeq).toBe(4);
    // A notice that names no commit is answered by one sync.
    connection.newestSeq = Infinity;
    await sync.trySync({ isPushing: true });
    expect([sync.behind, connection.newestSeq]).toEqual([0, 0]);
  });

  it('asks the store for no more than it needs', async () => {
    const store = simulatedStore();
    const { sync, copy, disk, take, save, store: real } = scene(store);
    const a = machineOf(store, 'a');
    await sync.sync();
    take();
    await sync.sync();
    expect(take()).toEqual(['after 0 with contents', 'head']);
    await write(a, create('one.md'));
    await sync.sync();
    // What brought a commit is not behind a store that was restored.
    expect(take()).toEqual(['after 0 with contents']);
    copy.local.markDirty(null);
    await sync.sync();
    expect(take()).toEqual(['after 1 with contents', 'head']);
    save('mine.md');
    await sync.sync();
    expect(take()).toEqual(['after 1 with contents', 'head', 'lock']);
    save('large.md', 'x'.repeat(256 * 1024 + 1));
    await sync.sync();
    expect(take()).toEqual(['after 2 with contents', 'head', 'upload', 'lock']);
    expect(disk.visible()).toEqual(stored(real));
  });

  it('pushes only where that is asked for', async () => {
    const { sync, store, save } = scene(simulatedStore());
    await sync.sync();
    save('mine.md');
    await sync.trySync({ isPushing: false });
    expect(stored(store)).toEqual({});
    await sync.trySync({ isPushing: true });
    expect(stored(store)).toEqual({ 'mine.md': 'mine.md\n' });
  });

  it('pushes on what others commit until it has the lock', async () => {
    const { sync, state, store, disk, save } = scene(simulatedStore());
    const a = machineOf(store, 'a');
    await sync.sync();
    save('mine.md');
    state.beforeLock = async () => void (await write(a, create('theirs.md')));
    await sync.sync();
    expect(operations(store)).toEqual(['ada test create theirs.md', 'external edit create mine.md']);
    expect(disk.visible()).toEqual(stored(store));
  });

  it('leaves the checkpoint as it is where nothing could be pushed', async () => {
    const { sync, store, disk, save, said } = scene(simulatedStore());
    await write(machineOf(store, 'a'), create('Taken.md'));
    await sync.sync();
    const at = { seq: 1, batch: store.state.feed[0]?.batch };
    expect(readCheckpoint(disk.files)).toMatchObject(at);
    save('taken.md');
    await sync.sync();
    expect(said).toEqual([expect.stringContaining('taken.md stays on this machine')]);
    expect(readCheckpoint(disk.files)).toMatchObject(at);
  });

  it('pulls for a session where that is asked for', async () => {
    const { sync, folder, take } = scene(simulatedStore());
    await sync.sync();
    take();
    await folder.hold({}, (held) => sync.openSession(held, 0, false));
    expect(take()).toEqual([]);
    await folder.hold({}, (held) => sync.openSession(held, 0));
    expect(take()).toEqual(['after 0 with contents']);
  });

  it('pushes what was edited before the end, and nothing where nothing was', async () => {
    const { sync, store, save, saved, state, holds } = scene(simulatedStore());
    await sync.sync();
    expect([holds(), saved]).toEqual([1, []]);
    await sync.pushLast();
    expect([holds(), saved]).toEqual([1, [['simulated', 0, true]]]);
    save('mine.md');
    await sync.pushLast();
    expect([holds(), stored(store)]).toEqual([2, { 'mine.md': 'mine.md\n' }]);
    expect(saved.at(-1)).toEqual(['simulated', 1, true]);
    // Without its store nothing is known that could be kept.
    const away = scene(simulatedStore());
    state.fault = away.state.fault = unavailable();
    away.copy.checkpoint.seq = 1;
    await away.sync.pushLast();
    expect(away.saved).toEqual([]);
  });
});

describe('the connection of a working copy', () => {
  /** A store that is reached when that is said, with those who follow it. */
  function connectionScene() {
    const ended = new AbortController();
    const follows: { readonly tell: (seq: number | null) => void; readonly signal: AbortSignal }[] = [];
    let reach = (): void => undefined;
    let connects = 0;
    const shared = {
      followers: { follow: (tell: (seq: number | null) => void, signal: AbortSignal) => void follows.push({ tell, signal }) },
    } as never as SharedVault;
    const connection = new StoreConnection(() => {
      connects += 1;
      return new Promise((resolve) => (reach = () => resolve(shared)));
    }, ended.signal);
    return { connection, shared, follows, ended, reach: () => reach(), connects: () => connects };
  }

  it('follows the store once, whatever comes first', async () => {
    const early = connectionScene();
    let notices = 0;
    early.connection.startNotices(() => void (notices += 1));
    expect([early.follows, early.connects()]).toEqual([[], 0]);
    const got = early.connection.get();
    early.reach();
    expect([await got, early.follows.length]).toEqual([early.shared, 1]);
    const meanwhile = connectionScene();
    const getting = meanwhile.connection.get();
    meanwhile.connection.startNotices(() => undefined);
    meanwhile.reach();
    await getting;
    await meanwhile.connection.getIfOpen();
    expect(meanwhile.follows.length).toBe(1);
    const late = connectionScene();
    const first = late.connection.get();
    late.reach();
    await first;
    expect(late.follows).toEqual([]);
    late.connection.startNotices(() => void (notices += 1));
    await late.connection.getIfOpen();
    expect([late.follows.length, late.connects(), late.follows[0]?.signal]).toEqual([1, 1, late.ended.signal]);
    expect(notices).toBe(0);
  });

  it('does not follow it any more after the end', async () => {
    const { connection, follows, reach } = connectionScene();
    connection.startNotices(() => undefined);
    const got = connection.get();
    connection.stopNotices();
    reach();
    await got;
    expect(follows).toEqual([]);
  });

  it('knows the last commit of which it heard; one without a number may be any', async () => {
    const { connection, follows, reach } = connectionScene();
    let notices = 0;
    connection.startNotices(() => void (notices += 1));
    const got = connection.get();
    reach();
    await got;
    const { tell } = follows[0]!;
    expect(connection.newestSeq).toBe(0);
    tell(3);
    tell(2);
    expect([connection.newestSeq, notices]).toEqual([3, 2]);
    tell(null);
    expect([connection.newestSeq, notices]).toEqual([Infinity, 3]);
  });
});
