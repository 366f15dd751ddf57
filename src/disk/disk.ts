import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, readdirSync, realpathSync, statSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { systemCode } from '../errors.ts';

/** What a name in a folder stands for; `other` is a FIFO, socket or device. */
export type FileKind = 'file' | 'folder' | 'link' | 'other';

/** One name in a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** What the file system says of one file. The first four identify one state of its content. */
export interface DiskStat {
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly ino: bigint;
  readonly dev: bigint;
  readonly kind: FileKind;
  readonly mode: number;
  readonly birthtimeMs: number;
}

/** The bytes of a file, and its state just before they were read. */
export interface FileBytes {
  /** Valid until the next `read` of the same disk: copy what must stay. */
  readonly bytes: Buffer;
  readonly stat: DiskStat;
}

/** Reading access to a file system, by absolute path. Failures are Node's system errors; nothing there is null. */
export interface Disk {
  /** The names in a folder, in no order. */
  list(folder: string): readonly FolderEntry[];
  /** The state of the name itself: a link is a `link`. */
  stat(path: string): DiskStat | null;
  /** The state of what a link leads to. */
  follow(path: string): DiskStat | null;
  /** The path with every link resolved. */
  realPath(path: string): string | null;
  /** A regular file's bytes, at most `limit` of them; never follows a link in the last component unless `follow`. */
  read(path: string, options?: { limit?: number; follow?: boolean }): FileBytes | null;
  /** The clock that stamps files, in milliseconds: the age of a file is told by it alone. */
  now(): number;
}

/** Whether two states are of the same content, as far as the file system can tell. */
export function isSameState(
  a: Pick<DiskStat, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino'>,
  b: Pick<DiskStat, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino'>,
): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.ino === b.ino;
}

/** The real file system. Reads share one buffer, because ten thousand fresh ones cost more than the reading. */
export function nodeDisk(): Disk {
  let buffer = Buffer.allocUnsafe(256 * 1024);

  const fill = (descriptor: number, wanted: number): Buffer => {
    if (wanted > buffer.length) buffer = Buffer.allocUnsafe(wanted + 64 * 1024);
    let length = 0;
    while (length < wanted) {
      const count = readSync(descriptor, buffer, length, wanted - length, length);
      if (count === 0) break;
      length += count;
    }
    const bytes = buffer.subarray(0, length);
    // One huge note must not hold its memory for good.
    if (buffer.length > 8 * 1024 * 1024) buffer = Buffer.allocUnsafe(256 * 1024);
    return bytes;
  };

  return {
    list(folder) {
      return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        kind: entry.isFile()
          ? 'file'
          : entry.isDirectory()
            ? 'folder'
            : entry.isSymbolicLink()
              ? 'link'
              : // Some file systems do not tell the kind while listing.
                (quietly(() => toDiskStat(lstatSync(`${folder}/${entry.name}`, { bigint: true })).kind) ?? 'other'),
      }));
    },
    stat: (path) => quietly(() => toDiskStat(lstatSync(path, { bigint: true }))),
    follow: (path) => quietly(() => toDiskStat(statSync(path, { bigint: true }))),
    now: () => Date.now(),
    realPath: (path) => quietly(() => realpathSync.native(path)),
    read(path, { limit = Number.MAX_SAFE_INTEGER, follow = false } = {}) {
      return quietly(() => {
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (follow ? 0 : (constants.O_NOFOLLOW ?? 0));
        const descriptor = openSync(path, flags);
        try {
          const stat = toDiskStat(fstatSync(descriptor, { bigint: true }));
          if (stat.kind !== 'file') return null;
          return { stat, bytes: fill(descriptor, Math.min(stat.size, limit)) };
        } finally {
          closeSync(descriptor);
        }
      });
    },
  };
}

const KIND_MASK = 0o170000n;
const KINDS: ReadonlyMap<bigint, FileKind> = new Map([
  [0o100000n, 'file'],
  [0o040000n, 'folder'],
  [0o120000n, 'link'],
]);

function toDiskStat(stats: BigIntStats): DiskStat {
  return {
    size: Number(stats.size),
    mtimeNs: stats.mtimeNs,
    ctimeNs: stats.ctimeNs,
    ino: stats.ino,
    dev: stats.dev,
    kind: KINDS.get(stats.mode & KIND_MASK) ?? 'other',
    mode: Number(stats.mode & 0o7777n),
    birthtimeMs: Number(stats.birthtimeMs),
  };
}

/** Null where there is nothing; every other failure goes on. */
function quietly<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
