import { RouxError } from '../../../errors.ts';
import type { Connection } from './session/connection.ts';
import { MIGRATIONS } from './migrations.ts';
import type { Place } from './store-error.ts';

/** The format that this program reads and writes: the number of its last migration. */
export const FORMAT = MIGRATIONS.length;

/** Two numbers that nobody else takes for a lock of theirs: one program at a time changes the tables. */
const LOCK = '1919907192, 1';
/** Another machine may be changing the tables of a large store. */
const PATIENCE_MS = 600_000;

/** Asked of the table itself: `to_regclass` and its like may answer from before the lock was waited for. */
const SCHEMA = "SELECT oid FROM pg_namespace WHERE nspname = 'roux'";

/** The format of the database's tables; 0: there are none. */
export async function formatOf(connection: Connection, signal?: AbortSignal): Promise<number> {
  const {
    rows: [found],
  } = await connection.run<{ is_there: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'migration' AND relnamespace = (${SCHEMA})) AS is_there`,
    { signal },
  );
  if (found?.is_there !== true) return 0;
  const {
    rows: [last],
  } = await connection.run<{ number: number }>('SELECT coalesce(max(number), 0) AS number FROM roux.migration', { signal });
  return last?.number ?? 0;
}

/**
 * Brings the tables to this program's format, whoever else does so at the same time, and does nothing when they have it. A kill on
 * the way leaves the format that was reached. Other programs on older formats stop with a clear error from then on.
 * `INVALID_CONFIG` for a newer format, `FORBIDDEN` for a role that may not.
 */
export async function migrate(connection: Connection, place: Place, migrations: readonly string[] = MIGRATIONS): Promise<void> {
  const found = await formatOf(connection);
  if (found >= migrations.length) return refuseNewer(found, place, migrations.length);
  const {
    rows: [server],
  } = await connection.run<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
  if (server?.encoding !== 'UTF8') {
    const message = `The database ${JSON.stringify(place.database)} at ${place.address} keeps text as ${server?.encoding}; make one with UTF8 (createdb -E UTF8 -T template0).`;
    throw new RouxError('INVALID_CONFIG', message);
  }
  for (let number = found + 1; number <= migrations.length; number += 1) {
    try {
      await connection.run(`BEGIN; SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(${LOCK})`, { withinMs: PATIENCE_MS });
      // Somebody else may have done it while this one waited.
      const now = await formatOf(connection);
      if (now === number - 1) await connection.run(oneMigration(number, migrations[number - 1] ?? ''), { withinMs: PATIENCE_MS });
      await connection.run('COMMIT');
      refuseNewer(now, place, migrations.length);
    } catch (error) {
      if (!connection.isLost) await connection.run('ROLLBACK');
      throw mayNot(error, place);
    }
  }
}

function oneMigration(number: number, statements: string): string {
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

/** Throws for a format that this program does not know. */
export function refuseNewer(format: number, { address }: Place, known = FORMAT): void {
  if (format <= known) return;
  const message = `The store ${address} was brought to format ${format} by a newer roux, and this one knows ${known}: update roux on this machine.`;
  throw new RouxError('INVALID_CONFIG', message, { format, known });
}

function mayNot(error: unknown, { address, user, database }: Place): unknown {
  if (!(error instanceof RouxError) || error.code !== 'FORBIDDEN') return error;
  const message =
    `The role ${JSON.stringify(user)} may not make or change the tables of roux at ${address}: let the owner of the database do it first, or ` +
    `give it the right with GRANT CREATE ON DATABASE "${database.replaceAll('"', '""')}" TO "${user.replaceAll('"', '""')}".`;
  return new RouxError('FORBIDDEN', message, { role: user });
}
