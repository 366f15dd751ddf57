import type { RouxError } from '../errors.ts';
import type { Ports } from '../ports.ts';
import type { FileSystem } from './folder/file-system.ts';
import type { GitActivity } from './folder/git.ts';
import type { ProcessIdentity } from './folder/process-identity.ts';
import type { Batches } from './records/batches.ts';
import type { CacheFiles } from './records/cache-files.ts';
import type { RetainedTexts } from './records/compact/retained-texts.ts';
import type { RecordCheck } from './records/check/record-fault.ts';
import type { HistoryEvent } from './records/history-event.ts';
import type { Records } from './records/records.ts';
import type { ReplayCache } from './records/replay-cache.ts';
import type { readFromTrash, TrashEntry } from './records/trash.ts';
import type { VaultStore } from './store.ts';
import type { SetAsides } from './transaction/set-aside.ts';
import type { HeldStore, Wait } from './transaction/transact.ts';
import type { Reapply } from './transaction/under-lock.ts';

/** Options of `openFolderStore`. */
export interface FolderStoreOptions {
  readonly files: FileSystem;
  readonly ports: Ports;
  readonly self: ProcessIdentity;
  readonly git: Pick<GitActivity, 'waitUntilDone'>;
  readonly reapply: Reapply;
  readonly isReadOnly: boolean;
  /** Whether other machines know files by their content, so that large ones must be read too. */
  readonly isShared?: boolean;
  /** False: a power loss may lose the last seconds of writes. */
  readonly isSynced: boolean;
  /** Days after which a removed file leaves the trash; 0 for never. */
  readonly trashDays: number;
}

/** Receives what happens in a store between calls. */
export interface StoreListener {
  /** Events were appended, by this process or another. */
  onEvents(events: readonly HistoryEvent[]): void;
  /** Files changed without a transaction of this process: conflict copies made afterwards. */
  onChanged(paths: readonly string[]): void;
  /** Something that a person should look at, such as what was set aside. */
  onReport(message: string): void;
}

/** What a folder store has recorded in `.roux`. */
export interface StoreRecords extends Pick<Records, 'events'> {
  readonly lastSeq: () => number;
  readonly batches: Pick<Batches, 'read' | 'before' | 'displacedSince'>;
  readonly texts: RetainedTexts;
  readonly trash: {
    list(): readonly TrashEntry[];
    find(reference: string): readonly TrashEntry[];
    read(entry: TrashEntry): ReturnType<typeof readFromTrash>;
    remove(entries: readonly TrashEntry[]): void;
  };
}

/** What keeps `.roux` in order, and what is left in it. */
export interface StoreUpkeep {
  readonly setAsides: SetAsides;
  /** Returns the names in the journal; none in normal state. */
  leftovers(): readonly string[];
  /** Returns the new paths of files that were in the way of roux's own folders and were renamed. */
  listObstacles(): readonly string[];
  /** Checks all records in `.roux`, without writing. */
  check(): Promise<RecordCheck>;
  /** Ends unfinished writes and repairs half-written lines. Returns what it did, in words for people. */
  repair(): Promise<readonly string[]>;
  /** Compacts the records of finished writes that are old enough. */
  compact(): Promise<void>;
}

/** The store in a folder of files, with what only a folder has. */
export interface FolderStore extends VaultStore {
  readonly files: FileSystem;
  readonly records: StoreRecords;
  readonly upkeep: StoreUpkeep;
  /** Files that can be rebuilt when lost. */
  readonly cache: CacheFiles;
  /** Sets the only listener. */
  listen(listener: StoreListener): void;
  /**
   * Recovers unfinished writes and remembers the position in the history. Call it before the first scan. Returns the files that it changed.
   */
  recover(): Promise<readonly string[]>;
  /**
   * Returns the paths that other processes wrote since the last call, or since the store was opened; null when that is unknown. Does not
   * wait.
   */
  externalChanges(): readonly string[] | null;
  readonly replayCache: ReplayCache;
  /**
   * Waits until the writes under way, of any process, are finished; returns false when there were none. Does not wait for one that takes
   * seconds or was left by a crash.
   */
  waitForWrites(): Promise<boolean>;
  /** Runs a task of several transactions while no other process of this machine writes. */
  hold<T>(wait: Wait, task: (held: HeldStore) => Promise<T>): Promise<T>;
  /** Rejects the writes that wait for their turn or for the lock with this reason; one that has begun is finished. */
  refuseWaiting(reason: RouxError): void;
  /** Waits for queued work and closes the store. */
  close(): Promise<void>;
}
