import type { FileReader, FileSystem, HeldFileSystem } from './file-system.ts';

/** A reader that keeps the folders it passes open until `release`, and from its next use on again: for work in slices. */
export function holdWhileUsed(files: FileSystem): FileReader & { release(): void } {
  let held: HeldFileSystem | null = null;
  const now = (): HeldFileSystem => (held ??= files.hold());
  return {
    stat: (path) => now().stat(path),
    list: (folder) => now().list(folder),
    read: (path, range) => now().read(path, range),
    realPath: (path) => files.realPath(path),
    now: () => files.now(),
    release() {
      held?.release();
      held = null;
    },
  };
}
