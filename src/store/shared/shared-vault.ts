/** The default limit on the bytes of a file of a shared vault. */
export const MAX_FILE_BYTES = 100 * 1024 * 1024;

/**
 * A vault in a store that several machines reach: the port between the working copies and the database.
 *
 * The store has the files of a vault by path and hash, their contents by hash (blobs), and the **feed**: every commit in order, numbered from 1
 * without gaps. The number of the last commit is the vault's `seq`. Applying the feed in order yields the files.
 *
 * - **Writing.** `commitUnderLock` locks the vault's row, which one machine at a time holds, and passes the locked vault to a callback. Its
 *   reads return the newest state, which no other machine changes meanwhile. The commits that it appends happen together when
 *   `commitUnderLock` resolves, or not at all if it rejects. The lock is held while a write is planned, and not while it is applied to a folder.
 * - **Following.** A working copy is at some `seq` and fetches the `commitsAfter` it: at the start, on each notice, and every few seconds. A
 *   notice is only a hint; the `seq` decides.
 * - **Attaching.** `listing` returns every file as of one `seq`; the feed continues from there.
 * - **Unknown outcomes.** If a connection is lost while commits are being made, it is not known whether they happened. `commitUnderLock` then
 *   asks the store for as long as it takes. After a crash, `findOutcome` answers the same question for a batch whose id was saved.
 *
 * The lock belongs to a connection: a machine that crashes or is cut off loses it within a minute, with everything that it had appended. No
 * lease is renewed and no token compared. The clocks of machines are shown and never compared; whatever expires does so by the store's clock.
 *
 * All methods reject with a RouxError: `STORE_UNAVAILABLE` (retryable) if the store cannot be reached, `FORBIDDEN` without the right,
 * `READ_ONLY` for a write with a role that may only read, `INVALID_CONFIG` once a newer roux has changed the format of the store,
 * `VAULT_NOT_FOUND` once the vault was removed, `CANCELLED` after an abort.
 */
export interface SharedVault {
  /** Made with the vault; a vault that is removed and created again under the same name has another id. */
  readonly id: string;
  readonly name: string;
  /** The URL without a password, for messages. */
  readonly address: string;
  /** The role may only read, or the server takes no writes: whatever writes rejects with `READ_ONLY`. */
  readonly isReadOnly: boolean;
  /** A folder is still being uploaded, until `markComplete`. As of when the vault was opened. */
  readonly isIncomplete: boolean;
  readonly feed: CommitFeed;
  readonly blobs: BlobStore;
  readonly followers: Followers;
  readonly vectors: SharedVectors;

  /**
   * Runs a callback under the lock of the vault, then makes the commits that it appended. If the callback rejects, this rejects with the same
   * error, and nothing has happened. Rejects with `LOCK_TIMEOUT` (retryable) if other machines held the lock all the time; the callback was
   * not called then. After any other error nothing has happened either, with one exception: if the store did not say before the abort or
   * `close` whether the commits happened, the details are `{ outcome: 'unknown', batches }`. The write must not be reported as done, nor
   * repeated, until `findOutcome` has answered for one of these batches.
   */
  commitUnderLock<T>(run: (locked: LockedVault) => Promise<T>, options?: LockOptions): Promise<T>;
  /** Ends `isIncomplete`: all files of a folder are uploaded. */
  markComplete(): Promise<void>;

  /**
   * Removes what has expired: idempotency keys after seven days, contents that nothing refers to after one day,
   * vectors that no machine has asked for in thirty, and with `keepDays` older commits of the feed; copies that are further behind have to
   * compare all files. With `ifDue`, only once a day over all machines. Returns
   * the number of the last commit that the feed no longer has (0: it has all); null if it was not due.
   */
  prune(options?: { readonly keepDays?: number; readonly ifDue?: boolean }): Promise<number | null>;

  /** Closes all connections. Pending calls reject with `CANCELLED`. */
  close(): Promise<void>;
}

/** The commits of a vault, and the files that they result in. */
export interface CommitFeed {
  /** Returns the number of the last commit; 0 if there is none. */
  head(): Promise<number>;
  /** Returns at most `limit` (100) commits with a greater number, in order and without gaps; null if they are pruned: compare with `listing` then. */
  commitsAfter(seq: number, limit?: number, how?: FeedOptions): Promise<readonly SharedCommit[] | null>;
  /** Returns every file as of the last commit. */
  listing(): Promise<Listing>;
  /** Returns the hash by path of every file as of an earlier commit; null if later commits are pruned. */
  filesAt(seq: number): Promise<ReadonlyMap<string, string> | null>;
  /**
   * Returns the number of the commit with this id, or null: it has not happened and never will. Takes the lock of the vault, so that a
   * transaction on a lost connection has ended, and retries until the store answers or the signal aborts.
   */
  findOutcome(batch: string, signal?: AbortSignal): Promise<number | null>;
}

/** The contents of a vault by hash (sha-256, hex): those of its files and of its feed, and what was uploaded in the last day. */
export interface BlobStore {
  /** The most bytes of a file that is uploaded or downloaded; larger files stay where they are. */
  readonly maxBytes: number;
  /** Returns a content; null if the store does not have it. `TOO_LARGE`, without reading it, for one of more than `maxBytes`. */
  get(hash: string, how?: { readonly maxBytes?: number }): Promise<Buffer | null>;
  /** Returns contents in any order, a few megabytes at a time; omits those that are too large or that the store does not have. */
  getAll(
    hashes: Iterable<string>,
    how?: { readonly maxBytes?: number; readonly onTooLarge?: (hash: string, bytes: number) => void },
  ): AsyncIterable<Blob>;
  /** Uploads contents before the lock is taken, so that other machines need not wait for large ones; commits that use them omit them. */
  upload(blobs: Iterable<Blob> | AsyncIterable<Blob>, signal?: AbortSignal): Promise<void>;
}

