import type { FileReader, FileState } from './folder/file-system.ts';
import type { EventDraft, HistoryAction, HistoryEvent } from './records/history-event.ts';

/** Longest wait of a read for another process that writes. What is skipped then is done by the next write. */
export const READ_PATIENCE_MS = 2_000;

/** A file as read from a store. */
export interface StoredFile {
  /** The real path, after following a symbolic link. */
  readonly path: string;
  readonly bytes: Buffer;
  /** sha-256 of the bytes, hex. */
  readonly hash: string;
  /** Whether the requested path is a symbolic link to the file. */
  readonly isLinked: boolean;
  readonly state: FileState;
}

export interface ReadOptions {
  /** Hash of content that was read completely before. */
  readonly known?: string | null;
  /**
   * How to treat a file that is too large to be written. `read` (the default): read it up to the general limit. `refuse`: throw `TOO_LARGE`
   * based on its size. `leave`: do not read it; its hash stands for its size and time, and accessing its bytes throws `TOO_LARGE`. A store
   * shared by several machines reads it anyway, since others know it by its content.
   */
  readonly large?: 'read' | 'refuse' | 'leave';
  /** Maximum number of bytes to read of a large file; 64 MB by default. */
  readonly maxBytes?: number;
}

/** One file of a transaction, relative to what was read of it. */
export type StoreChange = ChangedFile & {
  /** Events for the history. */
  readonly events: readonly EventDraft[];
  /** Returns the events for the change applied to other bytes, when a person saved in between. */
  readonly describe: (before: Buffer, after: Buffer) => readonly EventDraft[];
};

/** A change to a file. Paths are vault-relative. */
export type ChangedFile =
  /** A new file. `NODE_EXISTS` when the path, or one that differs only by case or Unicode form, is taken. */
  | {
      readonly kind: 'create';
      readonly path: string;
      readonly bytes: Uint8Array;
      /** Mode and owner; null for the defaults of new files. */
      readonly like?: Pick<FileState, 'mode' | 'uid' | 'gid'> | null;
      /** It was there before, so that it may be larger than what roux writes. */
      readonly isRestored?: boolean;
    }
  | (Rewrite & { readonly kind: 'replace'; readonly bytes: Uint8Array })
  /** `bytes` null: unchanged. */
  | (Rewrite & { readonly kind: 'move'; readonly to: string; readonly bytes: Uint8Array | null })
  /** `trash`: restorable. `gone`: permanently removed. */
  | { readonly kind: 'remove'; readonly of: StoredFile; readonly to: 'trash' | 'gone' };

interface Rewrite {
  readonly of: StoredFile;
  /** The changes as JSON, for applying them again to newer bytes; null when only these bytes will do. */
  readonly changes: readonly unknown[] | null;
  /** Whether the changes can be applied to any bytes. */
  readonly isCommutative: boolean;
}

/** The caller of a transaction, and how a repeat is recognized. */
export interface TransactionMeta {
  /** The operation's name. */
  readonly operation: string;
  readonly agent: string;
  readonly signal?: AbortSignal;
  /** Staging progress of large transactions. */
  readonly onProgress?: (done: number, total: number) => void;
  /** A repeat with the same key within 7 days writes nothing and gets the first answer, even after a restart. */
  readonly idempotencyKey?: string;
  /** The key is that of a call, which only a process of this machine repeats: it need not outlast a power cut, and is not synced. */
  readonly isCallKey?: boolean;
  /** Hash of the request; the same key with another hash is `IDEMPOTENCY_MISMATCH`. */
  readonly payloadHash?: string;
  /** Longest wait for other writers in milliseconds. */
  readonly patienceMs?: number;
}

