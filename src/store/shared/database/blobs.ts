import { RouxError } from '../../../errors.ts';
import { hashOf } from '../../folder/hash.ts';
import type { Blob } from '../shared-vault.ts';
import { tooLargeError } from '../too-large.ts';
import type { Connection } from './session/connection.ts';
import { inTransaction } from './session/transaction.ts';

/** A content is kept in pieces of at most so many bytes: a value in PostgreSQL may be larger, and is held in memory several times then. */
const PIECE_BYTES = 8 * 1024 * 1024;
/** So much is sent or asked for at once. */
const GROUP_BYTES = 4 * 1024 * 1024;
const GROUP_ROWS = 400;
/** A slow line takes so long for a byte, in milliseconds, on top of what any answer may take. */
const MS_A_BYTE = 1000 / (64 * 1024);

/** Of so few contents those that are small come with the answer that says how large they are. */
const FEW = 64;
const SMALL_BYTES = GROUP_BYTES / FEW;

interface Piece {
  readonly hash: string;
  readonly piece: number;
  readonly size: number;
}

interface FoundPiece extends Piece {
  /** In base64; null: to be asked for. */
  readonly text: string | null;
}

/** Columns of the first piece of the content `w.hash`; a look for each, as `byFold` has it. */
export function firstPiece(columns: string): string {
  return `SELECT ${columns} FROM roux.blob WHERE vault = $1 AND hash = w.hash AND piece = 0 OFFSET 0`;
}

/** A content that came as `encode(bytes, 'base64')`; none where its bytes have another hash, which whoever asks for it is told. */
export function contentIn(hash: string | null, text: string | null): { readonly content?: Buffer } {
  if (hash === null || text === null) return {};
  const content = Buffer.from(text, 'base64');
  return hashOf(content) === hash ? { content } : {};
}

/** How long so many bytes may take. */
export function patienceFor(bytes: number): number {
  return 30_000 + bytes * MS_A_BYTE;
}

/** Contents in the order in which they are put in. */
export function checkedBlobs(blobs: readonly Blob[]): readonly Blob[] {
  const wrong = blobs.find(({ hash, bytes }) => hashOf(bytes) !== hash);
  if (wrong !== undefined) throw new Error(`A content was given under a hash that is not its own: ${wrong.hash}`);
  return [...blobs].sort((a, b) => (a.hash < b.hash ? -1 : 1));
}

/** Puts contents in; one that is there is left as it is. In the order of their hashes, so that two machines never wait for each other in a circle. */
export async function insertBlobs(connection: Connection, vault: number, blobs: readonly Blob[]): Promise<void> {
  const pieces = checkedBlobs(blobs).flatMap(({ hash, bytes }) => {
    const count = Math.max(1, Math.ceil(bytes.length / PIECE_BYTES));
    return Array.from({ length: count }, (_, piece) => {
      const part = bytes.subarray(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES);
      return { hash, piece, size: part.length, part };
    });
  });
  for (const group of groupsOf(pieces)) {
    const rows = group.map((_, row) => `($1, $${3 * row + 2}, $${3 * row + 3}, $${3 * row + 4})`);
    await connection.query(
      {
        text: `INSERT INTO roux.blob (vault, hash, piece, bytes) VALUES ${rows.join(', ')} ON CONFLICT DO NOTHING`,
        values: [vault, ...group.flatMap(({ hash, piece, part }) => [Buffer.from(hash, 'hex'), piece, part])],
      },
      { withinMs: patienceFor(sizeOf(group)) },
    );
  }
}

/**
 * Puts contents in before they are used, each group in a transaction; one that is there is not sent, and counts as new for `prune`.
 * Twice is once.
 */
