import { errorMessage, RouxError, systemCode } from '../errors.ts';
import { createWriteWait } from './wait-for-writes.ts';
import type { FileReader, HeldFileSystem } from './folder/file-system.ts';
import { holdWhileRunning } from './folder/hold-while-running.ts';
import { ifAllowed, listAllowed } from './folder/read-allowed.ts';
import { toStoreError } from './folder/system-error.ts';
import { createOrigin } from './origin.ts';
import { listFiles, readFile } from './read-files.ts';
import type { FolderStore, FolderStoreOptions, StoreListener } from './folder-store.ts';
import { openBatches } from './records/batches.ts';
import { openCacheFiles } from './records/cache-files.ts';
import { Compaction } from './records/compact/compaction.ts';
import { followEvents, pathsOfEvent } from './records/feed.ts';
import type { HistoryEvent } from './records/history-event.ts';
import { clearHome, listObstacles, makeHome, protectHome } from './records/home.ts';
import { createKeys } from './records/keys.ts';
import { createPruning } from './records/pruning.ts';
import { openRecords } from './records/records.ts';
import type { PollResult } from './records/segments.ts';
import { createReplayCache } from './records/replay-cache.ts';
import { findInTrash, removeFromTrash, listTrash, readFromTrash } from './records/trash.ts';
import { READ_PATIENCE_MS } from './store.ts';
import type { ReadOptions } from './store.ts';
import { openSecondLooks } from './transaction/conflict-copy.ts';
import { unknownOutcome } from './transaction/rollback.ts';
import { isIntent } from './transaction/intent.ts';
import { JOURNAL, openJournal } from './transaction/journal.ts';
import { WriterLock } from './transaction/lock/lock.ts';
import { openWriteQueue } from './transaction/lock/queue.ts';
import type { TurnOptions } from './transaction/lock/queue.ts';
import { recoverLeftovers } from './transaction/recover.ts';
import type { Recovery } from './transaction/recover.ts';
import { isSpareName, TMP } from './transaction/replace-file.ts';
import { openSetAsides } from './transaction/set-aside.ts';
import { carryOut, plan, record, recordAs } from './transaction/transact.ts';
import type { Entered, HeldStore, Wait } from './transaction/transact.ts';
import type { UnderLock } from './transaction/under-lock.ts';

/** Reports shown at once: the number is otherwise up to whoever shipped the journal. */
const MAX_REPORTS = 20;
/** Longest wait of a write for git; the caller can wait for longer checkouts. */
export const GIT_PATIENCE_MS = 5_000;

