import { RouxError } from '../../../errors.ts';
import { foldKey } from '../../../note/path.ts';
import type { Blob, KeyedAnswer, NewCommit, SharedChange, SharedFile } from '../shared-vault.ts';
import { bytesOf, checkedBlobs, firstPiece, insertBlobs } from './blobs.ts';
import type { Connection } from './session/connection.ts';
import { byFold, foldOf } from './feed.ts';
import type { VaultRow } from './vault-row.ts';

/** How long a repeat with the same idempotency key gets the first answer, by the clock of the store. */
const KEPT_DAYS = 7;
/** Contents of no more than this go with the commit, in one statement. */
const SMALL_BYTES = 64 * 1024;

/** Appends a commit after `seq`, under the vault's row; gives its number. What it refuses, it refuses before it writes anything. */
export async function appendCommit(connection: Connection, vault: VaultRow, seq: number, commit: NewCommit): Promise<number> {
  checkShape(commit);
  const found = await lookUp(connection, vault, commit);
  checkState(commit.changes, found.files);
  const missing = wantedHashes(commit).filter((hash) => !found.blobs.has(hash));
  const given = missing.flatMap((hash) => {
    const bytes = commit.blobs.get(hash);
    return bytes === undefined ? [] : [{ hash, bytes }];
  });
  if (given.length < missing.length) {
    const hashes = missing.filter((hash) => !commit.blobs.has(hash));
    throw new RouxError('NOT_FOUND', `The store has not got ${hashes.length} of the contents that the commit names.`, { hashes });
  }
  const isSmall = given.reduce((sum, { bytes }) => sum + bytes.length, 0) <= SMALL_BYTES;
  if (!isSmall) await insertBlobs(connection, vault.id, given);
  if (commit.key !== undefined) await freeKey(connection, vault, commit.key.key);
  await write(connection, vault, seq + 1, { commit, blobs: isSmall ? checkedBlobs(given) : [] });
  return seq + 1;
}

/** What was done under an idempotency key, while it is kept. */
export async function findKey(connection: Connection, vault: VaultRow, key: string): Promise<KeyedAnswer | null> {
  const [row] = await connection.query<{ seq: string; id: string; payload_hash: string; answer: unknown }>({
    name: 'key',
    text: 'SELECT seq, id, payload_hash, answer FROM roux.batch WHERE vault = $1 AND key = $2 AND expires > clock_timestamp()',
    values: [vault.id, key],
  });
  return row === undefined ? null : { payloadHash: row.payload_hash, answer: row.answer, batch: row.id, seq: Number(row.seq) };
}

/** A key that has expired is one that was never used. */
async function freeKey(connection: Connection, vault: VaultRow, key: string): Promise<void> {
  await connection.query({
    name: 'free',
    text: `UPDATE roux.batch SET key = NULL, payload_hash = NULL, answer = NULL, expires = NULL
      WHERE vault = $1 AND key = $2 AND expires <= clock_timestamp()`,
    values: [vault.id, key],
  });
}

/** A commit that nobody could apply is a fault of who makes it. */
function checkShape({ changes }: NewCommit): void {
  const from = new Set<string>();
  const to = new Set<string>();
  const claim = (names: Set<string>, path: string): void => {
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
    if (!isWhole) throw new Error(`A change of ${JSON.stringify(path)} is no whole ${op}.`);
    if (/\p{Cs}/u.test(path)) {
      throw new RouxError(
        'INVALID_ENCODING',
        `The name ${JSON.stringify(path)} contains half of a character, which the store cannot keep.`,
        { path },
      );
    }
    if (op !== 'create') claim(from, oldPath ?? path);
    if (op !== 'delete') claim(to, path);
  }
}

/** The names that files have before the changes. */
const oldNames = (changes: readonly SharedChange[]): readonly string[] =>
  changes.flatMap(({ op, path, oldPath }) => (op === 'create' ? [] : [oldPath ?? path]));
/** The names that files have after them. */
const newNames = (changes: readonly SharedChange[]): readonly string[] =>
  changes.flatMap(({ op, path }) => (op === 'delete' ? [] : [path]));

const wantedHashes = ({ changes }: NewCommit): readonly string[] => [
  ...new Set(changes.flatMap(({ hash }) => (hash === null ? [] : [hash]))),
];

interface Found {
  /** By fold, hex. */
  readonly files: ReadonlyMap<string, Pick<SharedFile, 'path' | 'hash'>>;
  readonly blobs: ReadonlySet<string>;
}

