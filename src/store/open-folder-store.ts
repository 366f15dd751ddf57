import { errorMessage, RouxError, systemCode } from '../errors.ts';
import { openAwaitWrites } from './await-writes.ts';
import type { FileReader, HeldFileSystem } from './folder/file-system.ts';
import { holdWhileRunning } from './folder/hold-while-running.ts';
import { ifAllowed, listAllowed } from './folder/read-allowed.ts';
import { toStoreError } from './folder/system-error.ts';
import { openOrigin } from './origin.ts';
import { listFiles, readFile } from './read-files.ts';
import type { FolderStore, FolderStoreOptions, StoreListener } from './folder-store.ts';
import { openBatches } from './records/batches.ts';
import { openCacheFiles } from './records/cache-files.ts';
import { openCompaction } from './records/compact/compaction.ts';
import { followEvents, pathsOfEvent } from './records/feed.ts';
import type { HistoryEvent } from './records/history-event.ts';
import { clearHome, listAside, makeHome, protectHome } from './records/home.ts';
import { openKeys } from './records/keys.ts';
import { openPruning } from './records/pruning.ts';
import { openRecords } from './records/records.ts';
import type { Look } from './records/segments.ts';
import { openReplayCache } from './records/replay-cache.ts';
import { findInTrash, leaveTrash, listTrash, readFromTrash } from './records/trash.ts';
import { READ_PATIENCE_MS } from './store.ts';
import type { ReadOptions } from './store.ts';
import { openSecondLooks } from './transaction/conflict-copy.ts';
import { unknownOutcome } from './transaction/rollback.ts';
import { isIntent } from './transaction/intent.ts';
import { JOURNAL, openJournal } from './transaction/journal.ts';
import { openLock } from './transaction/lock/lock.ts';
import type { HeldLock } from './transaction/lock/lock.ts';
import { openWriteQueue } from './transaction/lock/queue.ts';
import { recoverLeftovers } from './transaction/recover.ts';
import type { Recovery } from './transaction/recover.ts';
import { isSpareName, TMP } from './transaction/replace-file.ts';
import { openSetAsides } from './transaction/set-aside.ts';
import { carryOut, plan, record, recordAs } from './transaction/transact.ts';
import type { Entered, HeldStore, Wait } from './transaction/transact.ts';
import type { UnderLock } from './transaction/under-lock.ts';

export type { FolderStore } from './folder-store.ts';

/** So much is told at once: who ships a journal decides how much there is to tell. */
const MAX_REPORTS = 20;
/** A write waits no longer for git: a checkout that takes longer is better waited for by whoever asked. */
export const GIT_PATIENCE_MS = 5_000;

