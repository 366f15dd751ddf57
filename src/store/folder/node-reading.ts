import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, readdirSync, realpathSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { systemCode } from '../../errors.ts';
import {
  hasOnlineOnlyFiles,
  isNotDownloaded,
  isOnlineOnly,
  onlineOnlyError,
  mayHavePlaceholder,
  placeholderNames,
  originalName,
} from './online-only.ts';
import type { FileBytes, FileKind, FileReader, FileState, FolderEntry, ReadRange, RealPath } from './file-system.ts';
import type { Folders, Root } from './held-folders.ts';
import { toSlashes } from './root.ts';

// Without O_NONBLOCK, opening a FIFO would wait for a writer.
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Creates the reading half of the file system below a root. A file that a sync service has replaced by a placeholder is there under its own
 * name; its content is not.
 */
export function createNodeReader(
  root: string,
  { home, folders, platform }: { readonly home: Pick<Root, 'state'>; readonly folders: Folders; readonly platform: NodeJS.Platform },
): FileReader {
  return {
    now: () => Date.now(),
    stat: (path) =>
      callIfExists(folders, path, (name) => {
        // Opening the folder itself has looked at it.
        if (path === '') return toState(home.state, platform);
        // Most requested names do not exist, and an error for each costs more than the call.
        const stats = lstatSync(name, { bigint: true, throwIfNoEntry: false });
        return stats === undefined ? placeholderAt(name, path) : toState(stats, platform);
      }),
    hint(path) {
      try {
        const name = path === '' ? root : `${root}/${path}`;
        const stats = lstatSync(name, { bigint: true, throwIfNoEntry: false });
        return stats === undefined ? placeholderAt(name, path) : toState(stats, platform);
      } catch (error) {
        if (isNothing(error)) return null;
        throw withPath(error, path);
      }
    },
    list: (folder) =>
      callIfExists(folders, `${folder}${folder === '' ? '' : '/'}`, (name) => {
        const entries = listOf(name, platform);
        return mayHavePlaceholder(`${folder}/`) ? withPlaceholders(entries) : entries;
      }),
    read: (path, range) =>
      callIfExists(folders, path, (name) => {
        try {
          // Even opening such a file may wait for its download.
          if (hasOnlineOnlyFiles(platform) && toState(lstatSync(name, { bigint: true }), platform).isOnlineOnly) throw onlineOnlyError();
          return readRegular(name, range);
        } catch (error) {
          const isMissing = systemCode(error) === 'ENOENT' && placeholderAt(name, path) !== null;
          throw isMissing || isNotDownloaded(error, platform) ? onlineOnlyError() : error;
        }
      }),
    glance(path) {
      // There a state tells whether reading would wait for a download.
      if (hasOnlineOnlyFiles(platform)) return null;
      try {
        return callAt(folders, path, readSmall);
      } catch {
        return null;
      }
    },
    realPath(path): RealPath {
      try {
        const real = toSlashes(realpathSync.native(path === '' ? root : `${root}/${path}`));
        if (real === root) return { kind: 'inside', path: '' };
        return real.startsWith(`${root}/`) ? { kind: 'inside', path: real.slice(root.length + 1) } : { kind: 'outside' };
      } catch (error) {
        if (systemCode(error) === 'ELOOP') return { kind: 'loop' };
        if (isNothing(error)) return { kind: 'nothing' };
        throw withPath(error, path);
      }
    },
  };
}

/**
 * Calls a function with a name for a path, in its verified folder. `undo`: see `Folders`. Errors carry the path as the caller knows it.
 */
export function callAt<T>(folders: Folders, path: string, call: (name: string) => T, undo?: (name: string, result: T) => void): T {
  try {
    if (path === '') return folders.at('', call);
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    return folders.at(
      slash < 0 ? '' : path.slice(0, slash),
      (folder) => call(`${folder}/${name}`),
      undo === undefined ? undefined : (folder, result) => undo(`${folder}/${name}`, result),
    );
  } catch (error) {
    throw withPath(error, path);
  }
}

/** Like `callAt`, but returns null when nothing is there. */
export function callIfExists<T>(folders: Folders, path: string, call: (name: string) => T): T | null {
  try {
    return callAt(folders, path, call);
  } catch (error) {
    if (isNothing(error)) return null;
    throw error;
  }
}