/** Opens the store in a folder. Touches nothing until it is used. */
export function openFolderStore(options: FolderStoreOptions): FolderStore {
  const { files, ports, isSynced, isReadOnly, reapply } = options;
  const isShared = options.isShared === true;
  const readFrom = (from: FileReader, path: string, how: ReadOptions = {}): ReturnType<typeof readFile> =>
    readFile(from, path, isShared && how.large === 'leave' ? { ...how, large: 'read' } : how);
  let current: HeldFileSystem | null = null;
  const running = holdWhileRunning(files, () => current);
  let listener: Partial<StoreListener> = {};
  const origin = createOrigin(running, ports);
  const keys = createKeys(() => records.keys, origin, ports.clock);
  const records = openRecords(
    running,
    { origin, isSynced },
    { onEvents: (events) => listener.onEvents?.(events), onKeys: (found) => keys.add(found) },
  );
  const ownBatches = new Set<string>();
  const batches = openBatches(running, records, origin);
  const lock = new WriterLock({ files, self: options.self, ports });
  const queue = openWriteQueue(lock, (error) => ports.log.error(`Giving the writer lock back failed: ${errorMessage(error)}`));
  const pruning = createPruning({ files: running, batches, ports, trashDays: options.trashDays });
  const compaction = new Compaction({
    files: running,
    origin,
    ports,
    underLock: (task) => underLock(({ files: held, lock: token }) => task(held, token), {}),
  });
  const secondLooks = openSecondLooks({ files, isSynced, ports }, (paths, warnings) => {
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

  const reportRecovery = ({ notices, reports }: Recovery): void => {
    for (const notice of notices) ports.log.warn(notice);
    report(reports);
  };

  /** Runs a task under the lock with held folders. Whatever blocks roux's own folders is moved aside first. */
  async function underLock<T>(task: (under: UnderLock, signal: AbortSignal) => Promise<T>, wait: TurnOptions): Promise<T> {
    const run = (): Promise<T> =>
      queue.run(async (lock, signal) => {
        const held = lock.hold();
        current = held;
        try {
          return await task({ files: held, journal: openJournal(held, origin), records, ports, lock, reapply, isSynced }, signal);
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

  /** Creates the store for a task that holds the lock. */
  const heldStore = (under: UnderLock, signal: AbortSignal): HeldStore => {
    // A transaction of this task failed and must be recovered before the next one.
    let hasFailed = false;
    const recoverFailed = async (): Promise<void> => {
      if (!hasFailed) return;
      reportRecovery(await recoverLeftovers(under));
      under.records.events.poll();
      hasFailed = false;
    };
    return {
      signal,
      enter: (patienceMs) => enter(under, patienceMs, signal),
      read: (path, how) => readFrom(under.files, path, how),
      async plan(meta, now, prepare) {
        await recoverFailed();
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
        if (done.displaced.length > 0) secondLooks.after(done.displaced);
        if (done.batch !== null) ownBatches.add(done.batch);
        planned.prepared.whenDone?.(done, under.files);
        return done;
      },
      async recordAs(events) {
        await recoverFailed();
        return await recordAs(under, events);
      },
    };
  };

  /** Returns the error for a failed call that repeats an earlier one which may still take effect; null if that is impossible. */
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

  /** Reads new lines of the history under the lock, repairing a half-written last line first. */
  async function pollEvents(): Promise<Pick<PollResult<HistoryEvent>, 'lines' | 'isComplete'>> {
    const found = records.events.poll();
    const repaired = found.isTorn ? await records.events.repair() : null;
    if (repaired === null) return found;
    report([repaired]);
    const more = records.events.poll();
    return { lines: [...found.lines, ...more.lines], isComplete: found.isComplete && more.isComplete };
  }

  async function enter(under: UnderLock, patienceMs: number, signal: AbortSignal): Promise<Entered> {
    const hasMoved = await options.git.waitUntilDone(patienceMs, signal);
    await makeHome(under.files, isSynced);
    const recovery = await recoverLeftovers(under);
    reportRecovery(recovery);
    const { lines, isComplete } = await pollEvents();
    const news = [...new Set([...recovery.paths, ...lines.flatMap(pathsOfEvent)])];
    return {
      seq: records.events.lastSeq,
      externalChanges: isComplete && !hasMoved ? news : null,
      recorded: isComplete ? lines.flatMap(({ batch }) => batch ?? []) : null,
      read: (path, how) => readFrom(under.files, path, how),
      record: (events, agent, hashOfEvent) => record(under, { events, agent, hashOfEvent }),
    };
  }

  /** Runs a task under the lock and converts its errors to store errors. */
  async function hold<T>({ signal, patienceMs }: Wait, task: (held: HeldStore) => Promise<T>): Promise<T> {
    let ended = signal;
    try {
      const wait = { ...(signal === undefined ? {} : { signal }), ...(patienceMs === undefined ? {} : { timeoutMs: patienceMs }) };
      const result = await underLock((under, either) => task(heldStore(under, (ended = either))), wait);
      if (isReadOnly) return result;
      pruning.run();
      compaction.soon();
      return result;
    } catch (error) {
      throw toStoreError(error, ended);
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
      remove: (entries) => removeFromTrash(files, entries, (entry) => batches.keepRemoved(entry)),
    },
    capabilities: () => ({ isShared: false, isReadOnly }),
    externalChanges() {
      // Without permission to read the history it is unknown what others have written.
      const { lines, isComplete } = ifAllowed(() => records.unlockedEvents.poll(), { lines: [], isComplete: false });
      const others = lines.filter(({ batch }) => batch === undefined || !ownBatches.has(batch));
      for (const { batch } of lines) if (batch !== undefined) ownBatches.delete(batch);
      return isComplete ? [...new Set(others.flatMap(pathsOfEvent))] : null;
    },
    lastSeq: () => Math.max(records.events.lastSeq, records.unlockedEvents.lastSeq),
    replayCache: createReplayCache(keys, records, (task) => underLock(task, {})),
    waitForWrites: createWriteWait(files),
    leftovers: () => listAllowed(files, JOURNAL).flatMap(({ name, kind }) => (kind === 'folder' ? [] : [name])),
    listObstacles: () => listObstacles(files),
    list: (prefix) => listFiles(files, prefix),
    hold,
    async transact(meta, prepare) {
      try {
        return await hold(meta, async (held) => {
          const now = await held.enter(meta.patienceMs ?? GIT_PATIENCE_MS);
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
        records.unlockedEvents.poll();
        if (!isReadOnly) {
          report(clearHome(files, () => ports.newId()));
          protectHome(files);
        }
        const look = openJournal(files, origin).look();
        const isClean =
          look.intents.length + look.torn.length + look.abandoned.length === 0 &&
          !(files.list(TMP) ?? []).some(({ name }) => isSpareName(name));
        if (isReadOnly || isClean) {
          records.events.poll();
          return [];
        }
        return await underLock(
          async (under) => {
            await makeHome(under.files, isSynced);
            const recovery = await recoverLeftovers(under, { isStart: true });
            records.events.poll();
            reportRecovery(recovery);
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
        const recovery = await recoverLeftovers(under, { isStart: true });
        reportRecovery(recovery);
        const repairs = [await records.events.repair(), await records.keys.repair()];
        return [...recovery.notices, ...recovery.reports, ...repairs.filter((repair) => repair !== null)];
      }, {}),
    compact: () => compaction.run(),
    refuseWaiting: (reason) => queue.refuseWaiting(reason),
    async close() {
      await compaction.close();
      await queue.close();
      await secondLooks.close();
    },
  };
}
