import { RouxError } from '../../../errors.ts';
import { foldKey } from '../../../note/path.ts';
import type { Blob, KeyedAnswer, NewCommit, SharedChange, SharedFile } from '../shared-vault.ts';
import { toBytes, verifyBlobs, selectFirstPiece, insertBlobs } from './blobs.ts';
import type { Connection } from './session/connection.ts';
import { selectByFold, hashFold } from './feed.ts';
import type { VaultRow } from './vault-row.ts';

/** How long a repeated request with the same idempotency key gets the first answer, by the clock of the store. */
const KEY_DAYS = 7;
/** Contents of at most this size together are inserted with the commit, in one statement. */
const MAX_INLINE_BYTES = 64 * 1024;

const hashesAfter = ({ changes }: NewCommit): readonly string[] => [
  ...new Set(changes.flatMap(({ hash }) => (hash === null ? [] : [hash]))),
];

/** Implements `LockedVault.append`: appends a commit after `seq` and returns its number. Refuses a commit before anything is written. */
export async function appendCommit(connection: Connection, vault: VaultRow, seq: number, commit: NewCommit): Promise<number> {
  checkShape(commit);
  const found = await findExisting(connection, vault, commit);
  checkState(commit.changes, found.files);
  const missing = hashesAfter(commit).filter((hash) => !found.blobs.has(hash));
  const given = missing.flatMap((hash) => {
    const bytes = commit.blobs.get(hash);
    return bytes === undefined ? [] : [{ hash, bytes }];
  });
  if (given.length < missing.length) {
    const hashes = missing.filter((hash) => !commit.blobs.has(hash));
    throw new RouxError('NOT_FOUND', `The store does not have ${hashes.length} of the contents that the commit names.`, { hashes });
  }
  const isSmall = given.reduce((sum, { bytes }) => sum + bytes.length, 0) <= MAX_INLINE_BYTES;
  if (!isSmall) await insertBlobs(connection, vault.id, given);
  if (commit.key !== undefined) await clearExpiredKey(connection, vault, commit.key.key);
  await insertCommit(connection, vault, seq + 1, { commit, blobs: isSmall ? verifyBlobs(given) : [] });
  return seq + 1;
}

/** Implements `LockedVault.findKey`. */
export async function findKey(connection: Connection, vault: VaultRow, key: string): Promise<KeyedAnswer | null> {
  const [row] = await connection.query<{ seq: string; id: string; payload_hash: string; answer: unknown }>({
    name: 'key',
    text: 'SELECT seq, id, payload_hash, answer FROM roux.batch WHERE vault = $1 AND key = $2 AND expires > clock_timestamp()',
    values: [vault.id, key],
  });
  return row === undefined ? null : { payloadHash: row.payload_hash, answer: row.answer, batch: row.id, seq: Number(row.seq) };
}

/** Clears an idempotency key that has expired, so that it can be used again. */
async function clearExpiredKey(connection: Connection, vault: VaultRow, key: string): Promise<void> {
  await connection.query({
    name: 'free',
    text: `UPDATE roux.batch SET key = NULL, payload_hash = NULL, answer = NULL, expires = NULL
      WHERE vault = $1 AND key = $2 AND expires <= clock_timestamp()`,
    values: [vault.id, key],
  });
}

/** Throws for a commit that could not be applied; names must not contain half of a surrogate pair. */
function checkShape({ changes }: NewCommit): void {
  const from = new Set<string>();
  const to = new Set<string>();
  const addOnce = (names: Set<string>, path: string): void => {
    const key = foldKey(path);
    if (names.has(key)) throw new Error(`Two changes of one commit are about ${JSON.stringify(path)}.`);
    names.add(key);
  };
  for (const { op, path, oldPath, before, hash } of changes) {
    const isWhole = {
      create: oldPath === null && before === null && hash !== null,
      update: oldPath === null && before !== null && hash !== null,
      rename: oldPath !== null && before !== null && hash !== null,
      delete: oldPath === null && before !== null && hash === null,
    }[op];
    if (!isWhole) throw new Error(`The change of ${JSON.stringify(path)} is not a complete ${op}.`);
    if (/\p{Cs}/u.test(path)) {
      throw new RouxError(
        'INVALID_ENCODING',
        `The name ${JSON.stringify(path)} contains half of a surrogate pair, which the store cannot save.`,
        { path },
      );
    }
    if (op !== 'create') addOnce(from, oldPath ?? path);
    if (op !== 'delete') addOnce(to, path);
  }
}

const pathsBefore = (changes: readonly SharedChange[]): readonly string[] =>
  changes.flatMap(({ op, path, oldPath }) => (op === 'create' ? [] : [oldPath ?? path]));
const pathsAfter = (changes: readonly SharedChange[]): readonly string[] =>
  changes.flatMap(({ op, path }) => (op === 'delete' ? [] : [path]));

interface Existing {
  /** By the hash of the folded path, hex. */
  readonly files: ReadonlyMap<string, Pick<SharedFile, 'path' | 'hash'>>;
  readonly blobs: ReadonlySet<string>;
}

