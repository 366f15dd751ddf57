import type { Connection, Patience } from './connection.ts';

/** Reads several things as of one moment. */
export const AS_OF_NOW = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** Runs a task in a transaction that `begin` begins, and may ask something first, whose rows the task gets. What the task rejects with takes everything back. */
export async function inTransaction<T, Row = unknown>(
  connection: Connection,
  begin: string,
  task: (rows: readonly Row[]) => Promise<T>,
  patience?: Patience,
): Promise<T> {
  try {
    const { rows } = await connection.run<Row>(begin, patience);
    const result = await task(rows);
    await connection.run('COMMIT');
    return result;
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

/** Takes back what is open, if anything is. A connection that does not even do that is let go. */
export async function rollBack(connection: Connection): Promise<void> {
  if (connection.isLost) return;
  await connection.run('ROLLBACK', { withinMs: 5_000 }).catch(() => connection.destroy());
}
