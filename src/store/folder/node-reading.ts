import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, readdirSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { systemCode } from '../../errors.ts';
import type { FileBytes, FileKind, FileState, FolderEntry, ReadRange } from './file-system.ts';

// Without O_NONBLOCK, opening a FIFO would wait for a writer.
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Lists the names in a folder with their kinds, sorted. */
export function listOf(folder: string): readonly FolderEntry[] {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry): FolderEntry => {
      if (entry.isFile()) return { name: entry.name, kind: 'file' };
      if (entry.isDirectory()) return { name: entry.name, kind: 'folder' };
      if (entry.isSymbolicLink()) return { name: entry.name, kind: 'link' };
      // Some file systems do not report the kind in listings.
      return { name: entry.name, kind: kindAt(`${folder}/${entry.name}`) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function kindAt(name: string): FileKind {
  try {
    return toState(lstatSync(name, { bigint: true })).kind;
  } catch (error) {
    if (isNothing(error)) return 'other';
    throw error;
  }
}

let shared = Buffer.allocUnsafe(256 * 1024);
const NO_BYTES = Buffer.alloc(0);
const MAX_SHARED_BYTES = 8 * 1024 * 1024;
/** Limit of a read without a length; more than any file that roux reads completely. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;

/**
 * Reads a regular file; null for anything else. Throws `EFBIG` beyond the limit of a read without a length. Does not follow a link at the
 * last segment.
 */
export function readRegular(name: string, range: ReadRange = {}): FileBytes | null {
  const descriptor = openSync(name, READ);
  try {
    const state = toState(fstatSync(descriptor, { bigint: true }));
    if (state.kind !== 'file') return null;
    if (range.maxBytes !== undefined && state.size > range.maxBytes) return { state, bytes: NO_BYTES };
    const start = range.start ?? 0;
    if (range.length === undefined && state.size - start > MAX_WHOLE_BYTES)
      throw Object.assign(new Error(`EFBIG: larger than ${MAX_WHOLE_BYTES / 1024 / 1024} MB`), { code: 'EFBIG' });
    const wanted = Math.max(0, Math.min(state.size - start, range.length ?? Number.MAX_SAFE_INTEGER));
    const bytes = bufferFor(wanted, range.isShared === true);
    let length = 0;
    while (length < wanted) {
      const count = readSync(descriptor, bytes, length, wanted - length, start + length);
      if (count === 0) break;
      length += count;
    }
    return { state, bytes: bytes.subarray(0, length) };
  } finally {
    closeSync(descriptor);
  }
}

function bufferFor(size: number, isShared: boolean): Buffer {
  // One huge note must not occupy memory permanently.
  if (!isShared || size > MAX_SHARED_BYTES) return Buffer.allocUnsafe(size);
  if (size > shared.length) shared = Buffer.allocUnsafe(size + 64 * 1024);
  return shared;
}

const KIND_MASK = 0o170000n;
const KINDS: ReadonlyMap<bigint, FileKind> = new Map([
  [0o100000n, 'file'],
  [0o040000n, 'folder'],
  [0o120000n, 'link'],
]);

/** Converts the system's file state to that of the port. */
export function toState(stats: BigIntStats): FileState {
  return {
    kind: KINDS.get(stats.mode & KIND_MASK) ?? 'other',
    size: Number(stats.size),
    mtimeNs: stats.mtimeNs,
    ctimeNs: stats.ctimeNs,
    birthNs: stats.birthtimeNs,
    ino: stats.ino,
    dev: stats.dev,
    mode: Number(stats.mode & 0o7777n),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    links: Number(stats.nlink),
  };
}

/** Returns whether an error means that nothing is there: also behind a link, which is not followed, and for an overlong name. */
export function isNothing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(systemCode(error) ?? '');
}
