import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { readSmallFile } from '../small-file.ts';
import { MAX_DEPTH, MAX_PATH_CHARACTERS, nameIn } from './trees.ts';

/** A file that git tracks in a checkout, as it was last added. */
export interface IndexEntry {
  /** In NFC. */
  readonly path: string;
  /** The bytes of the path. */
  readonly raw: Buffer;
  readonly id: string;
  readonly size: number;
  /** In nanoseconds. */
  readonly mtimeNs: bigint;
  /** Whether git does not look at the file, which may not be there (a sparse checkout). */
  readonly isLeftOut: boolean;
  readonly isSubmodule: boolean;
}

export interface GitIndex {
  readonly entries: readonly IndexEntry[];
  /** When it was written, in nanoseconds: a file that was changed then or later may differ in spite of equal times. */
  readonly mtimeNs: bigint;
}

const MAX_INDEX_BYTES = 128 * 1024 * 1024;
const MAX_ENTRIES = 500_000;
/** All paths together: in version 4 a few bytes of the file stand for a path. */
const MAX_PATHS_BYTES = MAX_INDEX_BYTES;
/** Bytes of an entry before the id. */
const STAT_BYTES = 40;
const EXTENDED = 0x4000;
const ASSUME_UNCHANGED = 0x8000;
const SKIP_WORKTREE = 0x4000;
const SUBMODULE_TYPE = 0o16;

/**
 * Reads the index of a checkout (versions 2 to 4), with which git remembers what it tracks: no object has to be read for that. `idBytes`: 20
 * or 32. Null if there is none, and for one that is split or damaged.
 */
export function readIndex(own: string, idBytes: number): GitIndex | null {
  const path = join(own, 'index');
  const file = readSmallFile(path, { mostBytes: MAX_INDEX_BYTES, encoding: 'latin1' });
  if (file.kind !== 'text') return null;
  try {
    const entries = parse(Buffer.from(file.text, 'latin1'), idBytes);
    return entries === null ? null : { entries, mtimeNs: lstatSync(path, { bigint: true }).mtimeNs };
  } catch (error) {
    // A number is to be read behind the end.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function parse(bytes: Buffer, idBytes: number): readonly IndexEntry[] | null {
  const [version, count] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4 || count > MAX_ENTRIES) return null;
  const entries: IndexEntry[] = [];
  let [at, last, pathBytes] = [12, Buffer.alloc(0), 0];
  for (let left = count; left > 0; left -= 1) {
    const start = at;
    const flags = bytes.readUInt16BE(start + STAT_BYTES + idBytes);
    at += STAT_BYTES + idBytes + 2;
    const more = version > 2 && (flags & EXTENDED) !== 0 ? bytes.readUInt16BE(at) : 0;
    if (version > 2 && (flags & EXTENDED) !== 0) at += 2;
    let kept = Buffer.alloc(0);
    if (version === 4) {
      const removed = readVariable(bytes, at);
      at = removed.end;
      kept = last.subarray(0, Math.max(0, last.length - removed.value));
    }
    const end = bytes.indexOf(0, at);
    if (end < 0) return null;
    const length = kept.length + end - at;
    pathBytes += length;
    if (length > MAX_PATH_CHARACTERS || pathBytes > MAX_PATHS_BYTES) return null;
    const path = Buffer.concat([kept, bytes.subarray(at, end)]);
    // Up to version 3 an entry is filled with 1 to 8 zeros, to a multiple of 8 bytes.
    at = version === 4 ? end + 1 : start + (Math.floor((end - start) / 8) + 1) * 8;
    last = path;
    const name = nameIn(path);
    // In a conflict a file has an entry for each side.
    if (!isPlain(name) || entries.at(-1)?.path === name) continue;
    entries.push({
      path: name,
      raw: path,
      id: bytes.toString('hex', start + STAT_BYTES, start + STAT_BYTES + idBytes),
      size: bytes.readUInt32BE(start + 36),
      mtimeNs: BigInt(bytes.readUInt32BE(start + 8)) * 1_000_000_000n + BigInt(bytes.readUInt32BE(start + 12)),
      isLeftOut: (more & SKIP_WORKTREE) !== 0 || (flags & ASSUME_UNCHANGED) !== 0,
      isSubmodule: bytes.readUInt32BE(start + 24) >>> 12 === SUBMODULE_TYPE,
    });
  }
  return isSplit(bytes, at, idBytes) ? null : entries;
}

/** Whether the rest of the entries is in another file. */
function isSplit(bytes: Buffer, start: number, idBytes: number): boolean {
  for (let at = start; at + 8 <= bytes.length - idBytes; at += 8 + bytes.readUInt32BE(at + 4))
    if (bytes.toString('latin1', at, at + 4) === 'link') return true;
  return false;
}

/** Reads a number as git's packs encode offsets. */
function readVariable(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let at = start;
  let byte = bytes.readUInt8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0 && at - start < 5) {
    byte = bytes.readUInt8(at++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, end: at };
}

/** Whether git could have checked out a file there. */
function isPlain(path: string): boolean {
  // A folder that is left out of a sparse checkout as a whole ends with a slash.
  const names = path.replace(/\/$/, '').split('/');
  // Trees are not compared any deeper either.
  return (
    names.length <= MAX_DEPTH + 1 && !names.some((name) => name === '' || name === '.' || name === '..' || name.toLowerCase() === '.git')
  );
}

/** Returns what differs for another state of the index; null if there is none. */
export function stampOfIndex(own: string): string | null {
  const state = lstatSync(join(own, 'index'), { bigint: true, throwIfNoEntry: false });
  return state === undefined ? null : [own, state.size, state.mtimeNs, state.ctimeNs, state.ino].join(' ');
}

/** Whether the ids of a repository are those of SHA-256. */
export function isSha256(common: string): boolean {
  const config = readSmallFile(join(common, 'config'));
  return config.kind === 'text' && config.text.split('\n').some((line) => /^objectformat=sha256$/i.test(line.replaceAll(/\s/g, '')));
}
