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
  renameSync,
  rmdirSync,
  unlinkSync,
  watch,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../errors.ts';
import { PRIVATE_FILE } from './file-system.ts';
import type { FileReader, FileSystem, FolderEntry, HeldFileSystem, OpenFile, RootFileSystem } from './file-system.ts';
import { openRoot } from './held-folders.ts';
import type { Folders, Root } from './held-folders.ts';
import { isOnLocalFileSystem } from './root.ts';
import { whenFree } from './system-error.ts';
import { callAt, callIfExists, createNodeReader, isNothing, listOf, toState, withPath } from './node-reading.ts';

/**
 * Opens the real file system below a folder. All calls but syncing are synchronous: they take microseconds, and no other code of ours runs
 * between two steps.
 */
export function openNodeFileSystem(root: string, home: Root = openRoot(root), platform = process.platform): RootFileSystem {
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
  return {
    ...createNodeReader(root, { home, folders: once, platform }),
    ...createWriter(home, once),
    onChange: (path, listener) => watchFile(root, path, listener),
    hold: () => holdOf(root, home, platform),
    adopt: (isIt) => adoptIf(root, home, isIt),
  };
}

function watchFile(root: string, path: string, listener: () => void): (() => void) | null {
  if (!isOnLocalFileSystem(root)) return null;
  try {
    const watcher = watch(join(root, path), listener);
    watcher.on('error', listener);
    return () => watcher.close();
  } catch {
    // It is gone, or there are too many watches.
    return null;
  }
}

function holdOf(root: string, home: Root, platform: NodeJS.Platform): HeldFileSystem {
  const folders = home.hold();
  return {
    ...createNodeReader(root, { home, folders, platform }),
    ...createWriter(home, folders),
    hold: () => holdOf(root, home, platform),
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

/** Creates the writing half of the file system below a root. */
function createWriter(home: Pick<Root, 'state'>, folders: Folders): Omit<FileSystem, keyof FileReader | 'hold'> {
  /** Changes one of roux's files in place, once its path is verified. */
  function change(path: string, act: (descriptor: number) => void): void {
    const descriptor = callAt(folders, path, (name) => mustBeOwnFile(openSync(name, CHANGE)));
    try {
      act(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Whether the vault is shared by a group: its folder is setgid and group-writable. */
  const isGroupShared = (): boolean => (Number(home.state.mode) & GROUP_FOLDER) === GROUP_FOLDER;

  return {
    create: (path, mode) =>
      callAt(
        folders,
        path,
        (name) => openFile(openSync(name, NEW, mode === PRIVATE_FILE && isGroupShared() ? 0o660 : mode)),
        (name, file) => {
          const { ino } = file.state();
          file.close();
          tryUndo(() => lstatSync(name, { bigint: true }).ino === ino && unlinkSync(name));
        },
      ),
    append: (path) =>
      callAt(folders, path, (name) => {
        const descriptor = openSync(name, CHANGE | constants.O_CREAT | constants.O_APPEND, isGroupShared() ? 0o660 : PRIVATE_FILE);
        return openFile(mustBeOwnFile(descriptor));
      }),
    makeFolder: (path, isPrivate = false) =>
      callAt(
        folders,
        path,
        (name) => mkdirSync(name, isPrivate ? (isGroupShared() ? 0o770 : 0o700) : 0o777),
        (name) => tryUndo(() => rmdirSync(name)),
      ),
    makePrivate(folder) {
      // Windows has no such bits; permissions of the user's own folders apply.
      if (process.platform === 'win32') return;
      const descriptor = callIfExists(folders, folder, (name) =>
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
    link: (from, to) => linkAt(folders, from, to),
    rename(from, to) {
      renameAt(folders, from, to);
      // It may have been a held folder.
      folders.forget(from);
      folders.forget(to);
    },
    remove: (path) => callAt(folders, path, (name) => whenFree(() => unlinkSync(name))),
    cut: (path, size) => change(path, (descriptor) => ftruncateSync(descriptor, size)),
    removeFolder(path) {
      folders.forget(path);
      callAt(folders, path, (name) => whenFree(() => rmdirSync(name)));
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
        if (!['EINVAL', 'ENOTSUP', 'EBADF'].includes(systemCode(error) ?? '')) throw withPath(error, path);
      }
    },
  };
}

function linkAt(folders: Folders, from: string, to: string): void {
  callAt(
    folders,
    from,
    (source) =>
      callAt(
        folders,
        to,
        (target) => {
          linkSync(source, target);
          return target;
        },
        (target) => tryUndo(() => lstatSync(source).ino === lstatSync(target).ino && unlinkSync(target)),
      ),
    // The file came from elsewhere, and must not be mistaken for something a person saved.
    (_source, target) => tryUndo(() => unlinkSync(target)),
  );
}

function renameAt(folders: Folders, from: string, to: string): void {
  callAt(
    folders,
    from,
    (source) =>
      callAt(
        folders,
        to,
        (target) => {
          whenFree(() => renameSync(source, target));
          return target;
        },
        (target) => tryUndo(() => renameSync(target, source)),
      ),
    (source, target) => tryUndo(() => renameSync(target, source)),
  );
}

function openFile(descriptor: number): OpenFile {
  return {
    write: (bytes, at) => writeSync(descriptor, bytes, 0, bytes.length, at),
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
