import { RouxError } from '../../../errors.ts';
import { hashOf } from '../../folder/hash.ts';
import type { Blob } from '../shared-vault.ts';
import { tooLargeError } from '../too-large.ts';
import type { Connection } from './session/connection.ts';
import { inTransaction } from './session/transaction.ts';

/** Contents are stored in pieces: PostgreSQL holds a large value in memory several times. */
const MAX_PIECE_BYTES = 8 * 1024 * 1024;
/** The most that one statement sends or asks for. */
const MAX_GROUP_BYTES = 4 * 1024 * 1024;
const MAX_GROUP_ROWS = 400;
/** The time that a slow connection takes for a byte. */
const MS_PER_BYTE = 1000 / (64 * 1024);

/** Of at most this many contents, the query for their sizes returns the small ones too. */
const MAX_INLINE_BLOBS = 64;
const MAX_INLINE_BYTES = MAX_GROUP_BYTES / MAX_INLINE_BLOBS;

interface Piece {
  readonly hash: string;
  readonly piece: number;
  readonly size: number;
}

interface FoundPiece extends Piece {
  /** In base64; null if it has to be asked for. */
  readonly text: string | null;
}

/** Runs a query on a connection of the store. */
type RunQuery = <T>(query: (connection: Connection) => Promise<T>) => Promise<T>;

/** Limits the memory for contents, as anyone who may write to a store chooses how large they are. */
export interface BlobLimits {
  readonly maxBytes: number;
  /** Of contents in several pieces one is held at a time; `last` resolves when the last one is not held any more. */
  readonly queue: { last: Promise<void> };
}

/** Selects columns of the first piece of the content `w.hash`; `OFFSET` as in `selectByFold`. */
export function selectFirstPiece(columns: string): string {
  return `SELECT ${columns} FROM roux.blob WHERE vault = $1 AND hash = w.hash AND piece = 0 OFFSET 0`;
}

/** Decodes a content in base64; omits it if its bytes have another hash, as reading it again reports the damage. */
export function parseContent(hash: string | null, text: string | null): { readonly content?: Buffer } {
  if (hash === null || text === null) return {};
  const content = Buffer.from(text, 'base64');
  return hashOf(content) === hash ? { content } : {};
}

/** Returns the timeout for a transfer of this many bytes. */
export function transferTimeoutMs(bytes: number): number {
  return 30_000 + bytes * MS_PER_BYTE;
}

/** Checks the hashes of contents, and sorts them in the order in which they are inserted. */
export function verifyBlobs(blobs: readonly Blob[]): readonly Blob[] {
  const wrong = blobs.find(({ hash, bytes }) => hashOf(bytes) !== hash);
  if (wrong !== undefined) throw new Error(`The hash of a content is wrong: ${wrong.hash}`);
  return [...blobs].sort((a, b) => (a.hash < b.hash ? -1 : 1));
}

/** Inserts contents that are not there yet, in the order of their hashes, so that two machines cannot deadlock. */
export async function insertBlobs(connection: Connection, vault: number, blobs: readonly Blob[]): Promise<void> {
  const pieces = verifyBlobs(blobs).flatMap(({ hash, bytes }) => {
    const count = Math.max(1, Math.ceil(bytes.length / MAX_PIECE_BYTES));
    return Array.from({ length: count }, (_, piece) => {
      const part = bytes.subarray(piece * MAX_PIECE_BYTES, (piece + 1) * MAX_PIECE_BYTES);
      return { hash, piece, size: part.length, part };
    });
  });
  for (const group of groupBySize(pieces)) {
    const rows = group.map((_, row) => `($1, $${3 * row + 2}, $${3 * row + 3}, $${3 * row + 4})`);
    await connection.query(
      {
        text: `INSERT INTO roux.blob (vault, hash, piece, bytes) VALUES ${rows.join(', ')} ON CONFLICT DO NOTHING`,
        values: [vault, ...group.flatMap(({ hash, piece, part }) => [Buffer.from(hash, 'hex'), piece, part])],
      },
      { timeoutMs: transferTimeoutMs(sumSizes(group)) },
    );
  }
}

