import { groupBySize } from './blobs.ts';
import type { Connection } from './session/connection.ts';
import { BEGIN_SNAPSHOT, inTransaction } from './session/transaction.ts';
import type { SharedVault } from '../shared-vault.ts';
import { toFeedState, lockStatement, readFeedState } from './vault-row.ts';
import type { StateRow, VaultRow } from './vault-row.ts';
import { pruneVectors } from './vectors.ts';

/** Contents that nothing refers to are retained this long, for the commits for which they were uploaded. */
const UNUSED_AGE = "interval '1 day'";
/** How often pruning is due. */
const INTERVAL = "interval '1 day'";
/** The rows of one statement. */
const ROWS_PER_STEP = 500;
/** For a scan of a large vault. */
const SCAN_TIMEOUT_MS = 300_000;

/** Implements `SharedVault.prune`, in steps between which other machines can write. After a crash, the next run does the rest. */
export async function prune(
  connection: Connection,
  vault: VaultRow,
  { keepDays, ifDue = false }: NonNullable<Parameters<SharedVault['prune']>[0]>,
): Promise<number | null> {
  if (ifDue && !(await startIfDue(connection, vault))) return null;
  await pruneKeys(connection, vault);
  if (keepDays !== undefined) await pruneFeed(connection, vault, keepDays);
  await pruneBlobs(connection, vault);
  await pruneVectors(connection, vault);
  return (await readFeedState(connection, vault)).prunedSeq;
}

/** Marks the vault as pruned today if that is due; returns whether it was. Of several machines only one gets true. */
async function startIfDue(connection: Connection, vault: VaultRow): Promise<boolean> {
  const rows = await connection.query({
    text: `UPDATE roux.vault SET pruned_at = clock_timestamp() WHERE id = $1 AND pruned_at <= clock_timestamp() - ${INTERVAL} RETURNING 1`,
    values: [vault.id],
  });
  return rows.length > 0;
}

/** Clears expired idempotency keys. The commits stay, for `findOutcome`. Rows that another machine has locked are left to it, here and below. */
async function pruneKeys(connection: Connection, vault: VaultRow): Promise<void> {
  await repeatWhileFull(async () => {
    const rows = await connection.query(
      {
        text: `UPDATE roux.batch SET key = NULL, payload_hash = NULL, answer = NULL, expires = NULL WHERE vault = $1 AND seq IN (
            SELECT seq FROM roux.batch WHERE vault = $1 AND key IS NOT NULL AND expires <= clock_timestamp()
            LIMIT ${ROWS_PER_STEP} FOR UPDATE SKIP LOCKED) RETURNING 1`,
        values: [vault.id],
      },
      { timeoutMs: SCAN_TIMEOUT_MS },
    );
    return rows.length;
  });
}

// From here on the id of the vault is part of the text, so that PostgreSQL plans with the statistics of this vault, which may be the largest by far.

/** Removes the changes of old commits, after `kept_after` says that they cannot be read. The commits stay, for `findOutcome`. */
async function pruneFeed(connection: Connection, vault: VaultRow, keepDays: number): Promise<void> {
  await connection.query(
    {
      text: `UPDATE roux.vault v SET kept_after = greatest(v.kept_after, (
          SELECT coalesce(max(b.seq), 0) FROM roux.batch b WHERE b.vault = ${vault.id} AND b.stored_at < clock_timestamp() - make_interval(days => $1)))
        WHERE v.id = ${vault.id}`,
      values: [keepDays],
    },
    { timeoutMs: SCAN_TIMEOUT_MS },
  );
  await repeatWhileFull(async () => {
    const rows = await connection.query({
      text: `DELETE FROM roux.change c USING (
          SELECT c.seq, c.n FROM roux.change c WHERE c.vault = ${vault.id} AND c.seq <= (SELECT kept_after FROM roux.vault WHERE id = ${vault.id})
          ORDER BY c.seq LIMIT ${ROWS_PER_STEP} FOR UPDATE SKIP LOCKED) AS old WHERE c.vault = ${vault.id} AND c.seq = old.seq AND c.n = old.n RETURNING 1`,
    });
    return rows.length;
  });
}

/**
 * Removes contents that nothing refers to. They are found without a lock, as that takes long. Then, under the row of the vault, those that later
 * commits have used are left out.
 */
async function pruneBlobs(connection: Connection, vault: VaultRow): Promise<void> {
  const { seq, unused } = await inTransaction(connection, BEGIN_SNAPSHOT, async () => {
    const { seq: now } = await readFeedState(connection, vault);
    const rows = await connection.query<{ hash: Buffer; size: string }>(
      {
        text: `SELECT b.hash, (SELECT sum(octet_length(p.bytes)) FROM roux.blob p WHERE p.vault = ${vault.id} AND p.hash = b.hash) AS size
          FROM roux.blob b WHERE b.vault = ${vault.id} AND b.piece = 0 AND b.used_at < clock_timestamp() - ${UNUSED_AGE}
            AND NOT EXISTS (SELECT FROM roux.file f WHERE f.vault = ${vault.id} AND f.hash = b.hash)
            AND NOT EXISTS (SELECT FROM roux.change c WHERE c.vault = ${vault.id} AND c.hash = b.hash)
            AND NOT EXISTS (SELECT FROM roux.change c WHERE c.vault = ${vault.id} AND c.before = b.hash)`,
      },
      { timeoutMs: SCAN_TIMEOUT_MS },
    );
    return { seq: now, unused: rows.map(({ hash, size }) => ({ hash, size: Number(size) })) };
  });
  for (const group of groupBySize(unused)) {
    await inTransaction<void, StateRow>(connection, `BEGIN ISOLATION LEVEL READ COMMITTED; ${lockStatement(vault)}`, async (rows) => {
      toFeedState(rows[0], vault);
      const statement = {
        // A content that was uploaded again has a later time.
        text: `WITH old AS (
            SELECT hash FROM roux.blob b WHERE b.vault = ${vault.id} AND b.hash = ANY($1::bytea[]) AND b.piece = 0
              AND b.used_at < clock_timestamp() - ${UNUSED_AGE}
              AND NOT EXISTS (SELECT FROM roux.change c WHERE c.vault = ${vault.id} AND c.seq > ${seq} AND c.hash = b.hash) ORDER BY b.hash FOR UPDATE)
          DELETE FROM roux.blob b USING old WHERE b.vault = ${vault.id} AND b.hash = old.hash`,
        values: [group.map(({ hash }) => hash)],
      };
      await connection.query(statement, { timeoutMs: SCAN_TIMEOUT_MS });
    });
  }
}

async function repeatWhileFull(step: () => Promise<number>): Promise<void> {
  while ((await step()) === ROWS_PER_STEP);
}