export async function uploadBlobs(ask: Ask, vault: number, blobs: Iterable<Blob> | AsyncIterable<Blob>): Promise<void> {
  let group: Blob[] = [];
  let bytes = 0;
  const send = async (): Promise<void> => {
    const sent = group;
    group = [];
    bytes = 0;
    if (sent.length > 0) await ask((connection) => uploadGroup(connection, vault, sent));
  };
  for await (const blob of blobs) {
    if (group.length >= GROUP_ROWS || bytes + blob.bytes.length > GROUP_BYTES) await send();
    group.push(blob);
    bytes += blob.bytes.length;
  }
  await send();
}

async function uploadGroup(connection: Connection, vault: number, blobs: readonly Blob[]): Promise<void> {
  await inTransaction(connection, 'BEGIN', async () => {
    const rows = await connection.query<{ hash: string }>({
      name: 'there',
      text: `SELECT encode(w.hash, 'hex') AS hash FROM unnest($2::bytea[]) AS w(hash) CROSS JOIN LATERAL (${firstPiece('hash')}) b`,
      values: [vault, bytesOf(blobs.map(({ hash }) => hash))],
    });
    const there =
      rows.length === 0
        ? new Set()
        : await touchBlobs(
            connection,
            vault,
            rows.map(({ hash }) => hash),
          );
    await insertBlobs(
      connection,
      vault,
      blobs.filter(({ hash }) => !there.has(hash)),
    );
  });
}

/** Makes contents as good as new, in the order in which they are put in; gives those that are there still. */
async function touchBlobs(connection: Connection, vault: number, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await connection.query<{ hash: string }>({
    text: `WITH held AS (SELECT hash FROM roux.blob WHERE vault = $1 AND hash = ANY($2::bytea[]) AND piece = 0 ORDER BY hash FOR UPDATE)
      UPDATE roux.blob b SET used_at = clock_timestamp() FROM held WHERE b.vault = $1 AND b.hash = held.hash AND b.piece = 0
      RETURNING encode(b.hash, 'hex') AS hash`,
    values: [vault, bytesOf(hashes)],
  });
  return new Set(rows.map(({ hash }) => hash));
}

/** How a question is put to the store. */
type Ask = <T>(question: (connection: Connection) => Promise<T>) => Promise<T>;

/** A content that may be held at a time, with the others of its size waiting for it: whoever may write to a store chooses how large they are. */
export interface LargeContents {
  readonly maxBytes: number;
  /** The one before it was given to whoever asked, and is done with. */
  last: Promise<void>;
}

/** One content, or null when it is not kept; `TOO_LARGE` for one that has more than `maxBytes`, of which nothing is read then. */
export async function readBlob(ask: Ask, vault: number, hash: string, large: LargeContents): Promise<Buffer | null> {
  for await (const { bytes } of readBlobs(ask, vault, [hash], { large, onTooLarge: refuse })) return bytes;
  return null;

  function refuse(_: string, size: number): never {
    throw tooLargeError(size, large.maxBytes);
  }
}

/**
 * The contents with these hashes, a few megabytes at a time, as far as they are kept and have no more than `large.maxBytes`. `IO_ERROR` for
 * one that is not what it was. `onTooLarge` is told of those that are left out for their size.
 */
