import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { ByteReader, ByteWriter } from '../inverted/byte-stream.ts';
import type { TextIndex } from '../inverted/text-index.ts';
import type { StoredNotes } from './search-host.ts';

/** Changes when terms, fields or the layout change. Includes ICU's version, which segments scripts without spaces. */
const FORMAT = `roux search 4 icu ${process.versions['icu'] ?? 'none'}`;
const CHECKSUM_BYTES = 32;
/** Bytes of a piece of what is stored, or a little more. */
const PIECE_BYTES = 1 << 19;

/** Encodes what comes before a stored index: its format, and the notes in it. In blocks that can be transferred. */
export function packNotes(notes: StoredNotes): Uint8Array[] {
  const writer = new ByteWriter();
  const blocks: Uint8Array[] = [];
  writer.text(FORMAT);
  writer.number(notes.paths.length);
  for (const [at, path] of notes.paths.entries()) {
    writer.text(path);
    writer.text(notes.hashes[at] ?? '');
    writer.number(notes.keys[at] ?? 0);
    if (writer.length >= PIECE_BYTES) blocks.push(new Uint8Array(writer.take()));
  }
  return [...blocks, new Uint8Array(writer.take())];
}

/** Encodes a stored index piece by piece: the notes, the index and a sha-256. Of most steps comes no piece. */
export function* packSnapshot(notes: Uint8Array[], index: TextIndex): Generator<Uint8Array | null, void> {
  const hash = createHash('sha256');
  const writer = new ByteWriter();
  const take = (): Uint8Array => hashed(hash, writer.take());
  for (let block = notes.shift(); block !== undefined; block = notes.shift()) yield hashed(hash, block);
  for (const _ of index.save(writer)) yield writer.length < PIECE_BYTES ? null : take();
  yield take();
  yield hash.digest();
}

/** Decodes a stored index; null when it is damaged or of another format. */
export function unpackSnapshot(bytes: Uint8Array): { readonly notes: StoredNotes; readonly index: Uint8Array } | null {
  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  if (!createHash('sha256').update(body).digest().equals(bytes.subarray(-CHECKSUM_BYTES))) return null;
  try {
    const reader = new ByteReader(body);
    if (reader.text() !== FORMAT) return null;
    const paths: string[] = [];
    const hashes: string[] = [];
    const keys: number[] = [];
    for (let left = reader.number(); left > 0; left -= 1) {
      paths.push(reader.text());
      hashes.push(reader.text());
      keys.push(reader.number());
    }
    return { notes: { paths, hashes, keys }, index: reader.rest() };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function hashed(hash: Hash, bytes: Uint8Array): Uint8Array {
  hash.update(bytes);
  return bytes;
}
