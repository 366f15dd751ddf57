import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  ftruncateSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { systemCode } from '../../errors.ts';
import { PRIVATE_FILE } from './file-system.ts';
import type { FileSystem, FolderEntry, HeldFileSystem, OpenFile, RealPath } from './file-system.ts';
import { openRoot } from './held-folders.ts';
import type { Folders, Root } from './held-folders.ts';
import { folderStatOf, isNothing, listOf, readRegular, toState } from './node-reading.ts';
import { toSlashes } from './root.ts';

/** The real file system below a folder. All but syncing is synchronous: it takes microseconds, and nothing of ours comes between two steps. */
export function openNodeFileSystem(root: string, home: Root = openRoot(root)): FileSystem {
  // Without a hold each call goes the whole way itself.
  const once: Folders = {
    at(folder, use, takeBack) {
      const folders = home.hold();
      try {
        return folders.at(folder, use, takeBack);
      } finally {
        folders.release();
      }
    },
    forget: () => undefined,
  };
  return { ...callsOn(root, once), hold: () => holdOf(root, home), adopt: (isIt) => adoptIf(root, home, isIt) };
}

function holdOf(root: string, home: Root): HeldFileSystem {
  const folders = home.hold();
  const calls = callsOn(root, folders);
  return {
    ...calls,
    hold: () => holdOf(root, home),
    adopt: (isIt) => adoptIf(root, home, isIt),
    findExchanged: () => folders.findExchanged(),
    release: () => folders.release(),
  };
}

