import { createHash } from 'node:crypto';
import { ByteReader, ByteWriter } from '../inverted/byte-stream.ts';
import type { StoredNotes } from './search-host.ts';

/** Changes when terms, fields or the layout change. Includes ICU's version, which segments scripts without spaces. */
const FORMAT = `roux search 3 icu ${process.versions['icu'] ?? 'none'}`;
const CHECKSUM_BYTES = 32;

/** Encodes what comes before a stored index: its format, and the notes in it. In blocks that can be transferred. */
export function packNotes(notes: StoredNotes): readonly Uint8Array[] {
  const writer = new ByteWriter();
  writer.text(FORMAT);
  writer.number(notes.paths.length);
  for (const [at, path] of notes.paths.entries()) {
    writer.text(path);
    writer.text(notes.hashes[at] ?? '');
    writer.number(notes.keys[at] ?? 0);
  }
  return writer.finish();
}

/** Encodes a stored index: a sha-256, followed by the notes and the index. In blocks, as the index is large. */
export function packSnapshot(notes: readonly Uint8Array[], index: readonly Uint8Array[]): readonly Uint8Array[] {
  const blocks = [...notes, ...index];
  // In memory of its own, as all of them are given away.
  return [new Uint8Array(checksum(blocks)), ...blocks];
}

/** Decodes a stored index; null when it is damaged or of another format. */
export function unpackSnapshot(bytes: Uint8Array): { readonly notes: StoredNotes; readonly index: Uint8Array } | null {
  if (bytes.length <= CHECKSUM_BYTES || !checksum([bytes.subarray(CHECKSUM_BYTES)]).equals(bytes.subarray(0, CHECKSUM_BYTES))) return null;
  try {
    const reader = new ByteReader(bytes.subarray(CHECKSUM_BYTES));
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

function checksum(blocks: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const block of blocks) hash.update(block);
  return hash.digest();
}