/** The state in which a transaction starts: the lock is held, unfinished writes are recovered, and no other process writes. */
export interface Now {
  /** Last sequence number of the history. */
  readonly seq: number;
  /** Paths written by others, or by recovery, since this process last polled; null when unknown. */
  readonly externalChanges: readonly string[] | null;
  /** Like the store's own `read`, at less cost. */
  readonly read: VaultStore['read'];
  /** Appends events of changes made without roux. */
  record(events: readonly EventDraft[], agent: string, hashOf: (event: EventDraft) => string | null): Promise<readonly HistoryEvent[]>;
}

/** The changes of a transaction. */
export interface Prepared {
  readonly changes: readonly StoreChange[];
  /** Returns the answer to store under an idempotency key, once the events are known. */
  readonly answer?: (done: { readonly batch: string | null; readonly events: readonly HistoryEvent[] }) => unknown;
  /**
   * Called when the files are in place, while the lock is held; `files` reads them through the folders that are open. Not called if that has to
   * wait: the store of several machines has accepted the changes then.
   */
  readonly whenDone?: (done: Extract<Done, { kind: 'done' }>, files: FileReader) => void;
  /** Folders to remove with their subfolders once no file is left in them. */
  readonly emptied?: readonly string[];
  /** Folders that files move out of, innermost first; each is removed if completely empty. */
  readonly vacated?: readonly string[];
  /**
   * The changes were committed by another machine: names and sizes are accepted as they are, and files are replaced regardless of
   * permissions.
   */
  readonly isIncoming?: boolean;
  /** Returns whether a path may exist that differs from a new one at most by case or Unicode form. Without it every folder is listed. */
  readonly mayCollide?: (path: string) => boolean;
}

/** The result of a transaction. */
export type Done =
  | {
      readonly kind: 'done';
      /** Null when there was nothing to do. */
      readonly batch: string | null;
      readonly seq: number;
      readonly events: readonly HistoryEvent[];
      /** For each change, the present hash of its file; null when it was removed. */
      readonly hashes: readonly (string | null)[];
      /** For each change, the file state after writing, if that file has the name; avoids reading it again. */
      readonly staged: readonly (Pick<FileState, 'ino' | 'mtimeNs' | 'birthNs'> | null)[];
      /** Every path that the transaction changed, including conflict copies. */
      readonly paths: readonly string[];
      /** Warnings for the caller, such as that a person saved while roux wrote. */
      readonly warnings: readonly string[];
    }
  /** The idempotency key was used before, and nothing was written now. */
  | { readonly kind: 'repeated'; readonly answer: unknown };

/** One entry of the change feed. */
export interface StoreEvent {
  readonly seq: number;
  readonly path: string;
  /** Leading digits of the file's hash; null when it was removed. */
  readonly hash: string | null;
  readonly op: HistoryAction;
  readonly oldPath?: string;
}

/** Capabilities of a store, for the layers above. */
export interface Capabilities {
  /** Whether other machines may write at the same time. */
  readonly isShared: boolean;
  readonly isReadOnly: boolean;
}

/**
 * Where the bytes of a vault live: a folder, or a folder that follows a database for several machines. One contract suite covers both
 * (test/store/store-contract.test.ts). It knows paths and bytes but no notes. Transactions are all or nothing and durable when they
 * resolve; the feed of changes has no gaps and can be resumed from any sequence number.
 */
export interface VaultStore {
  /** Reads a file that is not in the middle of a save; null when there is none. */
  read(path: string, options?: ReadOptions): Promise<StoredFile | null>;
  /** Yields every file of the vault, not only notes, in folder order; `prefix` limits the paths. */
  list(prefix?: string): AsyncIterable<{ readonly path: string; readonly hash: string }>;
  /**
   * Takes the lock, recovers unfinished writes, passes on what others wrote, then calls `prepare` for the changes. Nothing is written if
   * `prepare` throws.
   */
  transact(meta: TransactionMeta, prepare: (now: Now) => Promise<Prepared>): Promise<Done>;
  /** Yields the changes after a sequence number, then new ones, until the signal aborts. */
  changes(since: number, signal: AbortSignal): AsyncIterable<StoreEvent>;
  capabilities(): Capabilities;
}
