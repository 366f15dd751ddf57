import { RouxError } from '../../../errors.ts';
import type { Connection } from './session/connection.ts';
import { MIGRATIONS } from './migrations.ts';
import type { StoreAddress } from './store-error.ts';

/** The format of the tables that this program reads and writes: the number of its last migration. */
export const FORMAT = MIGRATIONS.length;

/** An advisory lock, by two numbers that no other program is likely to use: one machine at a time changes the tables. */
const ADVISORY_LOCK = '1919907192, 1';
/** Another machine may be changing the tables of a large store. */
const LOCK_TIMEOUT_MS = 600_000;

/** Reads the table itself: `to_regclass` and the like may answer with the state before the wait for the lock. */
const SCHEMA = "SELECT oid FROM pg_namespace WHERE nspname = 'roux'";

/** Returns the format of the tables in the database; 0 if there are none. */
export async function readFormat(connection: Connection): Promise<number> {
  const {
    rows: [found],
  } = await connection.run<{ is_there: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'migration' AND relnamespace = (${SCHEMA})) AS is_there`,
  );
  if (found?.is_there !== true) return 0;
  const {
    rows: [last],
  } = await connection.run<{ number: number }>('SELECT coalesce(max(number), 0) AS number FROM roux.migration');
  return last?.number ?? 0;
}

/**
 * Brings the tables to the format of this program, unless they have it; other machines may do the same at once. After a crash the tables have
 * the format that was reached. Older programs fail with a clear error from then on. Throws `INVALID_CONFIG` for a newer format, `FORBIDDEN` for
 * a role without the right.
 */
export async function migrate(connection: Connection, store: StoreAddress, migrations: readonly string[] = MIGRATIONS): Promise<void> {
  const found = await readFormat(connection);
  if (found >= migrations.length) return checkFormat(found, store, migrations.length);
  const {
    rows: [server],
  } = await connection.run<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
  if (server?.encoding !== 'UTF8') {
    const message = `The database ${JSON.stringify(store.database)} at ${store.address} has the encoding ${server?.encoding}. Create one with UTF8: createdb -E UTF8 -T template0.`;
    throw new RouxError('INVALID_CONFIG', message);
  }
  for (let number = found + 1; number <= migrations.length; number += 1) {
    try {
      await connection.run(`BEGIN; SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`, {
        timeoutMs: LOCK_TIMEOUT_MS,
      });
      // Another machine may have done it during the wait for the lock.
      const now = await readFormat(connection);
      if (now === number - 1)
        await connection.run(migrationStatements(number, migrations[number - 1] ?? ''), { timeoutMs: LOCK_TIMEOUT_MS });
      await connection.run('COMMIT');
      checkFormat(now, store, migrations.length);
    } catch (error) {
      if (!connection.isLost) await connection.run('ROLLBACK');
      throw toMigrationError(error, store);
    }
  }
}

function migrationStatements(number: number, statements: string): string {
  const first =
    number > 1
      ? ''
      : `DO $$ BEGIN IF NOT EXISTS (${SCHEMA}) THEN CREATE SCHEMA roux; END IF; END $$;
         CREATE TABLE roux.migration (number integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp());
         COMMENT ON TABLE roux.migration IS 'What made the tables of this schema; the last number is their format.';`;
  return `${first} ${statements};
    INSERT INTO roux.migration (number) VALUES (${number});
    UPDATE roux.vault SET format = ${number}`;
}

/** Throws `INVALID_CONFIG` for a format that is newer than this program. */
export function checkFormat(format: number, { address }: StoreAddress, known = FORMAT): void {
  if (format <= known) return;
  const message = `A newer roux has brought the store ${address} to format ${format}, and this one knows formats up to ${known}. Update roux on this machine.`;
  throw new RouxError('INVALID_CONFIG', message, { format, known });
}

function toMigrationError(error: unknown, { address, user, database }: StoreAddress): unknown {
  if (!(error instanceof RouxError) || error.code !== 'FORBIDDEN') return error;
  const message =
    `The role ${JSON.stringify(user)} may not create or change the tables of roux at ${address}. Let the owner of the database do it first, or ` +
    `grant the right: GRANT CREATE ON DATABASE "${database.replaceAll('"', '""')}" TO "${user.replaceAll('"', '""')}".`;
  return new RouxError('FORBIDDEN', message, { role: user });
}
