import type { FileSystem, HeldFileSystem } from './file-system.ts';

/**
 * Wraps a file system so that folders stay open until the current synchronous code ends: reading many files opens each folder once. Code
 * after an `await` opens them again, since a folder may have been replaced by then. `during` returns the folders that a transaction holds,
 * if any.
 */
export function holdWhileRunning(files: FileSystem, during: () => HeldFileSystem | null = () => null): FileSystem {
  let held: HeldFileSystem | null = null;
  const now = (): HeldFileSystem => {
    const given = during();
    if (given !== null) return given;
    if (held !== null) return held;
    const opened = files.hold();
    queueMicrotask(() => {
      held = null;
      opened.release();
    });
    held = opened;
    return opened;
  };
  return {
    stat: (path) => now().stat(path),
    hint: (path) => files.hint(path),
    list: (folder) => now().list(folder),
    read: (path, range) => now().read(path, range),
    glance: (path) => now().glance?.(path) ?? null,
    realPath: (path) => files.realPath(path),
    now: () => files.now(),
    create: (path, mode) => now().create(path, mode),
    append: (path) => now().append(path),
    makeFolder: (path, isPrivate) => now().makeFolder(path, isPrivate),
    makePrivate: (folder) => now().makePrivate(folder),
    link: (from, to) => now().link(from, to),
    rename: (from, to) => now().rename(from, to),
    remove: (path) => now().remove(path),
    cut: (path, size) => now().cut(path, size),
    removeFolder: (path) => now().removeFolder(path),
    touch: (path) => now().touch(path),
    syncFolder: (path) => now().syncFolder(path),
    hold: () => files.hold(),
  };
}