/** Implements `BlobStore.upload`, one transaction for each group. A content that is there is not sent, and counts as new for `prune`. May be repeated. */
export async function uploadBlobs(run: RunQuery, vault: number, blobs: Iterable<Blob> | AsyncIterable<Blob>): Promise<void> {
  let group: Blob[] = [];
  let bytes = 0;
  const send = async (): Promise<void> => {
    const sent = group;
    group = [];
    bytes = 0;
    if (sent.length > 0) await run((connection) => uploadGroup(connection, vault, sent));
  };
  for await (const blob of blobs) {
    if (group.length >= MAX_GROUP_ROWS || bytes + blob.bytes.length > MAX_GROUP_BYTES) await send();
    group.push(blob);
    bytes += blob.bytes.length;
  }
  await send();
}

async function uploadGroup(connection: Connection, vault: number, blobs: readonly Blob[]): Promise<void> {
  await inTransaction(connection, 'BEGIN', async () => {
    const rows = await connection.query<{ hash: string }>({
      name: 'there',
      text: `SELECT encode(w.hash, 'hex') AS hash FROM unnest($2::bytea[]) AS w(hash) CROSS JOIN LATERAL (${selectFirstPiece('hash')}) b`,
      values: [vault, toBytes(blobs.map(({ hash }) => hash))],
    });
    const found = rows.map(({ hash }) => hash);
    const renewed = found.length === 0 ? new Set() : await renewBlobs(connection, vault, found);
    const added = blobs.filter(({ hash }) => !renewed.has(hash));
    await insertBlobs(connection, vault, added);
  });
}

/** Makes existing contents count as new, in the order in which contents are inserted; returns those that still exist. */
async function renewBlobs(connection: Connection, vault: number, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await connection.query<{ hash: string }>({
    text: `WITH held AS (SELECT hash FROM roux.blob WHERE vault = $1 AND hash = ANY($2::bytea[]) AND piece = 0 ORDER BY hash FOR UPDATE)
      UPDATE roux.blob b SET used_at = clock_timestamp() FROM held WHERE b.vault = $1 AND b.hash = held.hash AND b.piece = 0
      RETURNING encode(b.hash, 'hex') AS hash`,
    values: [vault, toBytes(hashes)],
  });
  return new Set(rows.map(({ hash }) => hash));
}

/** Implements `BlobStore.get`. */
export async function readBlob(run: RunQuery, vault: number, hash: string, limits: BlobLimits): Promise<Buffer | null> {
  for await (const { bytes } of readBlobs(run, vault, [hash], { limits, onTooLarge: refuse })) return bytes;
  return null;

  function refuse(_: string, size: number): never {
    throw tooLargeError(size, limits.maxBytes);
  }
}

/** Implements `BlobStore.getAll`. Throws `IO_ERROR` for a content that is damaged. */
export async function* readBlobs(
  run: RunQuery,
  vault: number,
  hashes: Iterable<string>,
  { limits, onTooLarge = () => undefined }: { readonly limits: BlobLimits; readonly onTooLarge?: (hash: string, bytes: number) => void },
): AsyncGenerator<Blob & { readonly bytes: Buffer }> {
  const wanted = [...new Set(hashes)];
  for (let at = 0; at < wanted.length; at += 1000) {
    const some = toBytes(wanted.slice(at, at + 1000));
    const pieces = await run((connection) =>
      connection.query<FoundPiece>({
        name: 'pieces',
        text: `SELECT encode(w.hash, 'hex') AS hash, b.piece, b.size, b.text FROM unnest($2::bytea[]) AS w(hash) CROSS JOIN LATERAL (
            SELECT piece, octet_length(bytes) AS size, CASE WHEN octet_length(bytes) <= $3 THEN encode(bytes, 'base64') END AS text
            FROM roux.blob WHERE vault = $1 AND hash = w.hash OFFSET 0) b
          ORDER BY w.hash, b.piece`,
        values: [vault, some, wanted.length <= MAX_INLINE_BLOBS ? MAX_INLINE_BYTES : -1],
      }),
    );
    const sizes = new Map<string, number>();
    for (const { hash, size } of pieces) sizes.set(hash, (sizes.get(hash) ?? 0) + size);
    for (const [hash, size] of sizes) if (size > limits.maxBytes) onTooLarge(hash, size);
    const large: Piece[] = [];
    for (const { text, ...piece } of pieces) {
      if ((sizes.get(piece.hash) ?? 0) > limits.maxBytes) continue;
      // The last piece of a large content may be small.
      if (text === null || piece.piece > 0) large.push(piece);
      else yield verified(piece.hash, Buffer.from(text, 'base64'));
    }
    yield* readLarge(run, vault, large, { sizes, limits });
  }
}

