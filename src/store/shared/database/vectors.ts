import { RouxError } from '../../../errors.ts';
import { hashOf } from '../../folder/hash.ts';
import type { SharedVectors } from '../shared-vault.ts';
import { transferTimeoutMs } from './blobs.ts';
import type { Connection } from './session/connection.ts';
import type { VaultRow } from './vault-row.ts';

/** A use is recorded once a day, so that reading writes little. */
const USED_TODAY = "used_at >= clock_timestamp() - interval '1 day'";
/** Vectors that no machine has asked for in this time are removed. */
const UNUSED_AGE = "interval '30 days'";
/** The rows of one statement. */
const ROWS_PER_STEP = 500;

interface VectorsOptions {
  readonly vault: VaultRow;
  readonly isReadOnly: boolean;
  /** Runs a query on a connection of the store. */
  readonly run: <T>(query: (connection: Connection) => Promise<T>) => Promise<T>;
  /** Throws `READ_ONLY` where nothing may be written. */
  readonly checkWritable: () => void;
}

/** Implements `SharedVectors`. */
export function createSharedVectors({ vault, isReadOnly, run, checkWritable }: VectorsOptions): SharedVectors {
  /** Embedders are named by the hash of their id, which may hold the address of an endpoint. */
  const idOf = (embedder: string): Buffer => Buffer.from(hashOf(Buffer.from(embedder)), 'hex');

  async function find(
    embedder: string,
    keys: readonly string[],
    bytes: number | null,
  ): Promise<readonly { readonly key: string; readonly text: string | null }[]> {
    return run(async (connection) => {
      const values = [vault.id, idOf(embedder), keys, bytes];
      const rows = await connection.query<{ key: string; text: string | null; is_recent: boolean }>({
        name: 'vectors',
        // `OFFSET` as in `selectByFold`. A vector of another length is none of this embedder, however long it is.
        text: `SELECT w.key, v.text, v.is_recent FROM unnest($3::text[]) AS w(key) CROSS JOIN LATERAL (
            SELECT CASE WHEN $4::integer IS NOT NULL THEN encode(bytes, 'base64') END AS text, ${USED_TODAY} AS is_recent FROM roux.vector
            WHERE vault = $1 AND embedder = $2 AND key = w.key AND ($4::integer IS NULL OR octet_length(bytes) = $4) OFFSET 0) v`,
        values,
      });
      const old = rows.filter(({ is_recent: isRecent }) => !isRecent).map(({ key }) => key);
      if (old.length > 0 && !isReadOnly)
        await connection.query({
          // In one order and without waiting, so that two machines cannot deadlock.
          text: `WITH held AS (SELECT key FROM roux.vector WHERE vault = $1 AND embedder = $2 AND key = ANY($3) ORDER BY key FOR UPDATE SKIP LOCKED)
            UPDATE roux.vector v SET used_at = clock_timestamp() FROM held WHERE v.vault = $1 AND v.embedder = $2 AND v.key = held.key`,
          values: [vault.id, idOf(embedder), old],
        });
      return rows;
    }).catch(explainMissing);
  }

  return {
    async get(embedder, keys, bytes) {
      const rows = await find(embedder, keys, bytes);
      return new Map(rows.map(({ key, text }) => [key, Buffer.from(text ?? '', 'base64')]));
    },
    async findMissing(embedder, keys) {
      const found = new Set((await find(embedder, keys, null)).map(({ key }) => key));
      return keys.filter((key) => !found.has(key));
    },
    async put(embedder, vectors) {
      checkWritable();
      const sorted = [...vectors].sort(([a], [b]) => (a < b ? -1 : 1));
      if (sorted.length === 0) return;
      const rows = sorted.map((_, row) => `($1, $2, $${2 * row + 3}, $${2 * row + 4})`);
      const statement = {
        text: `INSERT INTO roux.vector (vault, embedder, key, bytes) VALUES ${rows.join(', ')}
          ON CONFLICT (vault, embedder, key) DO UPDATE SET bytes = excluded.bytes, used_at = excluded.used_at`,
        values: [vault.id, idOf(embedder), ...sorted.flatMap(([key, bytes]) => [key, bytes])],
      };
      const size = sorted.reduce((sum, [, bytes]) => sum + bytes.length, 0);
      await run((connection) => connection.query(statement, { timeoutMs: transferTimeoutMs(size) })).catch(explainMissing);
    },
  };
}

/** Removes vectors that no machine has used for a long time; nothing where this machine may not, or the store has none. */
export async function pruneVectors(connection: Connection, vault: VaultRow): Promise<void> {
  try {
    for (let removed = ROWS_PER_STEP; removed === ROWS_PER_STEP;) {
      const rows = await connection.query(
        {
          text: `DELETE FROM roux.vector v USING (
              SELECT embedder, key FROM roux.vector WHERE vault = ${vault.id} AND used_at < clock_timestamp() - ${UNUSED_AGE}
              LIMIT ${ROWS_PER_STEP} FOR UPDATE SKIP LOCKED) AS old
            WHERE v.vault = ${vault.id} AND v.embedder = old.embedder AND v.key = old.key RETURNING 1`,
        },
        { timeoutMs: 300_000 },
      );
      removed = rows.length;
    }
  } catch (error) {
    if (!(error instanceof RouxError && (error.code === 'FORBIDDEN' || error.code === 'VAULT_NOT_FOUND'))) throw error;
  }
}

/** The store has no table for vectors while no machine that may create it has opened it. */
function explainMissing(error: unknown): never {
  if (!(error instanceof RouxError) || error.code !== 'VAULT_NOT_FOUND') throw error;
  const message = 'The store has no table for vectors yet. The next machine whose role may create tables makes it when it opens the vault.';
  throw new RouxError('UNAVAILABLE', message);
}
