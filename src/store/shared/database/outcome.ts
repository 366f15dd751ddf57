import { errorMessage, RouxError } from '../../../errors.ts';
import type { Log } from '../../../ports.ts';
import { backOff } from './session/backoff.ts';
import type { Session } from './session/connect.ts';
import type { Connection } from './session/connection.ts';
import { unavailable } from './store-error.ts';
import { feedState, lockStatement } from './vault-row.ts';
import type { StateRow, VaultRow } from './vault-row.ts';

/** What became of turns whose end was not heard. */
export interface Outcomes {
  /** The number of the commit with this id, or null when it did not happen and never will. Tries until the store has said so, or the signal. */
  outcomeOf(batch: string, doubt: Doubt): Promise<number | null>;
  /** Resolves when the commits of a turn have happened; `STORE_UNAVAILABLE` (retryable) when nothing has, and (not retryable) when the signal came first. */
  settle(batches: readonly string[], doubt: Doubt): Promise<void>;
}

export interface Doubt {
  readonly signal: AbortSignal;
  /** The session on which the turn was: its other side may hold the vault's row still. */
  readonly lost?: Session;
}

interface OutcomesOptions {
  readonly vault: VaultRow;
  readonly open: (signal: AbortSignal) => Promise<Session>;
  readonly random: () => number;
  readonly log: Log;
}

export function openOutcomes({ vault, open, random, log }: OutcomesOptions): Outcomes {
  const { place } = vault;

  async function outcomeOf(batch: string, { signal, lost }: Doubt): Promise<number | null> {
    for (let failures = 0; ; failures += 1) {
      if (signal.aborted) throw unknown(place.address, [batch]);
      let session: Session | null = null;
      try {
        session = await open(signal);
        if (lost?.connection.isLost === true) await endOther(session.connection, lost);
        return await ask(session.connection, vault, batch);
      } catch (error) {
        // With the vault everything of it is gone.
        if (error instanceof RouxError && error.code === 'VAULT_NOT_FOUND') throw error;
        if (failures === 0 && !signal.aborted) {
          log.warn(
            `Whether the last write to ${place.address} happened is not known yet, and is asked until the store answers: ${errorMessage(error)}`,
          );
        }
      } finally {
        // A transaction that was begun ends with it.
        session?.connection.destroy();
      }
      await backOff(failures, random, signal);
    }
  }

  return {
    outcomeOf,
    async settle(batches, doubt) {
      // They happened together or not at all.
      const seq = await outcomeOf(batches.at(-1) ?? '', doubt).catch((error: unknown) => {
        throw doubt.signal.aborted ? unknown(place.address, batches) : error;
      });
      if (seq === null) throw unavailable(place, 'the connection was lost before the write was done, and nothing of it has happened');
    },
  };
}

/** Under the vault's row: a transaction that had it when its connection was lost has ended by then, in one way or the other. */
async function ask(connection: Connection, vault: VaultRow, batch: string): Promise<number | null> {
  const { rows } = await connection.run<StateRow>(`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${lockStatement(vault)}`, {
    withinMs: 60_000,
  });
  feedState(rows[0], vault);
  const [found] = await connection.query<{ seq: string }>({
    text: 'SELECT seq FROM roux.batch WHERE vault = $1 AND id = $2',
    values: [vault.id, batch],
  });
  // What was found may be on this server alone, its connection cut while it waited for the copies of it. To take the row was a write
  // that came after it, and whose end waits for the copies too.
  await commit(connection);
  return found === undefined ? null : Number(found.seq);
}

/** Resolves when the store has said without reservation that it happened: a warning may say that no other server has it yet. */
export async function commit(connection: Connection): Promise<void> {
  const { notices } = connection;
  const { did } = await connection.run('COMMIT');
  if (did !== 'COMMIT' || connection.notices !== notices) throw new Error('The store did not say that it happened.');
}

/** Ends the other side of a lost connection, which may not have noticed yet. Where that is not allowed, it ends by itself within a minute. */
export async function endOther(connection: Connection, { backend }: Session): Promise<void> {
  await connection
    .query({
      text: 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2::timestamptz',
      values: [backend.pid, backend.since],
    })
    .catch(() => undefined);
}

function unknown(address: string, batches: readonly string[]): RouxError {
  const message =
    `The store ${address} was lost while a write was being done, and whether it happened is not known: do not repeat it before the ` +
    'store has answered.';
  return new RouxError('STORE_UNAVAILABLE', message, { outcome: 'unknown', batches });
}
