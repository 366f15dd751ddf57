import type { Ports } from '../ports.ts';
import type { FileSystem } from './folder/file-system.ts';
import type { GitActivity } from './folder/git.ts';
import type { ProcessIdentity } from './folder/process-identity.ts';
import type { Batches } from './records/batches.ts';
import type { CacheFiles } from './records/cache-files.ts';
import type { RecordCheck } from './records/check/record-fault.ts';
import type { HistoryEvent } from './records/history-event.ts';
import type { Records } from './records/records.ts';
import type { ReplayCache } from './records/replay-cache.ts';
import type { readFromTrash, TrashEntry } from './records/trash.ts';
import type { VaultStore } from './store.ts';
import type { SetAsides } from './transaction/set-aside.ts';
import type { HeldStore, Wait } from './transaction/transact.ts';
import type { Reapply } from './transaction/under-lock.ts';

/** What a store in a folder is opened with. */
export interface FolderStoreOptions {
  readonly files: FileSystem;
  readonly ports: Ports;
  readonly self: ProcessIdentity;
  readonly git: Pick<GitActivity, 'waitUntilDone'>;
  readonly reapply: Reapply;
  readonly isReadOnly: boolean;
  /** Files are known to others by their content, so that large ones have to be read too. */
  readonly isShared?: boolean;
  /** False: a power loss may take the last seconds of writing. */
  readonly isSynced: boolean;
  /** After so many days a removed file leaves the trash; 0: never. */
  readonly trashDays: number;
}

/** Who hears of what happens in a store between the calls. */
export interface StoreListener {
  /** Events were appended, by this process or another. */
  onEvents(events: readonly HistoryEvent[]): void;
  /** Files changed without a transaction of this process: conflict copies that were made later. */
  onChanged(paths: readonly string[]): void;
  /** Something that a person should look at: what was found and put aside. */
  onReport(message: string): void;
}

/** The store that is a folder of files, with what only a folder keeps. */
export interface FolderStore extends VaultStore {
  readonly files: FileSystem;
  readonly records: Pick<Records, 'events'>;
  readonly batches: Pick<Batches, 'read' | 'before' | 'displacedSince'>;
  readonly trash: {
    list(): readonly TrashEntry[];
    find(reference: string): readonly TrashEntry[];
    read(entry: TrashEntry): ReturnType<typeof readFromTrash>;
    leave(entries: readonly TrashEntry[]): void;
  };
  readonly setAsides: SetAsides;
  /** Files that are made anew when they are lost. */
  readonly cache: CacheFiles;
  /** Who is told from now on; one listener. */
  listen(listener: StoreListener): void;
  /** Ends what a crash left unfinished, and notes where the history stands; call it before the first scan. Returns the files that it touched. */
  recover(): Promise<readonly string[]>;
  /** Paths that other processes wrote since it was last asked, or since the store was opened; null when that cannot be told. Waits for nothing. */
  news(): readonly string[] | null;
  readonly told: ReplayCache;
  readonly lastSeq: () => number;
  /** Waits until the writes are ended that are under way now, whoever writes; false when there are none. One that takes seconds, or was left by a crash, is not waited for. */
  writesEnded(): Promise<boolean>;
  /** Names in the journal: none when all is well. */
  leftovers(): readonly string[];
  /** What stood where folders of roux belong, under the names that it was given. */
  aside(): readonly string[];
  /** Several transactions, and what belongs between them, while no other process of this machine writes. */
  hold<T>(wait: Wait, task: (held: HeldStore) => Promise<T>): Promise<T>;
  /** Checks all that is kept in `.roux`, and writes nothing. */
  check(): Promise<RecordCheck>;
  /** Ends what a crash left: unfinished writes, and lines that are half written. Returns what it did, in words for people. */
  repair(): Promise<readonly string[]>;
  /** Puts what is kept of finished writes into less room, as far as it is old enough. */
  compact(): Promise<void>;
  /** Finishes what is queued. */
  close(): Promise<void>;
}
