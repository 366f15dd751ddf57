import { errorMessage, RouxError } from '../../errors.ts';
import { joinPath } from '../../note/path.ts';
import { isoNow } from '../../ports.ts';
import type { StoreListener } from '../folder-store.ts';
import { GIT_PATIENCE_MS } from '../open-folder-store.ts';
import type { HeldStore } from '../transaction/transact.ts';
import { createStatCache } from './local/stat-cache.ts';
import { createPrefetch } from './prefetch.ts';
import { createPruning } from './prune-when-due.ts';
import type { Committer } from './push-edits.ts';
import type { SharedStore, SharedStoreOptions } from './shared-store.ts';
import type { SharedVault } from './shared-vault.ts';
import { StoreConnection } from './store-connection.ts';
import { DEFAULT_INTERVALS, openSyncSchedule } from './sync-schedule.ts';
import { SyncSession } from './sync-session.ts';
import { sync } from './sync.ts';
import { createWorkingCopy } from './working-copy.ts';
import type { WorkingCopy } from './working-copy.ts';
import { writeThrough } from './write-through.ts';

/** A process that ends waits no longer for its last push; the next start finds those edits again. */
const LAST_PUSH_MS = 2_000;

/**
 * Opens the store of a vault that several machines share. Every write is committed to the database first, under the row of the vault and on
 * its newest state, and then carried out in the folder (docs/architecture.md, Many machines). Reads are those of the folder.
 */
export function openSharedStore(options: SharedStoreOptions): SharedStore {
  const { folder, ports, mayPush, intervals = DEFAULT_INTERVALS } = options;
  const ended = new AbortController();
  let listener: Partial<StoreListener> = {};
  const report = (message: string): void => {
    ports.log.warn(message);
    listener.onReport?.(message);
  };
  const copy = copyOf(options, (paths, warnings) => {
    for (const warning of warnings) report(warning);
    if (paths.length > 0) listener.onChanged?.(paths);
  });
  const committer: Committer = { ports, machine: options.machine, notes: options.notes, mayPush, reportOnce: once(report) };
  const connection = new StoreConnection(options.connect, ended.signal);
  const prefetch = createPrefetch();
  const pruning = createPruning({ everyMs: intervals.upkeep, log: ports.log });
  /** When the last sync succeeded; null before the first. */
  let lastSynced: string | null = null;
  /** What was last reported about a folder that cannot follow. */
  let trouble: string | null = null;

  async function openSession(held: HeldStore, patienceMs: number, isPulling = true): Promise<SyncSession> {
    const entered = await held.enter(patienceMs);
    const session = new SyncSession(copy, held, entered, await connection.get());
    await session.attach();
    if (isPulling || copy.checkpoint.seq === null) await session.pull();
    return session;
  }

  const syncNow = (isPushing = true): Promise<void> =>
    folder.hold({ signal: ended.signal }, async (held) => {
      const before = copy.checkpoint.seq;
      const session = await openSession(held, GIT_PATIENCE_MS);
      await sync(session, { isPushing, hasAdvanced: copy.checkpoint.seq !== before, committer, signal: ended.signal });
    });

  /** Files that are not in the cache are only read again at the next start. */
  const saveStatCache = async (shared: SharedVault, how: { readonly isLast?: boolean } = {}): Promise<void> => {
    const { seq, batch } = copy.checkpoint;
    // The cache holds what the store has: of all files, or it is not saved.
    if (seq === null || copy.blocked.changes.length > 0) return;
    await copy.statCache
      .save(copy.local, shared, { seq, batch }, how)
      .catch((error: unknown) => ports.log.info(`What is known of the folder is not kept: ${errorMessage(error)}`));
  };

  async function trySync({ isPushing }: { readonly isPushing: boolean }): Promise<void> {
    if (connection.newestSeq === Infinity) connection.newestSeq = 0;
    try {
      await syncNow(isPushing);
      lastSynced = isoNow(ports.clock);
      trouble = copy.blocked.message;
      options.onTrouble(trouble);
      const shared = await connection.get();
      pruning.runIfDue(shared);
      await saveStatCache(shared);
    } catch (error) {
      if (ended.signal.aborted) return;
      const message = describeTrouble(error, lastSynced);
      if (message !== trouble) ports.log.warn(message);
      trouble = message;
      options.onTrouble(message);
    }
  }
  const isBehind = (): boolean => copy.checkpoint.seq === null || connection.newestSeq > copy.checkpoint.seq;
  const schedule = openSyncSchedule(intervals, { sync: trySync, isBehind });

  async function pushLast(): Promise<void> {
    if (copy.local.isDirty) await syncNow().catch(() => undefined);
    const shared = await connection.getIfOpen();
    if (shared !== undefined) await saveStatCache(shared, { isLast: true });
  }

  return {
    ...folder,
    capabilities: () => ({ ...folder.capabilities(), isShared: true }),
    listen(next) {
      listener = next;
      folder.listen(next);
    },
    transact: (meta, prepare) =>
      folder.hold(meta, async (held) => {
        // A copy that follows is only a few commits behind, and pulls them under the row.
        const isPulling = lastSynced === null || !schedule.isUpToDate;
        const session = await openSession(held, meta.patienceMs ?? GIT_PATIENCE_MS, isPulling);
        const onDelayed = (): void => schedule.syncWithin(intervals.push);
        return writeThrough(session, { meta, prepare }, { committer, prefetch, log: ports.log, onDelayed });
      }),
    sync: () => syncNow(),
    touched(name, file = null) {
      copy.local.markDirty(name, file);
      copy.blocked.retrySoon(name === null ? null : file === null ? name : joinPath(name, file));
      schedule.onEdit();
    },
    async follow() {
      connection.startNotices(() => {
        if (isBehind() && !prefetch.onNotice(connection.newestSeq - (copy.checkpoint.seq ?? 0))) schedule.onNotice();
      });
      await schedule.start();
    },
    async close() {
      connection.stopNotices();
      await schedule.stop();
      const patience = new Promise<void>((resolve) => {
        setTimeout(resolve, LAST_PUSH_MS).unref();
      });
      if (copy.checkpoint.seq !== null) await Promise.race([pushLast(), patience]);
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

function describeTrouble(error: unknown, lastSynced: string | null): string {
  if (!(error instanceof RouxError) || error.code !== 'STORE_UNAVAILABLE')
    return `The folder cannot follow the store of this vault: ${errorMessage(error)}`;
  const since = lastSynced === null ? 'as the folder was when roux started' : `as of ${lastSynced.slice(0, 19)}Z`;
  return `The store of this vault cannot be reached: what is read is ${since}, tools cannot write, and what people edit is kept in the folder until it can.`;
}