/** The store in a folder. Touches nothing until it is asked to. */
export function openFolderStore(options: FolderStoreOptions): FolderStore {
  const { files, ports, isSynced, isReadOnly, reapply } = options;
  const isShared = options.isShared === true;
  const readFrom = (from: FileReader, path: string, how: ReadOptions = {}): ReturnType<typeof readFile> =>
    readFile(from, path, isShared && how.large === 'leave' ? { ...how, large: 'read' } : how);
  let current: HeldFileSystem | null = null;
  const running = holdWhileRunning(files, () => current);
  let listener: Partial<StoreListener> = {};
  const origin = openOrigin(files, ports);
  const keys = openKeys(() => records.keys, origin, ports.clock);
  const records = openRecords(
    running,
    { origin, isSynced },
    { onEvents: (events) => listener.onEvents?.(events), onKeys: (found) => keys.learn(found) },
  );
  const ownBatches = new Set<string>();
  const batches = openBatches(running, records, origin);
  // Apart from what a transaction holds: that the lock lies where others look for it is looked at anew each time.
  const lock = openLock({ files: holdWhileRunning(files), self: options.self, ports });
  const queue = openWriteQueue(lock, (error) => ports.log.error(`Giving the writer lock back failed: ${errorMessage(error)}`));
  const pruning = openPruning({ files: running, batches, ports, trashDays: options.trashDays });
  const compaction = openCompaction({
    files: running,
    origin,
    ports,
    underLock: (task) => underLock(({ files: held, lock: token }) => task(held, token), {}),
  });
  const looks = openSecondLooks({ files, isSynced, ports }, (paths, warnings) => {
    report(warnings);
    listener.onChanged?.(paths);
  });

  function report(all: readonly string[]): void {
    const more = all.length - MAX_REPORTS;
    const messages = more > 0 ? [...all.slice(0, MAX_REPORTS), `… and ${more} more like these; "roux doctor" tells of them.`] : all;
    for (const message of messages) {
      ports.log.warn(message);
      listener.onReport?.(message);
    }
  }

  const tell = ({ notices, reports }: Recovery): void => {
    for (const notice of notices) ports.log.warn(notice);
    report(reports);
  };

  /** Runs a task under the lock, in folders that are held; what stands where roux's own folders belong is put aside first. */
  async function underLock<T>(task: (under: UnderLock) => Promise<T>, wait: { signal?: AbortSignal; timeoutMs?: number }): Promise<T> {
    const run = (): Promise<T> =>
      queue.run(async (lock: HeldLock) => {
        const held = files.hold();
        current = held;
        try {
          return await task({ files: held, journal: openJournal(held, origin), records, ports, lock, reapply, isSynced });
        } finally {
          current = null;
          held.release();
        }
      }, wait);
    try {
      return await run();
    } catch (error) {
      if (!['ENOTDIR', 'ELOOP', 'EEXIST', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '')) throw error;
      const cleared = clearHome(files, () => ports.newId());
      if (cleared.length === 0) throw error;
      report(cleared);
      return await run();
    }
  }

  /** The store in the hands of one task: others of this machine wait. */
  const heldStore = (under: UnderLock): HeldStore => {
    // A transaction of this task failed, and some of it may be left: nothing is built on that.
    let hasFailed = false;
    const endWhatFailed = async (): Promise<void> => {
      if (!hasFailed) return;
      tell(await recoverLeftovers(under));
      under.records.events.look();
      hasFailed = false;
    };
    return {
      enter: (wait) => enter(under, wait),
      read: (path, how) => readFrom(under.files, path, how),
      async plan(meta, now, prepare) {
        await endWhatFailed();
        return await plan(under, { meta, now, prepare, keys, isReadOnly });
      },
      async carryOut(planned, how) {
        let done: Awaited<ReturnType<typeof carryOut>>;
        try {
          done = await carryOut(under, planned, { ...how, keys });
        } catch (error) {
          hasFailed = true;
          throw error;
        }
        if (done.displaced.length > 0) looks.after(done.displaced);
        if (done.batch !== null) ownBatches.add(done.batch);
        return done;
      },
      async recordAs(events) {
        await endWhatFailed();
        return await recordAs(under, events);
      },
    };
  };

  /** The error of a repeat that was refused while the call that it repeats may still happen; null where that cannot be. */
  function mayStillHappen(key: string, cause: unknown): RouxError | null {
    try {
      const { intents, torn } = openJournal(files, origin).look();
      const begun = intents.find(({ isAborted, isOurs, intent }) => !isAborted && isOurs && isIntent(intent) && intent.key?.key === key);
      if (begun !== undefined) return unknownOutcome(begun.id, cause);
      if (torn.length === 0) return null;
    } catch (error) {
      if (systemCode(error) === null) throw error;
    }
    const message = `Whether an earlier call with this idempotency_key was begun cannot be told: .roux/journal cannot be read (${errorMessage(cause)}). Repeat it with the same key later.`;
    return new RouxError('UNKNOWN_OUTCOME', message, {}, { cause });
  }

  /** Looks at what was appended to the history; a line that a crash left half written is repaired first. Under the lock. */
  async function lookAtEvents(): Promise<Pick<Look<HistoryEvent>, 'lines' | 'isComplete'>> {
    const found = records.events.look();
    const repaired = found.isTorn ? await records.events.repair() : null;
    if (repaired === null) return found;
    report([repaired]);
    const more = records.events.look();
    return { lines: [...found.lines, ...more.lines], isComplete: found.isComplete && more.isComplete };
  }

  async function enter(under: UnderLock, wait: { patienceMs: number; signal?: AbortSignal | undefined }): Promise<Entered> {
    const hasMoved = await options.git.waitUntilDone(wait.patienceMs, wait.signal);
    await makeHome(under.files, isSynced);
    const recovery = await recoverLeftovers(under);
    tell(recovery);
    const { lines, isComplete } = await lookAtEvents();
    const news = [...new Set([...recovery.paths, ...lines.flatMap(pathsOfEvent)])];
    return {
      seq: records.events.lastSeq,
      news: isComplete && !hasMoved ? news : null,
      recorded: isComplete ? lines.flatMap(({ batch }) => batch ?? []) : null,
      read: (path, how) => readFrom(under.files, path, how),
      record: (events, agent, hashOfEvent) => record(under, { events, agent, hashOfEvent }),
    };
  }

  /** Runs a task in the hands of one, and gives its errors as the store's own. */
  async function hold<T>({ signal, patienceMs }: Wait, task: (held: HeldStore) => Promise<T>): Promise<T> {
    try {
      const wait = { ...(signal === undefined ? {} : { signal }), ...(patienceMs === undefined ? {} : { timeoutMs: patienceMs }) };
      const result = await underLock((under) => task(heldStore(under)), wait);
      if (isReadOnly) return result;
      pruning.run();
      compaction.soon();
      return result;
    } catch (error) {
      // Whoever cancels gives a reason of any kind.
      throw toStoreError(signal?.aborted === true && error === signal.reason ? new DOMException('', 'AbortError') : error);
    }
  }

  return {
    files,
    records,
    batches,
    read: (path, how) => readFrom(files, path, how),
    setAsides: openSetAsides(files, origin),
    cache: openCacheFiles(files, origin, { newId: () => ports.newId(), onFailure: (message) => ports.log.info(message) }),
    listen(next) {
      listener = next;
    },
    trash: {
      list: () => listTrash(files),
      find: (reference) => findInTrash(files, reference),
      read: (entry) => readFromTrash(files, entry),
      leave: (entries) => leaveTrash(files, entries, (entry) => batches.keepRemoved(entry)),
    },
    capabilities: () => ({ isShared: false, isReadOnly }),
    news() {
      // Where the history may not be read, nothing tells what others have written: everything is looked at.
      const { lines, isComplete } = ifAllowed(() => records.overheard.look(), { lines: [], isComplete: false });
      const others = lines.filter(({ batch }) => batch === undefined || !ownBatches.has(batch));
      for (const { batch } of lines) if (batch !== undefined) ownBatches.delete(batch);
      return isComplete ? [...new Set(others.flatMap(pathsOfEvent))] : null;
    },
    lastSeq: () => Math.max(records.events.lastSeq, records.overheard.lastSeq),
    told: openReplayCache(keys, records, (task) => underLock(task, {})),
    writesEnded: openAwaitWrites(files),
    leftovers: () => listAllowed(files, JOURNAL).flatMap(({ name, kind }) => (kind === 'folder' ? [] : [name])),
    aside: () => listAside(files),
    list: (prefix) => listFiles(files, prefix),
    hold,
    async transact(meta, prepare) {
      try {
        return await hold(meta, async (held) => {
          const now = await held.enter({ patienceMs: meta.patienceMs ?? GIT_PATIENCE_MS, signal: meta.signal });
          const planned = await held.plan(meta, now, prepare);
          return planned.kind === 'repeated' ? planned : held.carryOut(planned);
        });
      } catch (error) {
        if (meta.idempotencyKey === undefined || (error instanceof RouxError && error.code === 'UNKNOWN_OUTCOME')) throw error;
        throw mayStillHappen(meta.idempotencyKey, error) ?? error;
      }
    },
    changes: (since, signal) => followEvents(records.events, since, signal),
    async recover() {
      try {
        records.overheard.look();
        if (!isReadOnly) {
          report(clearHome(files, () => ports.newId()));
          protectHome(files);
        }
        const look = openJournal(files, origin).look();
        const isClean =
          look.intents.length + look.torn.length + look.abandoned.length === 0 &&
          !(files.list(TMP) ?? []).some(({ name }) => isSpareName(name));
        if (isReadOnly || isClean) {
          records.events.look();
          return [];
        }
        return await underLock(
          async (under) => {
            await makeHome(under.files, isSynced);
            const recovery = await recoverLeftovers(under);
            records.events.look();
            tell(recovery);
            return recovery.paths;
          },
          { timeoutMs: READ_PATIENCE_MS },
        );
      } catch (error) {
        throw toStoreError(error);
      }
    },
    async check() {
      const { checkRecords } = await import('./records/check/check-records.ts');
      return await checkRecords({ files: holdWhileRunning(files), origin, now: () => ports.clock.now(), trashDays: options.trashDays });
    },
    repair: () =>
      underLock(async (under) => {
        await makeHome(under.files, isSynced);
        const recovery = await recoverLeftovers(under);
        tell(recovery);
        const repairs = [await records.events.repair(), await records.keys.repair()];
        return [...recovery.notices, ...recovery.reports, ...repairs.filter((repair) => repair !== null)];
      }, {}),
    compact: () => compaction.run(),
    async close() {
      await compaction.close();
      await queue.close();
      await looks.close();
    },
  };
}