function adoptIf(root: string, home: Root, isIt: (names: readonly FolderEntry[]) => boolean): boolean {
  try {
    if (!isIt(listOf(root))) return false;
    home.adopt();
    return true;
  } catch (error) {
    if (isNothing(error)) return false;
    throw error;
  }
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const GROUP_FOLDER = 0o2020;
// Without O_NONBLOCK, opening a FIFO would wait for whoever is at its other end.
const CHANGE = constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function callsOn(root: string, folders: Folders): Omit<FileSystem, 'hold' | 'adopt'> {
  /** Does something with the name in its folder; a failure names the path as the caller knows it. */
  function on<T>(path: string, use: (name: string) => T, takeBack?: (name: string) => void): T {
    try {
      if (path === '') return folders.at('', use);
      const slash = path.lastIndexOf('/');
      const name = path.slice(slash + 1);
      return folders.at(
        slash < 0 ? '' : path.slice(0, slash),
        (folder) => use(`${folder}/${name}`),
        takeBack === undefined ? undefined : (folder) => takeBack(`${folder}/${name}`),
      );
    } catch (error) {
      throw named(error, path);
    }
  }

  /** Null where there is nothing; every other failure goes on. */
  function look<T>(path: string, use: (name: string) => T): T | null {
    try {
      return on(path, use);
    } catch (error) {
      if (isNothing(error)) return null;
      throw error;
    }
  }

  /** Changes a file of roux in place, when it is known that the way to it held. */
  function change(path: string, act: (descriptor: number) => void): void {
    const descriptor = on(path, (name) => mustBeOwnFile(openSync(name, CHANGE)));
    try {
      act(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Whether the vault is made for a group: its folder is setgid and writable by the group. Looked at once. */
  let isOfGroup: boolean | undefined;
  const isGroupShared = (): boolean => (isOfGroup ??= (lstatSync(root).mode & GROUP_FOLDER) === GROUP_FOLDER);

  return {
    now: () => Date.now(),
    stat: (path) =>
      look(path, (name) => {
        // Most names that are asked for are free, and an error for each costs more than the look.
        const stats = path === '' ? folderStatOf(name) : lstatSync(name, { bigint: true, throwIfNoEntry: false });
        return stats === undefined ? null : toState(stats);
      }),
    hint(path) {
      try {
        const stats = lstatSync(path === '' ? root : `${root}/${path}`, { bigint: true, throwIfNoEntry: false });
        return stats === undefined ? null : toState(stats);
      } catch (error) {
        if (isNothing(error)) return null;
        throw named(error, path);
      }
    },
    list: (folder) => look(`${folder}${folder === '' ? '' : '/'}`, listOf),
    read: (path, range) => look(path, (name) => readRegular(name, range)),
    realPath(path): RealPath {
      try {
        const real = toSlashes(realpathSync.native(path === '' ? root : `${root}/${path}`));
        if (real === root) return { kind: 'inside', path: '' };
        return real.startsWith(`${root}/`) ? { kind: 'inside', path: real.slice(root.length + 1) } : { kind: 'outside' };
      } catch (error) {
        if (systemCode(error) === 'ELOOP') return { kind: 'loop' };
        if (isNothing(error)) return { kind: 'nothing' };
        throw named(error, path);
      }
    },
    create(path, mode) {
      let descriptor = -1;
      return on(
        path,
        (name) => openFile((descriptor = openSync(name, NEW, mode === PRIVATE_FILE && isGroupShared() ? 0o660 : mode))),
        (name) => {
          const { ino } = fstatSync(descriptor);
          closeSync(descriptor);
          quietly(() => lstatSync(name).ino === ino && unlinkSync(name));
        },
      );
    },
    append: (path) =>
      on(path, (name) => {
        const descriptor = openSync(name, CHANGE | constants.O_CREAT | constants.O_APPEND, isGroupShared() ? 0o660 : PRIVATE_FILE);
        return openFile(mustBeOwnFile(descriptor));
      }),
    makeFolder: (path, isPrivate = false) =>
      on(
        path,
        (name) => mkdirSync(name, isPrivate ? (isGroupShared() ? 0o770 : 0o700) : 0o777),
        (name) => quietly(() => rmdirSync(name)),
      ),
    makePrivate(folder) {
      // Windows has no such bits: there the rights of the user's own folders hold.
      if (process.platform === 'win32') return;
      const descriptor = look(folder, (name) =>
        openSync(name, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)),
      );
      if (descriptor === null) return;
      try {
        const { mode, uid } = fstatSync(descriptor);
        const allowed = isGroupShared() ? 0o7770 : 0o7700;
        if ((mode & 0o7777 & ~allowed) !== 0 && uid === process.geteuid?.()) fchmodSync(descriptor, mode & allowed);
      } finally {
        closeSync(descriptor);
      }
    },
    link(from, to) {
      let linked = '';
      on(
        from,
        (source) =>
          on(
            to,
            (target) => linkSync(source, (linked = target)),
            (target) => quietly(() => lstatSync(source).ino === lstatSync(target).ino && unlinkSync(target)),
          ),
        // What has this name now came from elsewhere, and nothing may take it for what somebody saved.
        () => quietly(() => unlinkSync(linked)),
      );
    },
    rename(from, to) {
      let moved = '';
      on(
        from,
        (source) =>
          on(
            to,
            (target) => renameSync(source, (moved = target)),
            (target) => quietly(() => renameSync(target, source)),
          ),
        (source) => quietly(() => renameSync(moved, source)),
      );
      // It may have been a folder that is held.
      folders.forget(from);
      folders.forget(to);
    },
    remove: (path) => on(path, (name) => unlinkSync(name)),
    cut: (path, size) => change(path, (descriptor) => ftruncateSync(descriptor, size)),
    removeFolder(path) {
      folders.forget(path);
      on(path, (name) => rmdirSync(name));
    },
    touch(path) {
      const now = new Date();
      change(path, (descriptor) => futimesSync(descriptor, now, now));
    },
    async syncFolder(path) {
      // Windows has no such call for folders.
      if (process.platform === 'win32') return;
      const descriptor = on(`${path}${path === '' ? '' : '/'}.`, (name) =>
        openSync(name, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)),
      );
      try {
        await syncDescriptor(descriptor);
      } catch (error) {
        // Some network and FUSE file systems refuse to sync folders; they keep names in order themselves.
        if (!['EINVAL', 'ENOTSUP', 'EBADF'].includes(systemCode(error) ?? '')) throw named(error, path);
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

function openFile(descriptor: number): OpenFile {
  return {
    write: (bytes) => writeSync(descriptor, bytes),
    setMode: (mode) => fchmodSync(descriptor, mode),
    setOwner: ({ uid, gid }) => fchownSync(descriptor, uid, gid),
    state: () => toState(fstatSync(descriptor, { bigint: true })),
    sync: () => syncDescriptor(descriptor),
    close: () => closeSync(descriptor),
  };
}

/** Passes on what is open when it is a regular file of one name; closes a FIFO, a device, a folder, or what is another file's as well. */
function mustBeOwnFile(descriptor: number): number {
  const state = fstatSync(descriptor);
  if (state.isFile() && state.nlink <= 1) return descriptor;
  closeSync(descriptor);
  const [code, reason] = state.isFile() ? ['EMLINK', 'the file has another name'] : ['EINVAL', 'not a regular file'];
  throw Object.assign(new Error(`${code}: ${reason}`), { code });
}

function syncDescriptor(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(descriptor, (error) => (error ? reject(error) : resolve()));
  });
}

/** Undoing what went to a wrong place is tried; whether it works out is told by the failure that follows. */
function quietly(undo: () => unknown): void {
  try {
    undo();
  } catch {
    // The folder is gone again, and with it what was done there.
  }
}

/** A system error that names the path as callers know it: the system's own is of a descriptor, or absolute. */
class FileError extends Error {
  readonly code: string;
  readonly path: string;

  constructor(code: string, reason: string, path: string) {
    super(`${code}: ${reason}: ${path === '' ? 'the folder itself' : path}`);
    this.code = code;
    this.path = path;
  }
}

function named(error: unknown, path: string): unknown {
  const code = systemCode(error);
  if (!(error instanceof Error) || code === null || error instanceof FileError) return error;
  const [, reason] = /^[A-Z0-9_]+: ([^,]+)/.exec(error.message) ?? [];
  return new FileError(code, reason ?? 'failed', path);
}
