import { setTimeout } from 'node:timers/promises';
import { errorMessage, RouxError, systemCode } from '../errors.ts';
import { isIgnoredName, isTooFar, joinPath } from '../note/path.ts';
import type { FolderStore, FolderStoreOptions } from './folder-store.ts';
import type { FileReader } from './folder/file-system.ts';
import { hashOf } from './folder/hash.ts';
import { holdWhileRunning } from './folder/hold-while-running.ts';
import { listAllowed, toStoreError } from './folder/system-error.ts';
import { LockedStore } from './locked-store.ts';
import { openCacheFiles } from './records/cache-files.ts';
import { followEvents } from './records/feed.ts';
import { clearHome, listObstacles, makeHome, protectHome } from './records/home.ts';
import { createReplayCache } from './records/replay-cache.ts';
import { findInTrash, removeFromTrash, listTrash, readFromTrash } from './records/trash.ts';
import { makeParts, readFrom, runLocked } from './store-parts.ts';
import type { StoreParts } from './store-parts.ts';
import { READ_PATIENCE_MS } from './store.ts';
import type { Done, Now, Prepared, TransactionMeta } from './store.ts';
import { isIntent } from './transaction/intent.ts';
import { isIntentName, JOURNAL, openJournal } from './transaction/journal.ts';
import { recoverLeftovers } from './transaction/recover.ts';
import { isSpareName, TMP } from './transaction/replace-file.ts';
import { unknownOutcome } from './transaction/rollback.ts';
import { openSetAsides } from './transaction/set-aside.ts';
import type { HeldStore, Wait } from './transaction/transact.ts';
import type { UnderLock } from './transaction/under-lock.ts';

/** Longest wait of a write for git; the caller can wait for longer checkouts. */
export const GIT_PATIENCE_MS = 5_000;

/** Opens the store in a folder. Touches nothing until it is used. */
export function openFolderStore(options: FolderStoreOptions): FolderStore {
  const { files, ports, isReadOnly, trashDays } = options;
  const parts = makeParts(options);
  const { reports, folder, origin, records, keys, batches, texts, external, secondLooks, compaction } = parts;
  return {
    files,
    records: {
      events: records.events,
      lastSeq: () => Math.max(records.events.lastSeq, records.unlockedEvents.lastSeq),
      batches,
      texts,
      trash: {
        list: () => listTrash(files),
        find: (reference) => findInTrash(files, reference),
        read: (entry) => readFromTrash(files, entry),
        remove: (entries) => removeFromTrash(files, entries, (entry) => batches.keepRemoved(entry)),
      },
    },
    upkeep: {
      setAsides: openSetAsides(files, origin),
      leftovers: () => listAllowed(files, JOURNAL).flatMap(({ name, kind }) => (kind === 'folder' ? [] : [name])),
      listObstacles: () => listObstacles(files),
      async check() {
        const { checkRecords } = await import('./records/check/check-records.ts');
        return await checkRecords({ files: holdWhileRunning(files), origin, now: () => ports.clock.now(), trashDays });
      },
      repair: () => repair(parts),
      compact: () => compaction.run(),
    },
    read: (path, how) => readFrom(options, files, path, how),
    cache: openCacheFiles(files, origin, { newId: () => ports.newId(), onFailure: (message) => ports.log.info(message) }),
    listen(next) {
      reports.listener = next;
    },
    capabilities: () => ({ isShared: false, isReadOnly }),
    externalChanges: () => external.poll(),
    replayCache: createReplayCache(keys, records, (task) => folder.run(task)),
    waitForWrites: createWriteWait(files),
    list: (prefix) => listFiles(files, prefix),
    hold: (wait, task) => hold(parts, wait, task),
    transact: (meta, prepare) => transact(parts, meta, prepare),
    changes: (since, signal) => followEvents(records.events, since, signal),
    recover: () => recover(parts),
    refuseWaiting: (reason) => folder.refuseWaiting(reason),
    async close() {
      await compaction.close();
      await folder.close();
      await secondLooks.close();
    },
  };
}

/** Runs a task under the lock and converts its errors to store errors. */
async function hold<T>(parts: StoreParts, { signal, patienceMs }: Wait, task: (held: HeldStore) => Promise<T>): Promise<T> {
  try {
    const wait = { ...(signal === undefined ? {} : { signal }), ...(patienceMs === undefined ? {} : { timeoutMs: patienceMs }) };
    const result = await runLocked(parts, (under, either) => task(new LockedStore(parts, under, either)), wait);
    if (parts.options.isReadOnly) return result;
    parts.pruning.run();
    parts.compaction.soon();
    return result;
  } catch (error) {
    throw toStoreError(error, signal);
  }
}

