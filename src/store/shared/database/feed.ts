import { createHash } from 'node:crypto';
import { foldKey } from '../../../note/path.ts';
import type { ChangeOp, FeedOptions, Listing, SharedChange, SharedCommit, SharedFile } from '../shared-vault.ts';
import { parseContent, selectFirstPiece } from './blobs.ts';
import type { Connection } from './session/connection.ts';
import { BEGIN_SNAPSHOT, inTransaction } from './session/transaction.ts';
import { toFeedState, readFeedState } from './vault-row.ts';
import type { StateRow, VaultRow } from './vault-row.ts';

const DEFAULT_LIMIT = 100;
const FILES_PER_QUERY = 20_000;
/** Larger contents are not returned with commits; those of a full page are a few megabytes. */
const MAX_INLINE_BYTES = 16 * 1024;

interface FeedRow extends StateRow {
  /** The last commit of the vault. */
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
  /** The content in base64; null if it is not asked for, or too large. */
  readonly text: string | null;
}

/** Implements `CommitFeed.commitsAfter` in one query, so that no commit can be pruned in between. */
export async function readCommits(
  connection: Connection,
  vault: VaultRow,
  after: number,
  limit = DEFAULT_LIMIT,
  { withContents = false }: FeedOptions = {},
): Promise<readonly SharedCommit[] | null> {
  const rows = await connection.query<FeedRow>({
    name: `feed ${limit} ${withContents}`,
    text: `SELECT v.seq AS head, v.kept_after, v.format, b.seq, b.id AS batch, b.agent, b.machine, b.operation, b.at,
        c.op, c.path, c.old_path, encode(c.before, 'hex') AS before, encode(c.hash, 'hex') AS hash, c.size, c.event,
        ${withContents ? `(SELECT encode(s.bytes, 'base64') FROM (${selectFirstPiece('bytes')}) s WHERE octet_length(s.bytes) <= ${MAX_INLINE_BYTES})` : 'NULL'} AS text
      FROM roux.vault v
      LEFT JOIN (SELECT * FROM roux.batch WHERE vault = $1 AND seq > $2 ORDER BY seq LIMIT ${Math.trunc(limit)}) b ON true
      LEFT JOIN LATERAL (SELECT * FROM roux.change WHERE vault = $1 AND seq = b.seq OFFSET 0) c ON true
      LEFT JOIN LATERAL (SELECT c.hash WHERE c.size <= ${MAX_INLINE_BYTES}) w ON true
      WHERE v.id = $1 ORDER BY b.seq, c.n`,
    values: [vault.id, after],
  });
  const { prunedSeq } = toFeedState(rows[0] && { ...rows[0], seq: rows[0].head }, vault);
  if (after < prunedSeq) return null;
  const commits = new Map<string, SharedCommit & { changes: SharedChange[] }>();
  for (const row of rows) {
    if (row.batch === null) continue;
    const { batch, agent, machine, operation, at } = row;
    let commit = commits.get(row.seq);
    if (commit === undefined) commits.set(row.seq, (commit = { seq: Number(row.seq), batch, agent, machine, operation, at, changes: [] }));
    if (row.op !== null) commit.changes.push(toChange(row, row.op));
  }
  return [...commits.values()];
}

function toChange({ path, old_path: oldPath, before, hash, size, event, text }: FeedRow, op: ChangeOp): SharedChange {
  return { op, path, oldPath, before, hash, size: Number(size), event, ...parseContent(hash, text) };
}

interface FileRow {
  readonly path: string;
  readonly hash: string;
  readonly size: string;
  readonly seq: string;
}

const FILE_COLUMNS = "path, encode(hash, 'hex') AS hash, size, seq";

/** Returns the key by which paths are compared: the sha-256 of the folded path, which has the same length for all paths. */
export function hashFold(path: string): Buffer {
  return createHash('sha256').update(foldKey(path)).digest();
}

/**
 * Selects columns of the file with the fold `w.fold`. `OFFSET` makes PostgreSQL look up each fold by itself: its statistics of a vault that was
 * just uploaded say that the table is small, and it would scan all of it.
 */
export function selectByFold(columns: string): string {
  return `SELECT ${columns} FROM roux.file WHERE vault = $1 AND fold = w.fold OFFSET 0`;
}

/** Implements `LockedVault.findFiles`. */
export async function findFiles(
  connection: Connection,
  vault: VaultRow,
  paths: readonly string[],
): Promise<ReadonlyMap<string, SharedFile>> {
  const rows = await connection.query<FileRow & { readonly at: number }>({
    name: 'files',
    text: `SELECT w.at::int, f.* FROM unnest($2::bytea[]) WITH ORDINALITY AS w(fold, at) CROSS JOIN LATERAL (${selectByFold(FILE_COLUMNS)}) f`,
    values: [vault.id, paths.map(hashFold)],
  });
  return new Map(rows.map((row) => [paths[row.at - 1] ?? '', toFile(row)]));
}

/** Implements `CommitFeed.listing`. */
export async function readListing(connection: Connection, vault: VaultRow): Promise<Listing> {
  return inTransaction(connection, BEGIN_SNAPSHOT, async () => ({
    seq: (await readFeedState(connection, vault)).seq,
    files: await readAllFiles(connection, vault),
  }));
}

async function readAllFiles(connection: Connection, vault: VaultRow): Promise<readonly SharedFile[]> {
  const files: SharedFile[] = [];
  for (let after: Buffer = Buffer.alloc(0); ;) {
    const rows = await connection.query<FileRow & { readonly fold: string }>({
      name: 'listing',
      text: `SELECT encode(fold, 'hex') AS fold, ${FILE_COLUMNS} FROM roux.file f WHERE vault = $1 AND f.fold > $2 ORDER BY f.fold LIMIT ${FILES_PER_QUERY}`,
      values: [vault.id, after],
    });
    for (const row of rows) files.push(toFile(row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < FILES_PER_QUERY) return files;
    after = Buffer.from(last.fold, 'hex');
  }
}

/** Implements `CommitFeed.filesAt`: takes the current files, and for each path that later commits changed the hash before the first of them. */
export async function readFilesAt(connection: Connection, vault: VaultRow, seq: number): Promise<ReadonlyMap<string, string> | null> {
  return inTransaction(connection, BEGIN_SNAPSHOT, async () => {
    const state = await readFeedState(connection, vault);
    if (seq < state.prunedSeq || seq > state.seq) return null;
    const touched = await connection.query<{ path: string; before: string | null }>({
      // If a commit took a path from one file and gave it to another, the path was that of the first. The number is part of the text, because the
      // best plan depends on how many commits follow.
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

function toFile({ path, hash, size, seq }: FileRow): SharedFile {
  return { path, hash, size: Number(size), seq: Number(seq) };
}
