import type { FileSystem, HeldFileSystem } from './file-system.ts';

/**
 * The same folder, with the folders it passes kept open for as long as one stretch of code runs: reading many files goes each way once.
 * Whatever waits looks anew afterwards, as a folder may be another one by then. `during`: folders
 * that are held anyway, as long as a transaction runs.
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
    adopt: (isIt) => files.adopt(isIt),
  };
}
