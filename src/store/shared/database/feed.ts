import { createHash } from 'node:crypto';
import { foldKey } from '../../../note/path.ts';
import type { ChangeOp, FeedOptions, Listing, SharedChange, SharedCommit, SharedFile } from '../shared-vault.ts';
import { contentIn, firstPiece } from './blobs.ts';
import type { Connection } from './session/connection.ts';
import { AS_OF_NOW, inTransaction } from './session/transaction.ts';
import { feedState, readState } from './vault-row.ts';
import type { StateRow, VaultRow } from './vault-row.ts';

const COMMITS = 100;
const FILES_AT_ONCE = 20_000;
/** Of a full page they are a few megabytes. */
const SMALL_BYTES = 16 * 1024;

interface FeedRow extends StateRow {
  /** The last one of the vault. */
  readonly head: string;
  readonly batch: string | null;
  readonly agent: string;
  readonly machine: string;
  readonly operation: string;
  readonly at: string;
  readonly op: ChangeOp | null;
  readonly path: string;
  readonly old_path: string | null;
  readonly before: string | null;
  readonly hash: string | null;
  readonly size: string;
  readonly event: unknown;
  /** In base64; null: not asked for, or too large. */
  readonly text: string | null;
}

/** Commits after a number, in one look, so that none is missing between them; null when the feed is not kept that far back. */
export async function readCommits(
  connection: Connection,
  vault: VaultRow,
  after: number,
  limit = COMMITS,
  { withContents = false }: FeedOptions = {},
): Promise<readonly SharedCommit[] | null> {
  const rows = await connection.query<FeedRow>({
    name: `feed ${limit} ${withContents}`,
    text: `SELECT v.seq AS head, v.kept_after, v.format, b.seq, b.id AS batch, b.agent, b.machine, b.operation, b.at,
        c.op, c.path, c.old_path, encode(c.before, 'hex') AS before, encode(c.hash, 'hex') AS hash, c.size, c.event,
        ${withContents ? `(SELECT encode(s.bytes, 'base64') FROM (${firstPiece('bytes')}) s WHERE octet_length(s.bytes) <= ${SMALL_BYTES})` : 'NULL'} AS text
      FROM roux.vault v
      LEFT JOIN (SELECT * FROM roux.batch WHERE vault = $1 AND seq > $2 ORDER BY seq LIMIT ${Math.trunc(limit)}) b ON true
      LEFT JOIN LATERAL (SELECT * FROM roux.change WHERE vault = $1 AND seq = b.seq OFFSET 0) c ON true
      LEFT JOIN LATERAL (SELECT c.hash WHERE c.size <= ${SMALL_BYTES}) w ON true
      WHERE v.id = $1 ORDER BY b.seq, c.n`,
    values: [vault.id, after],
  });
  const { keptAfter } = feedState(rows[0] && { ...rows[0], seq: rows[0].head }, vault);
  if (after < keptAfter) return null;
  const commits = new Map<string, SharedCommit & { changes: SharedChange[] }>();
  for (const row of rows) {
    if (row.batch === null) continue;
    const { batch, agent, machine, operation, at } = row;
    let commit = commits.get(row.seq);
    if (commit === undefined) commits.set(row.seq, (commit = { seq: Number(row.seq), batch, agent, machine, operation, at, changes: [] }));
    if (row.op !== null) commit.changes.push(changeOf(row, row.op));
  }
  return [...commits.values()];
}

function changeOf({ path, old_path: oldPath, before, hash, size, event, text }: FeedRow, op: ChangeOp): SharedChange {
  return { op, path, oldPath, before, hash, size: Number(size), event, ...contentIn(hash, text) };
}

interface FileRow {
  readonly path: string;
  readonly hash: string;
  readonly size: string;
  readonly seq: string;
}

/** The columns of a file. */
const FILE = "path, encode(hash, 'hex') AS hash, size, seq";

/** What a path is compared by: the sha-256 of its fold, 32 bytes however long it is. */
export function foldOf(path: string): Buffer {
  return createHash('sha256').update(foldKey(path)).digest();
}

/**
 * Columns of the file with the fold `w.fold`. By `OFFSET` it stays a look for each fold: what PostgreSQL knows of a vault that was
 * just filled is that it is small, and it would look through all of it each time.
 */
export function byFold(columns: string): string {
  return `SELECT ${columns} FROM roux.file WHERE vault = $1 AND fold = w.fold OFFSET 0`;
}

/** The files that have these names, by the name that was asked for. */
export async function readFiles(
  connection: Connection,
  vault: VaultRow,
  paths: readonly string[],
): Promise<ReadonlyMap<string, SharedFile>> {
  const rows = await connection.query<FileRow & { readonly at: number }>({
    name: 'files',
    text: `SELECT w.at::int, f.* FROM unnest($2::bytea[]) WITH ORDINALITY AS w(fold, at) CROSS JOIN LATERAL (${byFold(FILE)}) f`,
    values: [vault.id, paths.map(foldOf)],
  });
  return new Map(rows.map((row) => [paths[row.at - 1] ?? '', fileOf(row)]));
}

/** Every file as of one moment. */
export async function readListing(connection: Connection, vault: VaultRow): Promise<Listing> {
  return inTransaction(connection, AS_OF_NOW, async () => ({
    seq: (await readState(connection, vault)).seq,
    files: await readAllFiles(connection, vault),
  }));
}

async function readAllFiles(connection: Connection, vault: VaultRow): Promise<readonly SharedFile[]> {
  const files: SharedFile[] = [];
  for (let after: Buffer = Buffer.alloc(0); ;) {
    const rows = await connection.query<FileRow & { readonly fold: string }>({
      name: 'listing',
      text: `SELECT encode(fold, 'hex') AS fold, ${FILE} FROM roux.file f WHERE vault = $1 AND f.fold > $2 ORDER BY f.fold LIMIT ${FILES_AT_ONCE}`,
      values: [vault.id, after],
    });
    for (const row of rows) files.push(fileOf(row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < FILES_AT_ONCE) return files;
    after = Buffer.from(last.fold, 'hex');
  }
}

/** The hash by path as of an earlier commit: what each name was before the first later commit that touched it, or else is. */
export async function readFilesAt(connection: Connection, vault: VaultRow, seq: number): Promise<ReadonlyMap<string, string> | null> {
  return inTransaction(connection, AS_OF_NOW, async () => {
    const state = await readState(connection, vault);
    if (seq < state.keptAfter || seq > state.seq) return null;
    const touched = await connection.query<{ path: string; before: string | null }>({
      // A name that a commit both took from a file and gave to another one was that of the first. The number stands in the text: what is the
      // best way depends on how many commits there are since.
      text: `SELECT DISTINCT ON (path) path, encode(before, 'hex') AS before FROM (
          SELECT path, seq, CASE WHEN op IN ('update', 'delete') THEN before END AS before FROM roux.change WHERE vault = $1 AND seq > ${Math.trunc(seq)}
          UNION ALL
          SELECT old_path, seq, before FROM roux.change WHERE vault = $1 AND seq > ${Math.trunc(seq)} AND op = 'rename'
        ) AS t(path, seq, before) ORDER BY path, seq, before IS NULL`,
      values: [vault.id],
    });
    const files = await readAllFiles(connection, vault);
    const found = new Map(files.map(({ path, hash }) => [path, hash]));
    for (const { path, before } of touched) {
      if (before === null) found.delete(path);
      else found.set(path, before);
    }
    return found;
  });
}

function fileOf({ path, hash, size, seq }: FileRow): SharedFile {
  return { path, hash, size: Number(size), seq: Number(seq) };
}
