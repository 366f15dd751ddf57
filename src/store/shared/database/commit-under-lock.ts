import type { LockOptions, LockedVault } from '../shared-vault.ts';
import { openLockedVault } from './locked-vault.ts';
import type { OpenLockedVault } from './locked-vault.ts';
import { commit, terminateBackend } from './outcomes.ts';
import type { Outcomes } from './outcomes.ts';
import type { Session } from './session/connect.ts';
import type { Connection } from './session/connection.ts';
import { isConnectionLoss } from './session/connection-pool.ts';
import type { ConnectionPool, PooledSession } from './session/connection-pool.ts';
import { rollBack } from './session/transaction.ts';
import { cancelledError } from './store-error.ts';
import { channelOf, toFeedState, lockStatement } from './vault-row.ts';
import type { StateRow, VaultRow } from './vault-row.ts';

/** What `commitUnderLock` needs of a vault that is open. */
export interface VaultWriter {
  readonly vault: VaultRow;
  readonly writers: ConnectionPool;
  readonly outcomes: Outcomes;
  /** Sessions that were lost under the lock: the server may not have noticed, so that they still hold it. */
  readonly lostSessions: Set<Session>;
  /** Aborts when the vault is closed. */
  readonly closing: AbortSignal;
}

const LOCK_TIMEOUT_MS = 20_000;

/** Implements `SharedVault.commitUnderLock`: one transaction that holds the row of the vault. */
export async function commitUnderLock<T>(writer: VaultWriter, run: (locked: LockedVault) => Promise<T>, options: LockOptions): Promise<T> {
  const { vault, outcomes, lostSessions, closing } = writer;
  const signal = options.signal === undefined ? closing : AbortSignal.any([options.signal, closing]);
  const { pooled, seq } = await lockRow(writer, signal, performance.now() + (options.timeoutMs ?? LOCK_TIMEOUT_MS));
  const { session } = pooled;
  const { connection } = session;
  let notified = Promise.resolve();
  try {
    const locked = openLockedVault(connection, vault, seq);
    const result = await runLocked(locked, run, { connection, signal });
    if (locked.batches.length === 0) await rollBack(connection);
    else {
      // From here on only the store knows the outcome; the signal merely ends the wait for it.
      await commit(connection).catch(() => outcomes.settle(locked.batches, { signal, lost: session }));
      notified = notifyFollowers(connection, vault, locked.seq);
    }
    return result;
  } catch (error) {
    if (connection.isLost) lostSessions.add(session);
    await rollBack(connection);
    throw error;
  } finally {
    // The caller does not wait until the followers are notified.
    void notified.finally(pooled.release);
  }
}

/** Begins a transaction that holds the row of the vault. Tries again if a reused connection turns out to be lost: nothing was done yet. */
async function lockRow(
  { vault, writers, lostSessions }: VaultWriter,
  signal: AbortSignal,
  end: number,
): Promise<{ readonly pooled: PooledSession; readonly seq: number }> {
  for (;;) {
    const pooled = await writers.acquire({ signal, timeoutMs: Math.max(0, end - performance.now()) });
    const { connection } = pooled.session;
    const leftMs = Math.max(1, Math.ceil(end - performance.now()));
    try {
      for (const session of lostSessions) {
        await terminateBackend(connection, session);
        lostSessions.delete(session);
      }
      const { rows } = await connection.run<StateRow>(
        `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = '${leftMs}ms'; ${lockStatement(vault)}`,
        { signal, timeoutMs: leftMs + 10_000 },
      );
      return { pooled, seq: toFeedState(rows[0], vault).seq };
    } catch (error) {
      if (connection.isLost) lostSessions.add(pooled.session);
      await rollBack(connection);
      pooled.release();
      if (!pooled.isReused || !isConnectionLoss(error, connection)) throw error;
    }
  }
}

/** Runs a callback with the locked vault. The signal releases the lock at once, and everything that the callback then asks for is rejected. */
async function runLocked<T>(
  locked: OpenLockedVault,
  run: (locked: LockedVault) => Promise<T>,
  { connection, signal }: { readonly connection: Connection; readonly signal: AbortSignal },
): Promise<T> {
  const abort = (): void => connection.destroy(cancelledError());
  signal.addEventListener('abort', abort, { once: true });
  try {
    const result = await run(locked);
    await locked.end();
    return result;
  } catch (error) {
    // What the callback has not awaited must not run in the next transaction of this connection.
    await locked.end().catch(() => undefined);
    throw signal.aborted ? cancelledError() : error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Notifies the followers, in a transaction of its own: in the one of the commit, PostgreSQL would make the commits of all vaults wait for each
 * other. It does not wait for the disk, as a lost notice does no harm.
 */
async function notifyFollowers(connection: Connection, vault: VaultRow, seq: number): Promise<void> {
  const statements = `BEGIN; SET LOCAL synchronous_commit = off; SELECT pg_notify('${channelOf(vault)}', '${seq}'); COMMIT`;
  await connection.run(statements, { timeoutMs: 5_000 }).catch(() => rollBack(connection));
}
