import { errorMessage, RouxError } from '../../errors.ts';
import { isoNow } from '../../ports.ts';
import type { Ports } from '../../ports.ts';
import type { FolderStore } from '../folder-store.ts';
import { GIT_PATIENCE_MS } from '../open-folder-store.ts';
import type { HeldStore } from '../transaction/transact.ts';
import type { Pruning } from './prune-when-due.ts';
import { pushEdits } from './push-edits.ts';
import type { Committer } from './push-edits.ts';
import type { SharedStoreOptions } from './shared-store.ts';
import type { SharedVault } from './shared-vault.ts';
import type { StoreConnection } from './store-connection.ts';
import { SyncSession } from './sync-session.ts';
import type { WorkingCopy } from './working-copy.ts';

/** Larger contents are uploaded before the lock of the vault is taken. */
const LARGE_BYTES = 256 * 1024;

interface FolderSyncOptions extends Pick<SharedStoreOptions, 'onTrouble'> {
  readonly folder: Pick<FolderStore, 'hold'>;
  readonly copy: WorkingCopy;
  readonly connection: StoreConnection;
  readonly committer: Committer;
  readonly pruning: Pruning;
  readonly ports: Pick<Ports, 'clock' | 'log'>;
  /** Ends a sync that runs. */
  readonly signal: AbortSignal;
}

/** Opens the sync sessions of a working copy, and reports whether it can follow its store. */
export class FolderSync {
  readonly #options: FolderSyncOptions;
  /** When the last sync succeeded; null before the first. */
  #lastSynced: string | null = null;
  /** What was last reported about a folder that cannot follow. */
  #trouble: string | null = null;

  constructor(options: FolderSyncOptions) {
    this.#options = options;
  }

  get hasSynced(): boolean {
    return this.#lastSynced !== null;
  }

  /** How many commits the store may have that the folder has not. */
  get behind(): number {
    const { copy, connection } = this.#options;
    return copy.checkpoint.seq === null ? Infinity : Math.max(0, connection.newestSeq - copy.checkpoint.seq);
  }

  /** Opens a session under the writer lock. `isPulling`: pulls at once. */
  async openSession(held: HeldStore, patienceMs: number, isPulling = true): Promise<SyncSession> {
    const { copy, connection } = this.#options;
    const entered = await held.enter(patienceMs);
    const session = new SyncSession(copy, held, entered, await connection.get());
    await session.attach();
    if (isPulling) await session.pull();
    return session;
  }

  /** Syncs the folder and the store; rejects if that fails. */
  sync(isPushing = true): Promise<void> {
    const { folder, copy, signal } = this.#options;
    return folder.hold({ signal }, async (held) => {
      const before = copy.checkpoint.seq;
      const session = await this.openSession(held, GIT_PATIENCE_MS);
      if (copy.checkpoint.seq === before) await session.resetIfRestored();
      await session.retryBlocked();
      if (isPushing) await this.#push(session);
    });
  }

  /** Syncs the folder and the store, and reports a failure as trouble. Does not reject. */
  async trySync({ isPushing }: { readonly isPushing: boolean }): Promise<void> {
    const { copy, connection, pruning, ports, onTrouble, signal } = this.#options;
    if (connection.newestSeq === Infinity) connection.newestSeq = 0;
    try {
      await this.sync(isPushing);
      this.#lastSynced = isoNow(ports.clock);
      this.#trouble = copy.blocked.message;
      onTrouble(this.#trouble);
      const shared = await connection.get();
      pruning.runIfDue(shared);
      await this.#saveStatCache(shared);
    } catch (error) {
      if (signal.aborted) return;
      const message = describeTrouble(error, this.#lastSynced);
      if (message !== this.#trouble) ports.log.warn(message);
      this.#trouble = message;
      onTrouble(message);
    }
  }

  /** Pushes what was edited, and saves the stat cache, before the process ends. Does not reject. */
  async pushLast(): Promise<void> {
    const { copy, connection } = this.#options;
    if (copy.local.isDirty) await this.sync().catch(() => undefined);
    const shared = await connection.getIfOpen();
    if (shared !== undefined) await this.#saveStatCache(shared, { isLast: true });
  }

  async #push(session: SyncSession): Promise<void> {
    const { committer, signal } = this.#options;
    const { shared, copy } = session;
    if (shared.isReadOnly || !committer.mayPush() || !copy.local.isDirty) return;
    const found = await session.findEdits();
    if (found.length === 0) return;
    const large = found.flatMap(({ file }) => (file !== null && file.bytes.length > LARGE_BYTES ? [file] : []));
    if (large.length > 0) await shared.blobs.upload(large, signal);
    const { pushed, seq } = await shared.commitUnderLock(
      async (locked) => {
        await session.pull(locked);
        const commits = await pushEdits(session, locked, committer);
        return { pushed: commits, seq: locked.seq };
      },
      { signal },
    );
    if (pushed.length > 0) await session.confirmPush(pushed, seq);
  }

  /** Files that are not in the cache are only read again at the next start. */
  async #saveStatCache(shared: SharedVault, how: { readonly isLast?: boolean } = {}): Promise<void> {
    const { copy, ports } = this.#options;
    const { seq, batch } = copy.checkpoint;
    // The cache has every file of the store, or it is not saved.
    if (seq === null || copy.blocked.changes.length > 0) return;
    await copy.statCache
      .save(copy.local, shared, { seq, batch }, how)
      .catch((error: unknown) => ports.log.info(`The cache of file states could not be saved: ${errorMessage(error)}`));
  }
}

function describeTrouble(error: unknown, lastSynced: string | null): string {
  if (!(error instanceof RouxError) || error.code !== 'STORE_UNAVAILABLE')
    return `The folder cannot follow the store of this vault: ${errorMessage(error)}`;
  const since = lastSynced === null ? 'as the folder was when roux started' : `as of ${lastSynced.slice(0, 19)}Z`;
  return `The store of this vault cannot be reached. Until it can, notes are read ${since}, tools cannot write, and edits by people stay in the folder.`;
}
