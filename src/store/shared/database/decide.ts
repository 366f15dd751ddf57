import type { LockOptions, LockedVault } from '../shared-vault.ts';
import { commit, endOther } from './outcome.ts';
import type { Outcomes } from './outcome.ts';
import type { Session } from './session/connect.ts';
import type { Connection } from './session/connection.ts';
import { isLostBy } from './session/connections.ts';
import type { Connections, Taken } from './session/connections.ts';
import { rollBack } from './session/transaction.ts';
import { cancelled } from './store-error.ts';
import { openTurn } from './turn.ts';
import type { OpenTurn } from './turn.ts';
import { channelOf, feedState, lockStatement } from './vault-row.ts';
import type { StateRow, VaultRow } from './vault-row.ts';

export interface Deciding {
  readonly vault: VaultRow;
  readonly writers: Connections;
  readonly outcomes: Outcomes;
  /** Sessions that were lost within a turn: their other sides may not have noticed, and have the row. */
  readonly leftBehind: Set<Session>;
  /** Ends with the vault. */
  readonly closing: AbortSignal;
}

const ROW_PATIENCE_MS = 20_000;

/** `SharedVault.decide`: a turn under the vault's row, in one transaction. */
export async function decide<T>(deciding: Deciding, run: (turn: LockedVault) => Promise<T>, options: LockOptions): Promise<T> {
  const { vault, outcomes, closing } = deciding;
  const signal = options.signal === undefined ? closing : AbortSignal.any([options.signal, closing]);
  const { taken, seq } = await lockRow(deciding, signal, performance.now() + (options.timeoutMs ?? ROW_PATIENCE_MS));
  const { connection } = taken.session;
  let told = Promise.resolve();
  try {
    const turn = openTurn(connection, vault, seq);
    const result = await runTurn(turn, run, { connection, signal });
    if (turn.batches.length === 0) await rollBack(connection);
    else {
      // From here on nobody but the store knows, and the signal only ends the waiting for what it says.
      await commit(connection).catch(() => outcomes.settle(turn.batches, { signal, lost: taken.session }));
      told = announce(connection, vault, turn.seq);
    }
    return result;
  } catch (error) {
    if (connection.isLost) deciding.leftBehind.add(taken.session);
    await rollBack(connection);
    throw error;
  } finally {
    // Nobody waits for the others to be told.
    void told.finally(taken.giveBack);
  }
}

/** Begins a transaction that has the vault's row. On a connection that was lost without a word, once more: nothing was done yet. */
async function lockRow(
  { vault, writers, leftBehind }: Deciding,
  signal: AbortSignal,
  end: number,
): Promise<{ readonly taken: Taken; readonly seq: number }> {
  for (;;) {
    const taken = await writers.take({ signal, timeoutMs: Math.max(0, end - performance.now()) });
    const { connection } = taken.session;
    const leftMs = Math.max(1, Math.ceil(end - performance.now()));
    try {
      for (const session of leftBehind) {
        await endOther(connection, session);
        leftBehind.delete(session);
      }
      const { rows } = await connection.run<StateRow>(
        `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = '${leftMs}ms'; ${lockStatement(vault)}`,
        { signal, withinMs: leftMs + 10_000 },
      );
      return { taken, seq: feedState(rows[0], vault).seq };
    } catch (error) {
      if (connection.isLost) leftBehind.add(taken.session);
      await rollBack(connection);
      taken.giveBack();
      if (!taken.isKept || !isLostBy(error, connection)) throw error;
    }
  }
}

interface HowToRun {
  readonly connection: Connection;
  readonly signal: AbortSignal;
}

/** The signal lets go of the row at once, whatever the turn is about; what the turn asks of the store then is refused. */
async function runTurn<T>(turn: OpenTurn, run: (turn: LockedVault) => Promise<T>, { connection, signal }: HowToRun): Promise<T> {
  const abort = (): void => connection.destroy(cancelled());
  signal.addEventListener('abort', abort, { once: true });
  try {
    const result = await run(turn);
    await turn.end();
    return result;
  } catch (error) {
    // Nothing that the turn still does may come into what is next on this connection.
    await turn.end().catch(() => undefined);
    throw signal.aborted ? cancelled() : error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Wakes those that follow. In a transaction of its own: inside of the other PostgreSQL would end those of all vaults one by one. It
 * waits for no disk, as nothing is lost with it.
 */
async function announce(connection: Connection, vault: VaultRow, seq: number): Promise<void> {
  const statements = `BEGIN; SET LOCAL synchronous_commit = off; SELECT pg_notify('${channelOf(vault)}', '${seq}'); COMMIT`;
  await connection.run(statements, { withinMs: 5_000 }).catch(() => rollBack(connection));
}
