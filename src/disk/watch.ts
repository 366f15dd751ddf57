import { FSWatcher } from 'chokidar';

/** What a watch reports; folders are absolute paths. */
export interface WatchListener {
  /** Something happened in this folder; `name` is what the kernel named, or null. */
  onEvent(folder: string, name: string | null): void;
  /** The watch on a folder is gone, so it must be added again should the folder still be there. */
  onLost(folder: string): void;
  onError(error: unknown): void;
}

/** A watch on folders, each added and dropped by name. It is a hint that something changed, never the truth. */
export interface FolderWatch {
  add(folders: readonly string[]): void;
  drop(folder: string): void;
  /** Resolves when the folders added first are watched, or the watch is closed. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Opens a watch; folders are added by the caller, who knows them from listing. */
export type OpenWatch = (listener: WatchListener) => FolderWatch;

/**
 * Folders only, because a watch on each file costs a handle, memory and seconds at the start.
 * `depth: 0` and the `ignored` rule keep chokidar from looking for folders itself: it would miss those swapped under one name.
 */
export const openFolderWatch: OpenWatch = (listener) => {
  const wanted = new Set<string>();
  const watcher = new FSWatcher({
    ignored: (path: string) => !wanted.has(path),
    depth: 0,
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
    atomic: false,
  });
  watcher.on('raw', (_event: string, name: string | null, details: unknown) => {
    const folder = watchedPath(details);
    if (folder !== null) listener.onEvent(folder, name);
  });
  watcher.on('unlinkDir', (folder) => {
    if (wanted.delete(folder)) listener.onLost(folder);
  });
  watcher.on('error', (error) => listener.onError(error));
  let settle: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    settle = resolve;
  });
  watcher.once('ready', settle);

  return {
    ready,
    add(folders) {
      for (const folder of folders) wanted.add(folder);
      if (folders.length > 0) watcher.add([...folders]);
    },
    drop(folder) {
      wanted.delete(folder);
      watcher.unwatch(folder);
    },
    async close() {
      await watcher.close();
      settle();
    },
  };
};

function watchedPath(details: unknown): string | null {
  if (typeof details !== 'object' || details === null || !('watchedPath' in details)) return null;
  return typeof details.watchedPath === 'string' ? details.watchedPath : null;
}
