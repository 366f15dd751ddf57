import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { systemCode } from '../errors.ts';
import type { FileKind } from './disk.ts';

/** What the write path asks about a name before it touches it. */
export interface FileState {
  readonly kind: FileKind;
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /** 0 where the file system does not tell. */
  readonly birthNs: bigint;
  readonly ino: bigint;
  readonly dev: bigint;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Hard links to the file. */
  readonly links: number;
}

/** A file that is being written. */
export interface OpenFile {
  /** Writes at the end of what was written; returns how many bytes went in, which may be fewer. */
  write(bytes: Uint8Array): Promise<number>;
  setMode(mode: number): Promise<void>;
  setOwner(owner: { uid: number; gid: number }): Promise<void>;
  /** Resolves when the content is on the medium. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Every call by which roux changes a disk, one method a system call, so that a simulated one can fail or stop at each.
 * Paths are absolute. Failures are Node's system errors; nothing there is null.
 */
export interface FileSystem {
  /** The state of the name itself: a link is a `link`. */
  stat(path: string): Promise<FileState | null>;
  realPath(path: string): Promise<string | null>;
  readLink(path: string): Promise<string>;
  /** The names in a folder, sorted; null when there is no such folder. */
  list(folder: string): Promise<readonly string[] | null>;
  /** A regular file's bytes, or a stretch of them; links are not followed. */
  read(path: string, range?: { start: number; length: number }): Promise<Buffer | null>;
  /** A new file; `EEXIST` when the name is taken. */
  create(path: string, mode: number): Promise<OpenFile>;
  /** A file to append to, made when absent. */
  append(path: string): Promise<OpenFile>;
  makeFolder(path: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Shortens a file. */
  cut(path: string, size: number): Promise<void>;
  removeFolder(path: string): Promise<void>;
  /** Sets the modification time to now: a sign of life. */
  touch(path: string): Promise<void>;
  /** Resolves when the names in the folder are on the medium. */
  syncFolder(path: string): Promise<void>;
}

/** The real file system. All but syncing is synchronous inside: it takes microseconds, and nothing of ours comes between two steps. */
export function nodeFileSystem(): FileSystem {
  return {
    stat: async (path) => quietly(() => toState(lstatSync(path, { bigint: true }))),
    realPath: async (path) => quietly(() => realpathSync.native(path)),
    readLink: async (path) => readlinkSync(path),
    list: async (folder) => quietly(() => readdirSync(folder).sort()),
    read: async (path, range) => quietly(() => readRegular(path, range)),
    async create(path, mode) {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
      return openFile(openSync(path, flags, mode));
    },
    async append(path) {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
      return openFile(openSync(path, flags, 0o666));
    },
    makeFolder: async (path) => mkdirSync(path),
    link: async (from, to) => linkSync(from, to),
    rename: async (from, to) => renameSync(from, to),
    remove: async (path) => unlinkSync(path),
    cut: async (path, size) => truncateSync(path, size),
    removeFolder: async (path) => rmdirSync(path),
    async touch(path) {
      const now = new Date();
      utimesSync(path, now, now);
    },
    async syncFolder(path) {
      // Windows has no such call for folders.
      if (process.platform === 'win32') return;
      const descriptor = openSync(path, constants.O_RDONLY);
      try {
        await syncDescriptor(descriptor);
      } catch (error) {
        // Some network and FUSE file systems refuse to sync folders; they keep names in order themselves.
        if (!['EINVAL', 'ENOTSUP', 'EBADF'].includes(systemCode(error) ?? '')) throw error;
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

function openFile(descriptor: number): OpenFile {
  return {
    write: async (bytes) => writeSync(descriptor, bytes),
    setMode: async (mode) => fchmodSync(descriptor, mode),
    setOwner: async ({ uid, gid }) => fchownSync(descriptor, uid, gid),
    sync: () => syncDescriptor(descriptor),
    close: async () => closeSync(descriptor),
  };
}

function syncDescriptor(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(descriptor, (error) => (error ? reject(error) : resolve()));
  });
}

function readRegular(path: string, range?: { start: number; length: number }): Buffer | null {
  // Without O_NONBLOCK, opening a FIFO would wait for a writer.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return null;
    const start = range?.start ?? 0;
    const wanted = Math.max(0, Math.min(stats.size - start, range?.length ?? Number.MAX_SAFE_INTEGER));
    const bytes = Buffer.allocUnsafe(wanted);
    let length = 0;
    while (length < wanted) {
      const count = readSync(descriptor, bytes, length, wanted - length, start + length);
      if (count === 0) break;
      length += count;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

function toState(stats: BigIntStats): FileState {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other',
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