/** Reads contents in pieces. Of those in several pieces one is held at a time, until the consumer goes on. */
async function* readLarge(
  run: RunQuery,
  vault: number,
  pieces: readonly Piece[],
  { sizes, limits }: { readonly sizes: ReadonlyMap<string, number>; readonly limits: BlobLimits },
): ReturnType<typeof readBlobs> {
  const byHash = new Map<string, Piece[]>();
  for (const piece of pieces) {
    const own = byHash.get(piece.hash);
    if (own === undefined) byHash.set(piece.hash, [piece]);
    else own.push(piece);
  }
  const small = pieces.filter(({ hash }) => byHash.get(hash)?.length === 1);
  for (const group of groupBySize(small)) {
    const rows = await run((connection) => readPieces(connection, vault, group));
    for (const { hash, text } of rows) yield verified(hash, Buffer.from(text, 'base64'));
  }
  for (const [hash, own] of byHash) {
    if (own.length === 1) continue;
    const before = limits.queue.last;
    let release = (): void => undefined;
    limits.queue.last = new Promise((resolve) => (release = resolve));
    await before;
    try {
      const content = Buffer.allocUnsafe(sizes.get(hash) ?? 0);
      let length = 0;
      for (const group of groupBySize(own)) {
        const rows = await run((connection) => readPieces(connection, vault, group));
        for (const { text } of rows) length += Buffer.from(text, 'base64').copy(content, length);
      }
      yield verified(hash, content.subarray(0, length));
    } finally {
      release();
    }
  }
}

function readPieces(connection: Connection, vault: number, group: readonly Piece[]): Promise<readonly { hash: string; text: string }[]> {
  return connection.query(
    {
      name: 'bytes',
      // The driver reads bytes as text only, and base64 is shorter than its hexadecimal form.
      text: `SELECT encode(w.hash, 'hex') AS hash, encode(b.bytes, 'base64') AS text
        FROM unnest($2::bytea[], $3::int[]) AS w(hash, piece) CROSS JOIN LATERAL (
          SELECT bytes FROM roux.blob WHERE vault = $1 AND hash = w.hash AND piece = w.piece OFFSET 0) b
        ORDER BY w.hash, w.piece`,
      values: [vault, toBytes(group.map(({ hash }) => hash)), group.map(({ piece }) => piece)],
    },
    { timeoutMs: transferTimeoutMs(sumSizes(group)) },
  );
}

function verified(hash: string, bytes: Buffer): Blob & { readonly bytes: Buffer } {
  if (hashOf(bytes) === hash) return { hash, bytes };
  throw new RouxError('IO_ERROR', `The store's copy of the content ${hash} is damaged: its bytes have another hash.`, { hash });
}

/** Converts hashes to the form in which PostgreSQL stores them. */
export function toBytes(hashes: readonly string[]): readonly Buffer[] {
  return hashes.map((hash) => Buffer.from(hash, 'hex'));
}

/** Groups what has a size, so that each group is small enough for one statement. */
export function* groupBySize<P extends { readonly size: number }>(pieces: readonly P[]): Generator<readonly P[]> {
  let group: P[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    if (group.length > 0 && (group.length >= MAX_GROUP_ROWS || bytes + piece.size > MAX_GROUP_BYTES)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(piece);
    bytes += piece.size;
  }
  if (group.length > 0) yield group;
}

function sumSizes(group: readonly { readonly size: number }[]): number {
  return group.reduce((sum, { size }) => sum + size, 0);
}