export async function* readBlobs(
  ask: Ask,
  vault: number,
  hashes: Iterable<string>,
  {
    large: limits,
    onTooLarge = () => undefined,
  }: { readonly large: LargeContents; readonly onTooLarge?: (hash: string, bytes: number) => void },
): AsyncGenerator<Blob & { readonly bytes: Buffer }> {
  const wanted = [...new Set(hashes)];
  for (let at = 0; at < wanted.length; at += 1000) {
    const some = bytesOf(wanted.slice(at, at + 1000));
    const pieces = await ask((connection) =>
      connection.query<FoundPiece>({
        name: 'pieces',
        text: `SELECT encode(w.hash, 'hex') AS hash, b.piece, b.size, b.text FROM unnest($2::bytea[]) AS w(hash) CROSS JOIN LATERAL (
            SELECT piece, octet_length(bytes) AS size, CASE WHEN octet_length(bytes) <= $3 THEN encode(bytes, 'base64') END AS text
            FROM roux.blob WHERE vault = $1 AND hash = w.hash OFFSET 0) b
          ORDER BY w.hash, b.piece`,
        values: [vault, some, wanted.length <= FEW ? SMALL_BYTES : -1],
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
      else yield checked(piece.hash, Buffer.from(text, 'base64'));
    }
    yield* whole(ask, vault, large, { sizes, limits });
  }
}

/** Puts the pieces together as they come. Of contents of several pieces one is held at a time, until whoever asked goes on. */
async function* whole(
  ask: Ask,
  vault: number,
  pieces: readonly Piece[],
  { sizes, limits }: { readonly sizes: ReadonlyMap<string, number>; readonly limits: LargeContents },
): ReturnType<typeof readBlobs> {
  const byHash = new Map<string, Piece[]>();
  for (const piece of pieces) {
    const own = byHash.get(piece.hash);
    if (own === undefined) byHash.set(piece.hash, [piece]);
    else own.push(piece);
  }
  const small = pieces.filter(({ hash }) => byHash.get(hash)?.length === 1);
  for (const group of groupsOf(small)) {
    const rows = await ask((connection) => readPieces(connection, vault, group));
    for (const { hash, text } of rows) yield checked(hash, Buffer.from(text, 'base64'));
  }
  for (const [hash, own] of byHash) {
    if (own.length === 1) continue;
    const before = limits.last;
    let release = (): void => undefined;
    limits.last = new Promise((resolve) => (release = resolve));
    await before;
    try {
      const content = Buffer.allocUnsafe(sizes.get(hash) ?? 0);
      let length = 0;
      for (const group of groupsOf(own)) {
        const rows = await ask((connection) => readPieces(connection, vault, group));
        for (const { text } of rows) length += Buffer.from(text, 'base64').copy(content, length);
      }
      yield checked(hash, content.subarray(0, length));
    } finally {
      release();
    }
  }
}

function readPieces(connection: Connection, vault: number, group: readonly Piece[]): Promise<readonly { hash: string; text: string }[]> {
  return connection.query(
    {
      name: 'bytes',
      // The driver takes no bytes but as text, and its own is twice as long as they are.
      text: `SELECT encode(w.hash, 'hex') AS hash, encode(b.bytes, 'base64') AS text
        FROM unnest($2::bytea[], $3::int[]) AS w(hash, piece) CROSS JOIN LATERAL (
          SELECT bytes FROM roux.blob WHERE vault = $1 AND hash = w.hash AND piece = w.piece OFFSET 0) b
        ORDER BY w.hash, w.piece`,
      values: [vault, bytesOf(group.map(({ hash }) => hash)), group.map(({ piece }) => piece)],
    },
    { withinMs: patienceFor(sizeOf(group)) },
  );
}

function checked(hash: string, bytes: Buffer): Blob & { readonly bytes: Buffer } {
  if (hashOf(bytes) === hash) return { hash, bytes };
  throw new RouxError('IO_ERROR', `The store's copy of the content ${hash} is damaged: its bytes have another hash.`, { hash });
}

/** Hashes as PostgreSQL keeps them. */
export function bytesOf(hashes: readonly string[]): readonly Buffer[] {
  return hashes.map((hash) => Buffer.from(hash, 'hex'));
}

/** What has a size, in groups of a size that is sent, or done while others wait, at once. */
export function* groupsOf<P extends { readonly size: number }>(pieces: readonly P[]): Generator<readonly P[]> {
  let group: P[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    if (group.length > 0 && (group.length >= GROUP_ROWS || bytes + piece.size > GROUP_BYTES)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(piece);
    bytes += piece.size;
  }
  if (group.length > 0) yield group;
}

function sizeOf(group: readonly { readonly size: number }[]): number {
  return group.reduce((sum, { size }) => sum + size, 0);
}
