import type { FileReader, FileSystem, HeldFileSystem } from './file-system.ts';

/** A reader that keeps the folders it passes open until everybody else has had a turn: reading many files goes each way once. */
export function holdForATurn(files: FileSystem): FileReader {
  let held: HeldFileSystem | null = null;
  const now = (): HeldFileSystem => {
    if (held !== null) return held;
    const opened = files.hold();
    setImmediate(() => {
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