async function transact(parts: StoreParts, meta: TransactionMeta, prepare: (now: Now) => Promise<Prepared>): Promise<Done> {
  try {
    return await hold(parts, meta, async (held) => {
      const now = await held.enter(meta.patienceMs ?? GIT_PATIENCE_MS);
      const planned = await held.plan(meta, now, prepare);
      return planned.kind === 'repeated' ? planned : held.carryOut(planned);
    });
  } catch (error) {
    if (meta.idempotencyKey === undefined || (error instanceof RouxError && error.code === 'UNKNOWN_OUTCOME')) throw error;
    throw findUnknownOutcome(parts, meta.idempotencyKey, error) ?? error;
  }
}

/** Returns the error for a failed call that repeats an earlier one which may still take effect; null if that is impossible. */
function findUnknownOutcome({ options, origin }: StoreParts, key: string, cause: unknown): RouxError | null {
  try {
    const { intents, torn } = openJournal(options.files, origin).read();
    const begun = intents.find(({ isAborted, isOurs, intent }) => !isAborted && isOurs && isIntent(intent) && intent.key?.key === key);
    if (begun !== undefined) return unknownOutcome(begun.id, cause);
    if (torn.length === 0) return null;
  } catch (error) {
    if (systemCode(error) === null) throw error;
  }
  const message = `It is not known whether an earlier attempt of this call has an effect: .roux/journal cannot be read (${errorMessage(cause)}). With an idempotency_key, repeat it later with the same one; else look before you repeat it.`;
  return new RouxError('UNKNOWN_OUTCOME', message, {}, { cause });
}

async function recover(parts: StoreParts): Promise<readonly string[]> {
  const { options, reports, origin, records } = parts;
  const { files, ports, isReadOnly, isSynced } = options;
  try {
    records.unlockedEvents.poll();
    if (!isReadOnly) {
      reports.report(clearHome(files, () => ports.newId()));
      protectHome(files);
    }
    const { intents, torn, abandoned } = openJournal(files, origin).read();
    const isClean = intents.length + torn.length + abandoned.length === 0 && !(files.list(TMP) ?? []).some(({ name }) => isSpareName(name));
    if (isReadOnly || isClean) {
      records.events.poll();
      return [];
    }
    const task = async (under: UnderLock): Promise<readonly string[]> => {
      await makeHome(under.files, isSynced);
      const recovery = await recoverLeftovers(under, { isStart: true });
      records.events.poll();
      reports.reportRecovery(recovery);
      return recovery.paths;
    };
    return await runLocked(parts, task, { timeoutMs: READ_PATIENCE_MS });
  } catch (error) {
    throw toStoreError(error);
  }
}

function repair(parts: StoreParts): Promise<readonly string[]> {
  const { options, reports, records } = parts;
  return runLocked(parts, async (under) => {
    await makeHome(under.files, options.isSynced);
    const recovery = await recoverLeftovers(under, { isStart: true });
    reports.reportRecovery(recovery);
    const repairs = [await records.events.repair(), await records.keys.repair()];
    return [...recovery.notices, ...recovery.reports, ...repairs.filter((text) => text !== null)];
  });
}

/** Longest wait for writes that may explain why a note was found under two names, or none. */
const MAX_WAIT_MS = 2_000;
const POLL_MS = 5;

/**
 * Creates a function that waits until the writes of any process that are under way when it is called are finished, and returns whether
 * there were any.
 */
function createWriteWait(files: Pick<FileReader, 'list'>): () => Promise<boolean> {
  /** Intents that a crash ignored or that took too long, which are not waited for again. */
  let ignored: ReadonlySet<string> = new Set();
  const listIntents = (): readonly string[] =>
    listAllowed(files, JOURNAL)
      .map(({ name }) => name)
      .filter((name) => isIntentName(name) && !ignored.has(name));
  return async () => {
    const pending = listIntents();
    const end = performance.now() + MAX_WAIT_MS;
    while (listIntents().some((name) => pending.includes(name))) {
      if (performance.now() > end) ignored = new Set(listIntents());
      else await setTimeout(POLL_MS);
    }
    return pending.length > 0;
  };
}

/** Yields every file that is not hidden, in folder order, with its hash. */
export async function* listFiles(files: FileReader, prefix = ''): AsyncGenerator<{ readonly path: string; readonly hash: string }> {
  for (const path of pathsBelow(files, '')) {
    const found = path.startsWith(prefix) ? files.read(path) : null;
    if (found !== null) yield { path, hash: hashOf(found.bytes) };
  }
}

function* pathsBelow(files: FileReader, folder: string): Generator<string> {
  for (const { name, kind } of files.list(folder) ?? []) {
    if (isIgnoredName(name)) continue;
    const path = joinPath(folder, name);
    if (isTooFar(path)) continue;
    if (kind === 'folder') yield* pathsBelow(files, path);
    else if (kind === 'file') yield path;
  }
}
