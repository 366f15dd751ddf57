import type { FileState } from './folder/file-system.ts';
import type { EventDraft, HistoryAction, HistoryEvent } from './records/history-event.ts';

/** Reading waits no longer than this for another process that writes: what is put off is done with the next write. */
export const READ_PATIENCE_MS = 2_000;

/** One file of a store, as it was read. */
export interface StoredFile {
  /** The path of the file itself: where a symbolic link leads. */
  readonly path: string;
  readonly bytes: Buffer;
  /** sha-256 of the bytes, hex. */
  readonly hash: string;
  /** The asked name is a symbolic link to the file. */
  readonly isLinked: boolean;
  readonly state: FileState;
}

/** How a file is read. */
export interface ReadOptions {
  /** The hash of bytes that were seen whole before. */
  readonly known?: string | null;
  /**
   * What is done with a file that is too large to be written. `read`, unless said otherwise: it is read as far as anything is.
   * `refuse`: `TOO_LARGE`, by its size alone. `leave`: it is not read either; its hash stands for its size and time, and asking for its bytes
   * throws `TOO_LARGE`. A store that several machines share reads it even so, since others know it by its content.
   */
  readonly large?: 'read' | 'refuse' | 'leave';
  /** Of a large file so many bytes are read at most; without it 64 MB. */
  readonly maxBytes?: number;
}

/** One file of a transaction, against what was read of it. */
export type StoreChange = ChangedFile & {
  /** What the history says of it. */
  readonly events: readonly EventDraft[];
  /** The same for the change made on other bytes, when a person saved in between. */
  readonly describe: (before: Buffer, after: Buffer) => readonly EventDraft[];
};

/** What happens to a file. Paths are vault-relative. */
export type ChangedFile =
  /** A new file; `NODE_EXISTS` when the name, or a twin of it by case or Unicode form, is taken. */
  | {
      readonly kind: 'create';
      readonly path: string;
      readonly bytes: Uint8Array;
      /** The file whose mode and owner it gets; null: the default for new files. */
      readonly like?: Pick<FileState, 'mode' | 'uid' | 'gid'> | null;
      /** It was there before, so that it may be larger than what roux writes. */
      readonly isRestored?: boolean;
    }
  | (Rewrite & { readonly kind: 'replace'; readonly bytes: Uint8Array })
  /** `bytes` null: as they are. */
  | (Rewrite & { readonly kind: 'move'; readonly to: string; readonly bytes: Uint8Array | null })
  /** `trash`: restorable. `gone`: for good. */
  | { readonly kind: 'remove'; readonly of: StoredFile; readonly to: 'trash' | 'gone' };

interface Rewrite {
  readonly of: StoredFile;
  /** How the new bytes come from the old ones, JSON, for making the change again on newer bytes; null where only these will do. */
  readonly changes: readonly unknown[] | null;
  /** The changes may be made on whatever bytes are there. */
  readonly isCommutative: boolean;
}

/** Who asks for a transaction, and how a repeat is recognised. */
export interface TransactionMeta {
  readonly operation: string;
  readonly agent: string;
  readonly signal?: AbortSignal;
  /** Staging progress of large transactions. */
  readonly onProgress?: (done: number, total: number) => void;
  /** A repeat with the same key within 7 days writes nothing and gets the first answer, also after a restart. */
  readonly idempotencyKey?: string;
  /** Hash of what was asked for: the same key with another one is `IDEMPOTENCY_MISMATCH`. */
  readonly payloadHash?: string;
  /** How long in milliseconds to wait for others; without it as long as a writer waits. */
  readonly patienceMs?: number;
}

/** What a transaction starts from: the lock is held, leftovers are ended, nobody else writes. */
export interface Now {
  /** The last number of the history. */
  readonly seq: number;
  /** Paths that were written by others, or by recovery, since this process looked last; null when that cannot be told. */
  readonly news: readonly string[] | null;
  /** As the store's own `read`, at less cost. */
  readonly read: VaultStore['read'];
  /** Appends events of what others did without roux. */
  record(events: readonly EventDraft[], agent: string, hashOf: (event: EventDraft) => string | null): Promise<readonly HistoryEvent[]>;
}

/** What a transaction is to do. */
export interface Prepared {
  readonly changes: readonly StoreChange[];
  /** The answer as it is kept under an idempotency key, once the events are known. */
  readonly answer?: (done: { readonly batch: string | null; readonly events: readonly HistoryEvent[] }) => unknown;
  /** Folders that go with all below them once nothing is left in them. */
  readonly emptied?: readonly string[];
  /** Folders that files move out of, the innermost first: each goes where nothing at all is left in it. */
  readonly vacated?: readonly string[];
  /** Names and sizes are as others gave them, and files are replaced whatever their rights say: what another machine wrote is in the folder already. */
  readonly isTakenOver?: boolean;
  /** Whether a name that differs from a new one by case or Unicode form at most may be there; without it every folder is listed. */
  readonly mayHaveTwin?: (path: string) => boolean;
}

/** What a transaction did. */
export type Done =
  | {
      readonly kind: 'done';
      /** Null when nothing was to do. */
      readonly batch: string | null;
      readonly seq: number;
      readonly events: readonly HistoryEvent[];
      /** By change: the hash that its file has now, or null when it is gone. */
      readonly hashes: readonly (string | null)[];
      /** By change: the state in which its bytes were written, where they are what stands under its name; for not reading them again. */
      readonly staged: readonly (Pick<FileState, 'ino' | 'mtimeNs' | 'birthNs'> | null)[];
      /** Every path that the transaction touched, conflict copies included. */
      readonly paths: readonly string[];
      /** What the caller is told: a person saved while roux wrote. */
      readonly warnings: readonly string[];
    }
  /** The idempotency key was used before: nothing was written now. */
  | { readonly kind: 'repeated'; readonly answer: unknown };

/** One entry of the change feed. */
export interface StoreEvent {
  readonly seq: number;
  readonly path: string;
  /** First digits of the file's hash; null when it is gone. */
  readonly hash: string | null;
  readonly op: HistoryAction;
  readonly oldPath?: string;
}

/** What a store can do, for what is above it to ask. */
export interface Capabilities {
  /** Other machines may write at the same time. */
  readonly isShared: boolean;
  readonly isReadOnly: boolean;
}

/**
 * Where the bytes of a vault live: a folder now, a folder that follows a database for several machines later. One contract
 * suite holds for all (test/store/store-contract.test.ts). It knows paths and bytes, and no note. Transactions are all or nothing and
 * durable when they resolve; the feed of changes has no gaps and can be taken up again from any number.
 */
export interface VaultStore {
  /** A file in which nobody is in the middle of a save; null when there is none. */
  read(path: string, options?: ReadOptions): Promise<StoredFile | null>;
  /** Every file of the vault, not only notes, in the order of the folders; `prefix` limits the paths. */
  list(prefix?: string): AsyncIterable<{ readonly path: string; readonly hash: string }>;
  /**
   * Takes the lock, ends what a crash left, tells what others wrote, then asks `prepare` for the changes.
   * `prepare` may throw: nothing is written then.
   */
  transact(meta: TransactionMeta, prepare: (now: Now) => Promise<Prepared>): Promise<Done>;
  /** What was written after a sequence number, and then whatever is, until the signal. */
  changes(since: number, signal: AbortSignal): AsyncIterable<StoreEvent>;
  capabilities(): Capabilities;
}