/** The machines that follow a vault. */
export interface Followers {
  /** Makes this machine a follower. Notifies after each commit of any machine, and whenever the store is reached again. Ends with the signal or `close`. */
  follow(onNotice: OnNotice, signal: AbortSignal): void;
  /** Sets what the others see of this machine while it follows: the last commit that its copy has. */
  reportCheckpoint(seq: number): void;
  /** Lists the machines that follow at this moment. */
  list(): Promise<readonly Follower[]>;
}

/**
 * The vectors of texts, so that a text is embedded by one machine only: by the id of the embedder and the key of the text, as little-endian
 * floats. Whoever may write to the store may put anything there, so that what is read has to be checked. A call is for a few hundred at most.
 */
export interface SharedVectors {
  /** Returns the vectors that are there and have this number of bytes. */
  get(embedder: string, keys: readonly string[], bytes: number): Promise<ReadonlyMap<string, Buffer>>;
  /** Returns the keys that have no vector. */
  findMissing(embedder: string, keys: readonly string[]): Promise<readonly string[]>;
  /** Adds vectors, and replaces those that are there. */
  put(embedder: string, vectors: ReadonlyMap<string, Uint8Array>): Promise<void>;
}

/** Another machine may have committed. `seq`: the number of its commit, null if it is not known whether there is one. */
export type OnNotice = (seq: number | null) => void;

export interface LockOptions {
  readonly signal?: AbortSignal;
  /** How long to wait for the lock, in milliseconds (20,000). */
  readonly timeoutMs?: number;
}

/** A vault whose lock this machine holds, until the callback settles. Reads return the newest state, including the commits that were appended. */
export interface LockedVault {
  /** The number of the last commit. */
  readonly seq: number;
  /** As `CommitFeed.commitsAfter`. */
  commitsAfter(seq: number, limit?: number, how?: FeedOptions): Promise<readonly SharedCommit[] | null>;
  /** Returns the files under these names, by the given name; a file's own may differ in case or Unicode form. Omits names without a file. */
  findFiles(paths: Iterable<string>): Promise<ReadonlyMap<string, SharedFile>>;
  /** Returns what any machine did under an idempotency key in the last seven days; null if nothing. */
  findKey(key: string): Promise<KeyedAnswer | null>;
  /** As `BlobStore.get`. */
  getBlob(hash: string): Promise<Buffer | null>;
  /**
   * Appends a commit and returns its number. May be called several times. After the following errors nothing is appended, and the callback may
   * go on:
   * - `CONFLICT`, `details: { paths }`: these files are not as the changes expect them;
   * - `NODE_EXISTS`, `details: { path, existing }`: another file has the name, or one that differs only in case or Unicode form;
   * - `NOT_FOUND`, `details: { hashes }`: these contents are neither given nor in the store.
   */
  append(commit: NewCommit): Promise<number>;
}

export type ChangeOp = 'create' | 'update' | 'rename' | 'delete';

/**
 * A change of one file. The changes of a commit happen at once: `before` is the file before all of them, so that two files may swap their
 * names. Each file has at most one change, and each name goes to at most one file.
 */
export interface SharedChange {
  readonly op: ChangeOp;
  /** Relative to the vault, in the Unicode form of the file's name. */
  readonly path: string;
  /** The previous path of a renamed file; else null. */
  readonly oldPath: string | null;
  /** sha-256 (hex) of the file before the change; null for a new file. */
  readonly before: string | null;
  /** sha-256 (hex) of the file after the change, also if it is only renamed; null for a deleted file. */
  readonly hash: string | null;
  /** Bytes of the file after the change; 0 for a deleted file. */
  readonly size: number;
  /** Its events for the history, as JSON. */
  readonly event: unknown;
  /** The content after the change, if `withContents` was asked for and it is small. */
  readonly content?: Buffer;
}

export interface FeedOptions {
  /** Returns small contents with the changes. */
  readonly withContents?: boolean;
}

/** A commit without its number. */
export interface CommitHead {
  /** Its globally unique id, made by the writer. */
  readonly batch: string;
  readonly agent: string;
  readonly machine: string;
  readonly operation: string;
  /** ISO 8601, by the writer's clock: shown, never compared. */
  readonly at: string;
  readonly changes: readonly SharedChange[];
}

/** A commit of the feed. */
export interface SharedCommit extends CommitHead {
  readonly seq: number;
}

/** A commit to append. */
export interface NewCommit extends CommitHead {
  /** The contents by hash that the store may not have. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  /** The idempotency key, with the answer for a repeated request. `findKey` has to be called before under the same lock. */
  readonly key?: { readonly key: string; readonly payloadHash: string; readonly answer: unknown };
}

export interface KeyedAnswer {
  readonly payloadHash: string;
  readonly answer: unknown;
  readonly batch: string;
  readonly seq: number;
}

export interface SharedFile {
  readonly path: string;
  /** sha-256, hex. */
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
  /** The last commit that changed it. */
  readonly seq: number;
}

/** Every file of a vault as of one commit. */
export interface Listing {
  readonly seq: number;
  /** In no particular order. */
  readonly files: readonly SharedFile[];
}

/** A content and its sha-256 in hex. */
export interface Blob {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** A machine that follows a vault. */
export interface Follower {
  readonly machine: string;
  /** The checkpoint that it reported last; null if none. */
  readonly seq: number | null;
}
