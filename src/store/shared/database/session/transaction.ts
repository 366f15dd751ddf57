import type { Connection, QueryOptions } from './connection.ts';

/** Begins a transaction whose reads all see the same moment. */
export const BEGIN_SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** Runs a task in a transaction, and rolls it back if the task rejects. `begin`: the statements that begin it; the task receives their rows. */
export async function inTransaction<T, Row = unknown>(
  connection: Connection,
  begin: string,
  task: (rows: readonly Row[]) => Promise<T>,
  options?: QueryOptions,
): Promise<T> {
  try {
    const { rows } = await connection.run<Row>(begin, options);
    const result = await task(rows);
    await connection.run('COMMIT');
    return result;
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

/** Rolls back the transaction if there is one. A connection on which that fails is destroyed. */
export async function rollBack(connection: Connection): Promise<void> {
  if (connection.isLost) return;
  await connection.run('ROLLBACK', { timeoutMs: 5_000 }).catch(() => connection.destroy());
}
