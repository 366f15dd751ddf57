/** The most bytes of a file of a shared vault, where nothing else was said. */
export const MAX_FILE_BYTES = 100 * 1024 * 1024;

/**
 * A vault that lives in a store which several machines reach: the port between the working copies and the database.
 *
 * The store keeps four things of a vault: its files by path and hash, the contents by hash, the **feed**, which is every commit
 * in order from 1 on without gaps, and `seq`, the number of the last one. Whoever applies the feed in order has the files.
 *
 * - **Deciding.** `decide` takes the vault's row, which one turn at a time has over all machines, and runs what it was given.
 *   What that reads is the newest state, and nobody changes it meanwhile; commits that it appends happen together when `decide`
 *   resolves, or not at all when it rejects. A turn is short: the plan of a write, not its way into a folder.
 * - **Following.** A copy stands at some `seq` and asks for the `commitsAfter` it, at the start, on `follow`'s notices and every
 *   few seconds: a notice is a hint, the number decides.
 * - **Beginning.** `listing` is every file as of exactly one `seq`; from there on the feed.
 * - **Doubt.** A connection that is lost while a turn ends leaves open whether it happened. `decide` finds it out by itself, and
 *   waits as long as that takes; `outcomeOf` is the same question after a start, for a batch of which a machine that was killed
 *   had noted the id.
 *
 * The row belongs to a connection: a machine that dies, or is cut off, loses it within a minute, and what it had appended is gone.
 * There is no lease to renew and no token to compare. Clocks of machines are shown and never compared; what ends after some time
 * ends by the clock of the store.
 *
 * Everything asked of the store rejects with a RouxError: `STORE_UNAVAILABLE` (retryable) when it cannot be reached now,
 * `FORBIDDEN` without the right to it, `READ_ONLY` for a write with a role that may only read, `INVALID_CONFIG` once another
 * machine's newer roux has changed the format, `VAULT_NOT_FOUND` once the vault was removed, `CANCELLED` after the signal.
 */
export interface SharedVault {
  /** Made with the vault: one that is removed and made again under its name is another one. */
  readonly id: string;
  readonly name: string;
  /** Where it is, for people: the URL without a password. */
  readonly address: string;
  /** The role may only read, or the server only answers readers: `decide`, `outcomeOf`, `upload`, `fill` and `prune` are `READ_ONLY`. */
  readonly isReadOnly: boolean;
  /** Somebody is still putting a folder's files in: what is here is a part of them, until `fill`. As of when it was opened. */
  readonly isFilling: boolean;

  /**
   * Runs under the vault's row, one turn at a time over all machines, and makes what the turn appended happen. Rejects with what
   * `run` rejects with, and nothing has happened then; with `LOCK_TIMEOUT` (retryable) when others had the row all the time, and
   * `run` was not called. Any other rejection says that nothing has happened too, but for one: where the store did not say what
   * became of the turn before `signal` or `close`, `details` are `{ outcome: 'unknown', batches }`, and until `outcomeOf` has
   * answered for one of them nobody may say that it was done, or do it again.
   */
  decide<T>(run: (turn: Turn) => Promise<T>, options?: DecideOptions): Promise<T>;

  /** The number of the last commit; 0: none. */
  head(): Promise<number>;
  /** At most `limit` commits (100) with a greater number, in order and without gaps; null when the feed is not kept that far back: compare with `listing` then. */
  commitsAfter(seq: number, limit?: number, how?: FeedOptions): Promise<readonly SharedCommit[] | null>;
  /** Every file as of one moment. */
  listing(): Promise<Listing>;
  /** The hash by path of every file as of an earlier commit; null when the feed is not kept that far back. */
  filesAt(seq: number): Promise<ReadonlyMap<string, string> | null>;
  /** The most bytes that a file may have on its way here or from here: what is larger stays where it is. */
  readonly maxFileBytes: number;
  /**
   * The content with this hash (sha-256, hex); null when it is not kept. Contents of files and of the kept feed are. `TOO_LARGE` for one of
   * more than `maxBytes` (`maxFileBytes` without it), of which nothing is read then.
   */
  blob(hash: string, how?: { readonly maxBytes?: number }): Promise<Buffer | null>;
  /** The contents with these hashes, a few megabytes at a time, in any order; those that are not kept or too large are left out. */
  blobs(
    hashes: Iterable<string>,
    how?: { readonly maxBytes?: number; readonly onTooLarge?: (hash: string, bytes: number) => void },
  ): AsyncIterable<Blob>;

  /**
   * Puts contents into the store before a turn, so that large ones are not sent while others wait: the commits that use them leave
   * them out then. What is there already is not sent. Kept for a day without being used.
   */
  upload(blobs: Iterable<Blob> | AsyncIterable<Blob>, signal?: AbortSignal): Promise<void>;
  /** Says that a folder's files are all in: the end of `isFilling`. */
  fill(): Promise<void>;

  /**
   * The number of the commit with this id, or null: it did not happen, and never will. Asks under the vault's row, so that a turn
   * which may still end on a lost connection is waited for, and through outages until the signal: never a guess.
   */
  outcomeOf(batch: string, signal?: AbortSignal): Promise<number | null>;

