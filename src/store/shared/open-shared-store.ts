import { joinPath } from '../../note/path.ts';
import { GIT_PATIENCE_MS } from '../open-folder-store.ts';
import { StoreReports } from '../reports.ts';
import { FolderSync } from './folder-sync.ts';
import { createStatCache } from './local/stat-cache.ts';
import { createPrefetch } from './prefetch.ts';
import { createPruning } from './prune-when-due.ts';
import type { Committer } from './push-edits.ts';
import type { SharedStore, SharedStoreOptions } from './shared-store.ts';
import type { SharedVectors } from './shared-vault.ts';
import { StoreConnection } from './store-connection.ts';
import { DEFAULT_INTERVALS, openSyncSchedule } from './sync-schedule.ts';
import { createWorkingCopy } from './working-copy.ts';
import type { WorkingCopy } from './working-copy.ts';
import { writeThrough } from './write-through.ts';

/** A process that ends does not wait longer for its last push; the next start finds those edits again. */
const LAST_PUSH_MS = 2_000;

/**
 * Opens the store of a vault that several machines share. Every write is committed to the database first, under the lock of the vault and on
 * its newest state, and then carried out in the folder (docs/architecture.md, Many machines). Reads are those of the folder.
 */
export function openSharedStore(options: SharedStoreOptions): SharedStore {
  const { folder, ports, machine, notes, mayPush, onTrouble, intervals = DEFAULT_INTERVALS } = options;
  const ended = new AbortController();
  const { signal } = ended;
  const reports = new StoreReports(ports);
  const copy = copyOf(options, (paths, warnings) => {
    for (const warning of warnings) reports.report([warning]);
    if (paths.length > 0) reports.listener.onChanged?.(paths);
  });
  const reportOnce = once((message) => reports.report([message]));
  const committer: Committer = { ports, machine, notes, mayPush, reportOnce };
  const connection = new StoreConnection(options.connect, signal);
  const pruning = createPruning({ everyMs: intervals.upkeep, log: ports.log });
  const folderSync = new FolderSync({ folder, copy, connection, committer, pruning, ports, onTrouble, signal });
  const prefetch = createPrefetch();
  const schedule = openSyncSchedule(intervals, { sync: (how) => folderSync.trySync(how), isBehind: () => folderSync.behind > 0 });

  const vectors = async (): Promise<SharedVectors> => {
    signal.throwIfAborted();
    return (await connection.get()).vectors;
  };

  return {
    ...folder,
    vectors: {
      get: async (...asked) => (await vectors()).get(...asked),
      findMissing: async (...asked) => (await vectors()).findMissing(...asked),
      put: async (...added) => (await vectors()).put(...added),
    },
    capabilities: () => ({ ...folder.capabilities(), isShared: true }),
    listen(listener) {
      reports.listener = listener;
      folder.listen(listener);
    },
    transact: (meta, prepare) =>
      folder.hold(meta, async (held) => {
        // A copy that follows is only a few commits behind, and pulls them under the lock of the vault.
        const isPulling = !folderSync.hasSynced || !schedule.isUpToDate;
        const session = await folderSync.openSession(held, meta.patienceMs ?? GIT_PATIENCE_MS, isPulling);
        const onDelayed = (): void => schedule.syncWithin(intervals.push);
        return writeThrough(session, { meta, prepare }, { committer, prefetch, log: ports.log, onDelayed });
      }),
    sync: () => folderSync.sync(),
    touched(name, file = null) {
      copy.local.markDirty(name, file);
      copy.blocked.retrySoon(name === null ? null : file === null ? name : joinPath(name, file));
      schedule.onEdit();
    },
    async follow() {
      connection.startNotices(() => {
        if (!prefetch.onNotice(folderSync.behind)) schedule.onNotice();
      });
      await schedule.start();
    },
    async close() {
      connection.stopNotices();
      await schedule.stop();
      const patience = new Promise<void>((resolve) => {
        setTimeout(resolve, LAST_PUSH_MS).unref();
      });
      if (copy.checkpoint.seq !== null) await Promise.race([folderSync.pushLast(), patience]);
      ended.abort();
      await (await connection.getIfOpen())?.close();
      await folder.close();
    },
  };
}

function copyOf({ folder, ports, merge, notes, copy = '' }: SharedStoreOptions, onApplied: WorkingCopy['onApplied']): WorkingCopy {
  return createWorkingCopy({
    files: folder.files,
    ports,
    merge,
    statCache: createStatCache(folder.cache),
    idOf: (path, bytes) => notes?.idOf(path, bytes) ?? null,
    copy,
    lastEvents: (bytes) => folder.records.events.tail(bytes),
    onApplied,
  });
}

/** Passes each message on once. */
function once(report: (message: string) => void): (message: string) => void {
  const reported = new Set<string>();
  return (message) => {
    if (reported.has(message)) return;
    reported.add(message);
    report(message);
  };
}
