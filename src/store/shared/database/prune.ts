import { groupsOf } from './blobs.ts';
import type { Connection } from './session/connection.ts';
import { AS_OF_NOW, inTransaction } from './session/transaction.ts';
import type { SharedVault } from '../shared-vault.ts';
import { feedState, lockStatement, readState } from './vault-row.ts';
import type { StateRow, VaultRow } from './vault-row.ts';

/** Contents that nothing refers to are kept so long, for the commits that they were put in for. */
const UNUSED = "interval '1 day'";
/** After so long it is due again. */
const EVERY = "interval '1 day'";
/** So many rows are done at once. */
const AT_ONCE = 500;
/** Looking through all of a large vault. */
const LOOK_MS = 300_000;

/** `SharedVault.prune`: in steps, between which others write. A kill between them leaves the rest for the next time. */
export async function prune(
  connection: Connection,
  vault: VaultRow,
  { keepDays, ifDue = false }: NonNullable<Parameters<SharedVault['prune']>[0]>,
): Promise<number | null> {
  if (ifDue && !(await isTaken(connection, vault))) return null;
  await endKeys(connection, vault);
  if (keepDays !== undefined) await endFeed(connection, vault, keepDays);
  await endBlobs(connection, vault);
  return (await readState(connection, vault)).keptAfter;
}

/** Takes it upon itself for a day, where it is due: of several that ask at once, the others see then that it is not any more. */
async function isTaken(connection: Connection, vault: VaultRow): Promise<boolean> {
  const rows = await connection.query({
    text: `UPDATE roux.vault SET pruned_at = clock_timestamp() WHERE id = $1 AND pruned_at <= clock_timestamp() - ${EVERY} RETURNING 1`,
    values: [vault.id],
  });
  return rows.length > 0;
}

/** The commit stays known, for who asks whether it happened. What somebody else has in hand is theirs, here and below. */
async function endKeys(connection: Connection, vault: VaultRow): Promise<void> {
  await repeat(async () => {
    const rows = await connection.query(
      {
        text: `UPDATE roux.batch SET key = NULL, payload_hash = NULL, answer = NULL, expires = NULL WHERE vault = $1 AND seq IN (
            SELECT seq FROM roux.batch WHERE vault = $1 AND key IS NOT NULL AND expires <= clock_timestamp()
            LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED) RETURNING 1`,
        values: [vault.id],
      },
      { withinMs: LOOK_MS },
    );
    return rows.length;
  });
}

// The vault's number is in the text from here on: PostgreSQL goes by what it knows of this vault, which may be larger than all others.

/** First nobody reads it any more, then it goes; that a commit happened stays known. */
async function endFeed(connection: Connection, vault: VaultRow, keepDays: number): Promise<void> {
  await connection.query(
    {
      text: `UPDATE roux.vault v SET kept_after = greatest(v.kept_after, (
          SELECT coalesce(max(b.seq), 0) FROM roux.batch b WHERE b.vault = ${vault.id} AND b.stored_at < clock_timestamp() - make_interval(days => $1)))
        WHERE v.id = ${vault.id}`,
      values: [keepDays],
    },
    { withinMs: LOOK_MS },
  );
  await repeat(async () => {
    const rows = await connection.query({
      text: `DELETE FROM roux.change c USING (
          SELECT c.seq, c.n FROM roux.change c WHERE c.vault = ${vault.id} AND c.seq <= (SELECT kept_after FROM roux.vault WHERE id = ${vault.id})
          ORDER BY c.seq LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED) AS old WHERE c.vault = ${vault.id} AND c.seq = old.seq AND c.n = old.n RETURNING 1`,
    });
    return rows.length;
  });
}

/**
 * What nothing refers to is found without holding anybody up; then, under the vault's row, what has come into use since is left out:
 * it is in the commits since.
 */
async function endBlobs(connection: Connection, vault: VaultRow): Promise<void> {
  const { seq, unused } = await inTransaction(connection, AS_OF_NOW, async () => {
    const { seq: now } = await readState(connection, vault);
    const rows = await connection.query<{ hash: Buffer; size: string }>(
      {
        text: `SELECT b.hash, (SELECT sum(octet_length(p.bytes)) FROM roux.blob p WHERE p.vault = ${vault.id} AND p.hash = b.hash) AS size
          FROM roux.blob b WHERE b.vault = ${vault.id} AND b.piece = 0 AND b.used_at < clock_timestamp() - ${UNUSED}
            AND NOT EXISTS (SELECT FROM roux.file f WHERE f.vault = ${vault.id} AND f.hash = b.hash)
            AND NOT EXISTS (SELECT FROM roux.change c WHERE c.vault = ${vault.id} AND c.hash = b.hash)
            AND NOT EXISTS (SELECT FROM roux.change c WHERE c.vault = ${vault.id} AND c.before = b.hash)`,
      },
      { withinMs: LOOK_MS },
    );
    return { seq: now, unused: rows.map(({ hash, size }) => ({ hash, size: Number(size) })) };
  });
  for (const group of groupsOf(unused)) {
    await inTransaction<void, StateRow>(connection, `BEGIN ISOLATION LEVEL READ COMMITTED; ${lockStatement(vault)}`, async (rows) => {
      feedState(rows[0], vault);
      const statement = {
        // One that was put in once more has a later time by now.
        text: `WITH old AS (
            SELECT hash FROM roux.blob b WHERE b.vault = ${vault.id} AND b.hash = ANY($1::bytea[]) AND b.piece = 0
              AND b.used_at < clock_timestamp() - ${UNUSED}
              AND NOT EXISTS (SELECT FROM roux.change c WHERE c.vault = ${vault.id} AND c.seq > ${seq} AND c.hash = b.hash) ORDER BY b.hash FOR UPDATE)
          DELETE FROM roux.blob b USING old WHERE b.vault = ${vault.id} AND b.hash = old.hash`,
        values: [group.map(({ hash }) => hash)],
      };
      await connection.query(statement, { withinMs: LOOK_MS });
    });
  }
}

async function repeat(step: () => Promise<number>): Promise<void> {
  while ((await step()) === AT_ONCE);
}