  /**
   * Tells when somebody may have committed: after each commit of any machine, and each time that the store can be heard again.
   * Makes this machine one of the `followers`. Ends with the signal or `close`.
   */
  follow(onNews: OnNews, signal: AbortSignal): void;
  /** What the others see of this machine while it follows: the number of the last commit that its copy has. */
  standAt(seq: number): void;
  /** The machines that follow at this moment. */
  followers(): Promise<readonly Follower[]>;

  /**
   * Ends what is kept for a time: idempotency keys after seven days, contents that nothing refers to after one, and with
   * `keepDays` the commits of the feed that are older, for copies that were away longer must compare then. With `ifDue` only where
   * nobody has done so for a day: of all machines that ask, one does. Gives the number of the last commit that the feed has no more
   * (0: it has all of them); null: it was not due.
   */
  prune(options?: { readonly keepDays?: number; readonly ifDue?: boolean }): Promise<number | null>;

  /** Lets go of every connection. What waits is `CANCELLED`. */
  close(): Promise<void>;
}

/** Somebody has committed; `seq`: the number of that commit, null where it is not known whether there is one. */
export type OnNews = (seq: number | null) => void;

export interface DecideOptions {
  readonly signal?: AbortSignal;
  /** How long to wait for the row, in milliseconds; 20,000 without it. */
  readonly timeoutMs?: number;
}

/** The vault's row is held: what is read is the newest state. Ends when the function that was given it settles. */
export interface Turn {
  /** The number of the last commit, those of this turn included. */
  readonly seq: number;
  /** As of the vault, the commits of this turn included. */
  commitsAfter(seq: number, limit?: number, how?: FeedOptions): Promise<readonly SharedCommit[] | null>;
  /** Which file has each of these names, by the name that was asked for; it may differ from the file's own by case or Unicode form. Names without a file are left out. */
  filesAt(paths: Iterable<string>): Promise<ReadonlyMap<string, SharedFile>>;
  /** What was done under an idempotency key within seven days, by any machine; null: nothing. */
  findKey(key: string): Promise<KeyedAnswer | null>;
  /** As of the vault, for merging. */
  blob(hash: string): Promise<Buffer | null>;
  /**
   * Appends a commit, and gives its number. Callable several times, say for what people changed in the folder and then for the plan:
   * all of it happens together when `decide` resolves. Rejects with nothing appended, and the turn goes on, with
   * - `CONFLICT`, `details: { paths }`: these files are not what the changes say that they were;
   * - `NODE_EXISTS`, `details: { path, existing }`: the name, or a twin of it by case or Unicode form, is another file's;
   * - `NOT_FOUND`, `details: { hashes }`: these contents are neither given nor kept.
   */
  append(commit: NewCommit): Promise<number>;
}

export type ChangeOp = 'create' | 'update' | 'rename' | 'delete';

/**
 * One file of a commit. The changes of a commit happen at once: `before` is what a file was before all of them, so that two files
 * may change their names with each other. A file is the subject of one change, and a name is given to one file.
 */
export interface SharedChange {
  readonly op: ChangeOp;
  /** Vault-relative, in the form that the file has it. */
  readonly path: string;
  /** The name that a renamed file had; else null. */
  readonly oldPath: string | null;
  /** sha-256 (hex) of the file before; null for a new one. */
  readonly before: string | null;
  /** sha-256 (hex) of the file now, renamed files included; null for a deleted one. */
  readonly hash: string | null;
  /** Bytes of the file now; 0 for a deleted one. */
  readonly size: number;
  /** What the history says of it, JSON. */
  readonly event: unknown;
  /** Its bytes, where the feed was asked for them and they are few: for not asking once more. */
  readonly content?: Buffer;
}

/** What is asked for with commits. */
export interface FeedOptions {
  /** The small contents as well. */
  readonly withContents?: boolean;
}

/** What all of a commit has in common. */
export interface CommitHead {
  /** Its id, made by the one who writes, for good and all vaults. */
  readonly batch: string;
  readonly agent: string;
  readonly machine: string;
  readonly operation: string;
  /** ISO 8601 by the writer's clock: shown, never ordered by. */
  readonly at: string;
  readonly changes: readonly SharedChange[];
}

/** A commit as the feed has it. */
export interface SharedCommit extends CommitHead {
  readonly seq: number;
}

/** A commit as it is appended. */
export interface NewCommit extends CommitHead {
  /** Contents by hash, as far as the store may not have them. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  /** Under which idempotency key it is done, with the answer for a repeat. `findKey` was asked before in the same turn. */
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
  /** The commit that changed it last. */
  readonly seq: number;
}

/** Every file of a vault right after one commit. */
export interface Listing {
  readonly seq: number;
  /** In no order that means anything. */
  readonly files: readonly SharedFile[];
}

/** A content and its sha-256 in hex. */
export interface Blob {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** A machine that follows the vault at this moment. */
export interface Follower {
  readonly machine: string;
  /** As it said last with `standAt`; null before. */
  readonly seq: number | null;
}