/** Returns the state of the placeholder of a file that is not there, as that file's; null when there is none. */
function placeholderAt(name: string, path: string): FileState | null {
  if (!mayHavePlaceholder(path)) return null;
  const slash = name.lastIndexOf('/') + 1;
  for (const placeholder of placeholderNames(name.slice(slash))) {
    const stats = lstatSync(`${name.slice(0, slash)}${placeholder}`, { bigint: true, throwIfNoEntry: false });
    if (stats?.isFile() === true) return { ...toState(stats), isOnlineOnly: true };
  }
  return null;
}

/** Lists placeholders as the files that they stand for. */
function withPlaceholders(entries: readonly FolderEntry[]): readonly FolderEntry[] {
  if (!entries.some(({ name }) => originalName(name) !== null)) return entries;
  const byName = new Map<string, FolderEntry>();
  for (const entry of entries) {
    const original = entry.kind === 'file' ? originalName(entry.name) : null;
    if (original === null) byName.set(entry.name, entry);
    else if (!byName.has(original)) byName.set(original, { name: original, kind: 'file' });
  }
  return sorted([...byName.values()]);
}

/** Lists the names in a folder with their kinds, sorted. */
export function listOf(folder: string, platform = process.platform): readonly FolderEntry[] {
  return sorted(
    readdirSync(folder, { withFileTypes: true }).map((entry): FolderEntry => {
      if (entry.isFile()) return { name: entry.name, kind: 'file' };
      if (entry.isDirectory()) return { name: entry.name, kind: 'folder' };
      // Windows lists everything in a folder of OneDrive as links.
      if (entry.isSymbolicLink() && platform !== 'win32') return { name: entry.name, kind: 'link' };
      // Some file systems do not report the kind in listings.
      return { name: entry.name, kind: kindAt(`${folder}/${entry.name}`) };
    }),
  );
}

function sorted(entries: FolderEntry[]): readonly FolderEntry[] {
  return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
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
function readRegular(name: string, range: ReadRange = {}): FileBytes | null {
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

/** Reads a file that is smaller than the shared buffer; null for a larger one. Throws for what is no file: it cannot be read at a position. */
function readSmall(name: string): Buffer | null {
  const descriptor = openSync(name, READ);
  try {
    const length = readSync(descriptor, shared, 0, shared.length, 0);
    return length < shared.length ? shared.subarray(0, length) : null;
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

const KIND_MASK = 0o170000;
const KINDS: ReadonlyMap<number, FileKind> = new Map([
  [0o100000, 'file'],
  [0o040000, 'folder'],
  [0o120000, 'link'],
]);

/** Converts the system's file state to that of the port. */
export function toState(stats: BigIntStats, platform = process.platform): FileState {
  const mode = Number(stats.mode);
  const state: FileState = {
    kind: KINDS.get(mode & KIND_MASK) ?? 'other',
    size: Number(stats.size),
    mtimeNs: stats.mtimeNs,
    ctimeNs: stats.ctimeNs,
    birthNs: stats.birthtimeNs,
    ino: stats.ino,
    dev: stats.dev,
    mode: mode & 0o7777,
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    links: Number(stats.nlink),
  };
  return state.kind === 'file' && isOnlineOnly(stats, platform) ? { ...state, isOnlineOnly: true } : state;
}

/** Returns whether an error means that nothing is there: also behind a link, which is not followed, and for an overlong name. */
export function isNothing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(systemCode(error) ?? '');
}

/** A system error with the path as callers know it; the system's own has a descriptor or an absolute path. */
class FileError extends Error {
  readonly code: string;
  readonly path: string;

  constructor(code: string, reason: string, path: string) {
    super(`${code}: ${reason}: ${path === '' ? 'the folder itself' : path}`);
    this.code = code;
    this.path = path;
  }
}

/** Converts a system error to one with the path as callers know it. */
export function withPath(error: unknown, path: string): unknown {
  const code = systemCode(error);
  if (!(error instanceof Error) || code === null || error instanceof FileError) return error;
  const [, reason] = /^[A-Z0-9_]+: ([^,]+)/.exec(error.message) ?? [];
  return new FileError(code, reason ?? 'failed', path);
}
