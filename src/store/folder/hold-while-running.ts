import type { FileReader, FileSystem, HeldFileSystem } from './file-system.ts';

/**
 * A reader that keeps the folders it passes open for as long as one stretch of code runs: reading many files goes each way once.
 * Whatever waits looks anew afterwards, as a folder may be another one by then.
 */
export function holdWhileRunning(files: FileSystem): FileReader {
  let held: HeldFileSystem | null = null;
  const now = (): HeldFileSystem => {
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
  };
}
