import { errorMessage, RouxError } from '../../../errors.ts';
import type { Log } from '../../../ports.ts';
import { backOff } from './session/backoff.ts';
import type { Session } from './session/connect.ts';
import type { Connection } from './session/connection.ts';
import { unavailableError } from './store-error.ts';
import { toFeedState, lockStatement } from './vault-row.ts';
import type { StateRow, VaultRow } from './vault-row.ts';

/** Finds out whether commits happened whose connection was lost. */
export interface Outcomes {
  /** Returns the number of the commit with this id, or null: it has not happened and never will. Retries until the store answers or the signal aborts. */
  find(batch: string, options: OutcomeOptions): Promise<number | null>;
  /** Resolves if the commits of a transaction happened; rejects with `STORE_UNAVAILABLE`, retryable if they did not, and not if the signal aborted first. */
  settle(batches: readonly string[], options: OutcomeOptions): Promise<void>;
}

export interface OutcomeOptions {
  readonly signal: AbortSignal;
  /** The session of the transaction: the server may still hold the row of the vault for it. */
  readonly lost?: Session;
}

interface OutcomesOptions {
  readonly vault: VaultRow;
  readonly open: (signal: AbortSignal) => Promise<Session>;
  readonly random: () => number;
  readonly log: Log;
}

export function createOutcomes({ vault, open, random, log }: OutcomesOptions): Outcomes {
  const { store } = vault;

  async function find(batch: string, { signal, lost }: OutcomeOptions): Promise<number | null> {
    for (let failures = 0; ; failures += 1) {
      if (signal.aborted) throw unknownOutcomeError(store.address, [batch]);
      let session: Session | null = null;
      try {
        session = await open(signal);
        if (lost?.connection.isLost === true) await terminateBackend(session.connection, lost);
        return await readOutcome(session.connection, vault, batch);
      } catch (error) {
        // The commits are removed with the vault, so there is nothing left to ask.
        if (error instanceof RouxError && error.code === 'VAULT_NOT_FOUND') throw error;
        if (failures === 0 && !signal.aborted) {
          log.warn(
            `It is not known yet whether the last write to ${store.address} happened; the store is asked until it answers: ${errorMessage(error)}`,
          );
        }
      } finally {
        // Ends a transaction that is still open.
        session?.connection.destroy();
      }
      await backOff(failures, random, signal);
    }
  }

  return {
    find,
    async settle(batches, options) {
      // The commits happened together or not at all.
      const seq = await find(batches.at(-1) ?? '', options).catch((error: unknown) => {
        throw options.signal.aborted ? unknownOutcomeError(store.address, batches) : error;
      });
      if (seq === null) throw unavailableError(store, 'the connection was lost before the write was done, and nothing of it has happened');
    },
  };
}

/** Looks for a commit under the row of the vault: a transaction that held it when its connection was lost has ended by then. */
async function readOutcome(connection: Connection, vault: VaultRow, batch: string): Promise<number | null> {
  const { rows } = await connection.run<StateRow>(`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${lockStatement(vault)}`, {
    timeoutMs: 60_000,
  });
  toFeedState(rows[0], vault);
  const [found] = await connection.query<{ seq: string }>({
    text: 'SELECT seq FROM roux.batch WHERE vault = $1 AND id = $2',
    values: [vault.id, batch],
  });
  // With synchronous replication, the commit may be on this server alone, if its connection was lost while it waited for the standbys. Locking
  // the row was a later write, so this commit waits until the standbys have both.
  await commit(connection);
  return found === undefined ? null : Number(found.seq);
}

/** Commits; rejects unless the server confirms it without a notice, which may say that the standbys do not have it yet. */
export async function commit(connection: Connection): Promise<void> {
  const { noticeCount } = connection;
  const { command } = await connection.run('COMMIT');
  if (command !== 'COMMIT' || connection.noticeCount !== noticeCount) throw new Error('The server did not confirm the commit.');
}

/** Terminates the server process of a lost connection, which may not have noticed the loss. Without the right to do so, it ends within a minute. */
export async function terminateBackend(connection: Connection, { backend }: Session): Promise<void> {
  await connection
    .query({
      text: 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2::timestamptz',
      values: [backend.pid, backend.since],
    })
    .catch(() => undefined);
}

function unknownOutcomeError(address: string, batches: readonly string[]): RouxError {
  const message = `The connection to the store ${address} was lost during a write, and whether it happened is not known. Do not repeat it until the store has answered.`;
  return new RouxError('STORE_UNAVAILABLE', message, { outcome: 'unknown', batches });
}
