import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, readdirSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { systemCode } from '../../errors.ts';
import type { FileBytes, FileKind, FileState, FolderEntry, ReadRange } from './file-system.ts';

// Without O_NONBLOCK, opening a FIFO would wait for a writer.
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The names in a folder, sorted, with what they stand for. */
export function listOf(folder: string): readonly FolderEntry[] {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry): FolderEntry => {
      if (entry.isFile()) return { name: entry.name, kind: 'file' };
      if (entry.isDirectory()) return { name: entry.name, kind: 'folder' };
      if (entry.isSymbolicLink()) return { name: entry.name, kind: 'link' };
      // Some file systems do not tell the kind while listing.
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
const LARGE = 8 * 1024 * 1024;
/** Most bytes of one read that names no length: nothing that roux reads whole is so large. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The bytes of a regular file, null for anything else, `EFBIG` for more than anything has that is read whole. A link in the last place is not followed. */
export function readRegular(name: string, range: ReadRange = {}): FileBytes | null {
  const descriptor = openSync(name, READ);
  try {
    const state = toState(fstatSync(descriptor, { bigint: true }));
    if (state.kind !== 'file') return null;
    if (range.most !== undefined && state.size > range.most) return { state, bytes: NO_BYTES };
    const start = range.start ?? 0;
    if (range.length === undefined && state.size - start > MAX_BYTES)
      throw Object.assign(new Error(`EFBIG: larger than ${MAX_BYTES / 1024 / 1024} MB`), { code: 'EFBIG' });
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
  // One huge note must not hold its memory for good.
  if (!isShared || size > LARGE) return Buffer.allocUnsafe(size);
  if (size > shared.length) shared = Buffer.allocUnsafe(size + 64 * 1024);
  return shared;
}

/** The state of a folder under a name that may lead through a descriptor, where the name itself is a link. */
export function folderStatOf(name: string): BigIntStats {
  const descriptor = openSync(name, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
  try {
    return fstatSync(descriptor, { bigint: true });
  } finally {
    closeSync(descriptor);
  }
}

const KIND_MASK = 0o170000n;
const KINDS: ReadonlyMap<bigint, FileKind> = new Map([
  [0o100000n, 'file'],
  [0o040000n, 'folder'],
  [0o120000n, 'link'],
]);

/** What the system says of a file, as the port says it. */
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

/** Nothing is there, or only behind a link, which is not followed; nor under a name that is longer than names can be. */
export function isNothing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(systemCode(error) ?? '');
}