/** Finds the files and contents that the changes refer to, in one query. */
async function findExisting(connection: Connection, vault: VaultRow, commit: NewCommit): Promise<Existing> {
  const names = [...pathsBefore(commit.changes), ...pathsAfter(commit.changes)];
  const rows = await connection.query<{ fold: string | null; path: string; hash: string }>({
    name: 'look',
    text: `SELECT encode(w.fold, 'hex') AS fold, f.path, encode(f.hash, 'hex') AS hash FROM unnest($2::bytea[]) AS w(fold)
        CROSS JOIN LATERAL (${selectByFold('path, hash')}) f
      UNION ALL
      SELECT NULL, '', encode(w.hash, 'hex') FROM unnest($3::bytea[]) AS w(hash) CROSS JOIN LATERAL (${selectFirstPiece('hash')}) b`,
    values: [vault.id, names.map(hashFold), toBytes(hashesAfter(commit))],
  });
  return {
    files: new Map(rows.flatMap(({ fold, path, hash }) => (fold === null ? [] : [[fold, { path, hash }]]))),
    blobs: new Set(rows.flatMap(({ fold, hash }) => (fold === null ? [hash] : []))),
  };
}

/** Throws unless the files are as the changes expect them, and the new paths are free or become free. */
function checkState(changes: readonly SharedChange[], files: Existing['files']): void {
  const fileOf = (path: string): Pick<SharedFile, 'path' | 'hash'> | undefined => files.get(hashFold(path).toString('hex'));
  const stale = changes.flatMap(({ op, path, oldPath, before }) => {
    if (op === 'create') return [];
    const found = fileOf(oldPath ?? path);
    return found?.path === (oldPath ?? path) && found.hash === before ? [] : [oldPath ?? path];
  });
  if (stale.length > 0) {
    throw new RouxError(
      'CONFLICT',
      `In the store ${stale.join(', ')} ${stale.length === 1 ? 'is' : 'are'} not what the changes start from.`,
      {
        paths: stale,
      },
    );
  }
  const freed = new Set(pathsBefore(changes).map(foldKey));
  for (const path of pathsAfter(changes)) {
    const found = fileOf(path);
    if (found !== undefined && !freed.has(foldKey(path))) {
      throw new RouxError('NODE_EXISTS', `The name ${path} is taken in the store by ${found.path}.`, { path, existing: found.path });
    }
  }
}

/** Inserts a commit. Rows of paths that no file has any more are deleted first; those of all other paths are replaced. */
async function insertCommit(
  connection: Connection,
  vault: VaultRow,
  seq: number,
  { commit, blobs }: { readonly commit: NewCommit; readonly blobs: readonly Blob[] },
): Promise<void> {
  const { changes, key } = commit;
  const files = changes.filter(({ op }) => op !== 'delete');
  const taken = new Set(files.map(({ path }) => foldKey(path)));
  const freed = pathsBefore(changes).filter((path) => !taken.has(foldKey(path)));
  if (freed.length > 0) {
    const text = 'DELETE FROM roux.file WHERE vault = $1 AND fold = ANY($2::bytea[])';
    await connection.query({ text, values: [vault.id, freed.map(hashFold)] });
  }
  await connection.query({
    name: 'append',
    text: `
      WITH new_blobs AS (
        INSERT INTO roux.blob (vault, hash, piece, bytes)
        SELECT $1, b.hash, 0, b.bytes FROM unnest($22::bytea[], $23::bytea[]) AS b(hash, bytes) ON CONFLICT DO NOTHING
      ), new_files AS (
        INSERT INTO roux.file (vault, fold, path, hash, size, seq)
        SELECT $1, f.fold, f.path, f.hash, f.size, $2 FROM unnest($3::bytea[], $4::text[], $5::bytea[], $6::bigint[]) AS f(fold, path, hash, size)
        ON CONFLICT (vault, fold) DO UPDATE SET path = excluded.path, hash = excluded.hash, size = excluded.size, seq = excluded.seq
      ), new_batch AS (
        INSERT INTO roux.batch (vault, seq, id, agent, machine, operation, at, key, payload_hash, answer, expires)
        VALUES ($1, $2, $14, $15, $16, $17, $18, $19, $20, $21::json, CASE WHEN $19::text IS NOT NULL THEN clock_timestamp() + interval '${KEY_DAYS} days' END)
      ), new_changes AS (
        INSERT INTO roux.change (vault, seq, n, op, path, old_path, before, hash, size, event)
        SELECT $1, $2, c.n, c.op, c.path, c.old_path, c.before, c.hash, c.size, c.event::json
        FROM unnest($7::text[], $8::text[], $9::text[], $10::bytea[], $11::bytea[], $12::bigint[], $13::text[])
          WITH ORDINALITY AS c(op, path, old_path, before, hash, size, event, n)
      )
      UPDATE roux.vault SET seq = $2 WHERE id = $1`,
    values: [
      vault.id,
      seq,
      files.map(({ path }) => hashFold(path)),
      files.map(({ path }) => path),
      hashColumn(files, 'hash'),
      files.map(({ size }) => size),
      changes.map(({ op }) => op),
      changes.map(({ path }) => path),
      changes.map(({ oldPath }) => oldPath),
      hashColumn(changes, 'before'),
      hashColumn(changes, 'hash'),
      changes.map(({ size }) => size),
      changes.map(({ event }) => JSON.stringify(event ?? null)),
      commit.batch,
      commit.agent,
      commit.machine,
      commit.operation,
      commit.at,
      key?.key ?? null,
      key?.payloadHash ?? null,
      key === undefined ? null : JSON.stringify(key.answer ?? null),
      toBytes(blobs.map(({ hash }) => hash)),
      blobs.map(({ bytes }) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    ],
  });
}

function hashColumn(changes: readonly SharedChange[], field: 'before' | 'hash'): readonly (Buffer | null)[] {
  return changes.map(({ [field]: hash }) => (hash === null ? null : Buffer.from(hash, 'hex')));
}