/** One question for all that the changes are held against. */
async function lookUp(connection: Connection, vault: VaultRow, commit: NewCommit): Promise<Found> {
  const names = [...oldNames(commit.changes), ...newNames(commit.changes)];
  const rows = await connection.query<{ fold: string | null; path: string; hash: string }>({
    name: 'look',
    text: `SELECT encode(w.fold, 'hex') AS fold, f.path, encode(f.hash, 'hex') AS hash FROM unnest($2::bytea[]) AS w(fold)
        CROSS JOIN LATERAL (${byFold('path, hash')}) f
      UNION ALL
      SELECT NULL, '', encode(w.hash, 'hex') FROM unnest($3::bytea[]) AS w(hash) CROSS JOIN LATERAL (${firstPiece('hash')}) b`,
    values: [vault.id, names.map(foldOf), bytesOf(wantedHashes(commit))],
  });
  return {
    files: new Map(rows.flatMap(({ fold, path, hash }) => (fold === null ? [] : [[fold, { path, hash }]]))),
    blobs: new Set(rows.flatMap(({ fold, hash }) => (fold === null ? [hash] : []))),
  };
}

/** Files are what the changes say that they were, and names that are given are free or become so. */
function checkState(changes: readonly SharedChange[], files: Found['files']): void {
  const fileOf = (path: string): Pick<SharedFile, 'path' | 'hash'> | undefined => files.get(foldOf(path).toString('hex'));
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
  const freed = new Set(oldNames(changes).map(foldKey));
  for (const path of newNames(changes)) {
    const found = fileOf(path);
    if (found !== undefined && !freed.has(foldKey(path))) {
      throw new RouxError('NODE_EXISTS', `The name ${path} is taken in the store by ${found.path}.`, { path, existing: found.path });
    }
  }
}

/** Names that are given are put in place of what was there; the others that were left go first. */
async function write(
  connection: Connection,
  vault: VaultRow,
  seq: number,
  { commit, blobs }: { readonly commit: NewCommit; readonly blobs: readonly Blob[] },
): Promise<void> {
  const { changes, key } = commit;
  const given = changes.filter(({ op }) => op !== 'delete');
  const kept = new Set(given.map(({ path }) => foldKey(path)));
  const left = oldNames(changes).filter((path) => !kept.has(foldKey(path)));
  if (left.length > 0) {
    const text = 'DELETE FROM roux.file WHERE vault = $1 AND fold = ANY($2::bytea[])';
    await connection.query({ text, values: [vault.id, left.map(foldOf)] });
  }
  await connection.query({
    name: 'append',
    text: `
      WITH kept AS (
        INSERT INTO roux.blob (vault, hash, piece, bytes)
        SELECT $1, b.hash, 0, b.bytes FROM unnest($22::bytea[], $23::bytea[]) AS b(hash, bytes) ON CONFLICT DO NOTHING
      ), put AS (
        INSERT INTO roux.file (vault, fold, path, hash, size, seq)
        SELECT $1, f.fold, f.path, f.hash, f.size, $2 FROM unnest($3::bytea[], $4::text[], $5::bytea[], $6::bigint[]) AS f(fold, path, hash, size)
        ON CONFLICT (vault, fold) DO UPDATE SET path = excluded.path, hash = excluded.hash, size = excluded.size, seq = excluded.seq
      ), headed AS (
        INSERT INTO roux.batch (vault, seq, id, agent, machine, operation, at, key, payload_hash, answer, expires)
        VALUES ($1, $2, $14, $15, $16, $17, $18, $19, $20, $21::json, CASE WHEN $19::text IS NOT NULL THEN clock_timestamp() + interval '${KEPT_DAYS} days' END)
      ), fed AS (
        INSERT INTO roux.change (vault, seq, n, op, path, old_path, before, hash, size, event)
        SELECT $1, $2, c.n, c.op, c.path, c.old_path, c.before, c.hash, c.size, c.event::json
        FROM unnest($7::text[], $8::text[], $9::text[], $10::bytea[], $11::bytea[], $12::bigint[], $13::text[])
          WITH ORDINALITY AS c(op, path, old_path, before, hash, size, event, n)
      )
      UPDATE roux.vault SET seq = $2 WHERE id = $1`,
    values: [
      vault.id,
      seq,
      given.map(({ path }) => foldOf(path)),
      given.map(({ path }) => path),
      hashesOf(given, 'hash'),
      given.map(({ size }) => size),
      changes.map(({ op }) => op),
      changes.map(({ path }) => path),
      changes.map(({ oldPath }) => oldPath),
      hashesOf(changes, 'before'),
      hashesOf(changes, 'hash'),
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
      bytesOf(blobs.map(({ hash }) => hash)),
      blobs.map(({ bytes }) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    ],
  });
}

function hashesOf(changes: readonly SharedChange[], field: 'before' | 'hash'): readonly (Buffer | null)[] {
  return changes.map(({ [field]: hash }) => (hash === null ? null : Buffer.from(hash, 'hex')));
}
