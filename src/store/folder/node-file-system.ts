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
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { systemCode } from '../../errors.ts';
import { PRIVATE_FILE } from './file-system.ts';
import type { FileSystem, FolderEntry, HeldFileSystem, OpenFile, RealPath } from './file-system.ts';
import { openRoot } from './held-folders.ts';
import type { Folders, Root } from './held-folders.ts';
import { isNothing, listOf, readRegular, toState } from './node-reading.ts';
import { toSlashes } from './root.ts';

/**
 * Opens the real file system below a folder. All calls but syncing are synchronous: they take microseconds, and no other code of ours runs
 * between two steps.
 */
export function openNodeFileSystem(root: string, home: Root = openRoot(root)): FileSystem {
  // Without a hold, each call opens the whole path itself.
  const once: Folders = {
    at(folder, use, undo) {
      const folders = home.hold();
      try {
        return folders.at(folder, use, undo);
      } finally {
        folders.release();
      }
    },
    async whileOpen(folder, use) {
      const folders = home.hold();
      try {
        await folders.whileOpen(folder, use);
      } finally {
        folders.release();
      }
    },
    forget: () => undefined,
  };
  return { ...createCalls(root, home, once), hold: () => holdOf(root, home), adopt: (isIt) => adoptIf(root, home, isIt) };
}

function holdOf(root: string, home: Root): HeldFileSystem {
  const folders = home.hold();
  const calls = createCalls(root, home, folders);
  return {
    ...calls,
    hold: () => holdOf(root, home),
    adopt: (isIt) => adoptIf(root, home, isIt),
    findExchanged: (except) => folders.findExchanged(except),
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

function createCalls(root: string, home: Pick<Root, 'mode'>, folders: Folders): Omit<FileSystem, 'hold' | 'adopt'> {
  /** Calls a function with a name in its folder. Errors carry the path as the caller knows it. */
  function on<T>(path: string, use: (name: string) => T, undo?: (name: string) => void): T {
    try {
      if (path === '') return folders.at('', use);
      const slash = path.lastIndexOf('/');
      const name = path.slice(slash + 1);
      return folders.at(
        slash < 0 ? '' : path.slice(0, slash),
        (folder) => use(`${folder}/${name}`),
        undo === undefined ? undefined : (folder) => undo(`${folder}/${name}`),
      );
    } catch (error) {
      throw named(error, path);
    }
  }

  /** Like `on`, but returns null when nothing is there. */
  function onExisting<T>(path: string, use: (name: string) => T): T | null {
    try {
      return on(path, use);
    } catch (error) {
      if (isNothing(error)) return null;
      throw error;
    }
  }

  /** Changes one of roux's files in place, once its path is verified. */
  function change(path: string, act: (descriptor: number) => void): void {
    const descriptor = on(path, (name) => mustBeOwnFile(openSync(name, CHANGE)));
    try {
      act(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Whether the vault is shared by a group: its folder is setgid and group-writable. */
  const isGroupShared = (): boolean => (home.mode & GROUP_FOLDER) === GROUP_FOLDER;

  return {
    now: () => Date.now(),
    stat: (path) =>
      onExisting(path, (name) => {
        // Most requested names do not exist, and an error for each costs more than the call.
        // The name of the root may be that of its descriptor, which is a link.
        const stats = (path === '' ? statSync : lstatSync)(name, { bigint: true, throwIfNoEntry: false });
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
    list: (folder) => onExisting(`${folder}${folder === '' ? '' : '/'}`, listOf),
    read: (path, range) => onExisting(path, (name) => readRegular(name, range)),
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
          tryUndo(() => lstatSync(name).ino === ino && unlinkSync(name));
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
        (name) => tryUndo(() => rmdirSync(name)),
      ),
    makePrivate(folder) {
      // Windows has no such bits; permissions of the user's own folders apply.
      if (process.platform === 'win32') return;
      const descriptor = onExisting(folder, (name) =>
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
            (target) => tryUndo(() => lstatSync(source).ino === lstatSync(target).ino && unlinkSync(target)),
          ),
        // The file came from elsewhere, and must not be mistaken for something a person saved.
        () => tryUndo(() => unlinkSync(linked)),
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
            (target) => tryUndo(() => renameSync(target, source)),
          ),
        (source) => tryUndo(() => renameSync(moved, source)),
      );
      // It may have been a held folder.
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
      // Windows cannot sync folders.
      if (process.platform === 'win32') return;
      try {
        await folders.whileOpen(path, syncDescriptor);
      } catch (error) {
        // Some network and FUSE file systems refuse to sync folders; they order names themselves.
        if (!['EINVAL', 'ENOTSUP', 'EBADF'].includes(systemCode(error) ?? '')) throw named(error, path);
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

/** Returns the descriptor of a regular file with one name; otherwise (FIFO, device, folder, hard links) closes it and throws. */
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

/** Tries to undo a misdirected change; the error that follows reports the problem anyway. */
function tryUndo(undo: () => unknown): void {
  try {
    undo();
  } catch {
    // The folder is gone, and the change with it.
  }
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

function named(error: unknown, path: string): unknown {
  const code = systemCode(error);
  if (!(error instanceof Error) || code === null || error instanceof FileError) return error;
  const [, reason] = /^[A-Z0-9_]+: ([^,]+)/.exec(error.message) ?? [];
  return new FileError(code, reason ?? 'failed', path);
}
