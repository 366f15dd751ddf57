import { basename } from 'node:path';
import { FSWatcher } from 'chokidar';

/** What a watch reports; folders are absolute paths. */
export interface WatchListener {
  /** Something happened in this folder; `name` is what the kernel named, or null. */
  onEvent(folder: string, name: string | null): void;
  /** The folder itself may be gone, or another under its name, so that its watch hears nothing any more. */
  onLost(folder: string): void;
  onError(error: unknown): void;
}

/** A watch on folders, each added and dropped by name. It is a hint that something changed, never the truth. */
export interface FolderWatch {
  /** A folder that is watched already is watched anew. */
  add(folders: readonly string[]): void;
  drop(folder: string): void;
  /** Resolves when the folders added first are watched, or the watch is closed. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Opens a watch; folders are added by the caller, who knows them from listing. */
export type OpenWatch = (listener: WatchListener) => FolderWatch;

/** Folders only, because a watch on each file costs a handle, memory and seconds at the start. */
export const openFolderWatch: OpenWatch = (listener) => {
  const watched = new Set<string>();
  const watcher = new FolderWatcher({ ignoreInitial: true, followSymlinks: false, ignorePermissionErrors: true, atomic: false });
  watcher.on('raw', (_event: string, name: string | null, details: unknown) => {
    const folder = watchedPath(details);
    if (folder === null) return;
    // The kernel tells the end of a watched folder under the folder's own name.
    if (name === basename(folder)) listener.onLost(folder);
    listener.onEvent(folder, name);
  });
  watcher.on('error', (error) => listener.onError(error));
  let resolveReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    resolveReady = resolve;
  });
  watcher.once('ready', resolveReady);

  const drop = (folder: string): void => {
    if (watched.delete(folder)) watcher.release(folder);
  };
  return {
    ready,
    add(folders) {
      for (const folder of folders) {
        drop(folder);
        watched.add(folder);
      }
      if (folders.length > 0) watcher.add([...folders]);
    },
    drop,
    async close() {
      await watcher.close();
      resolveReady();
    },
  };
};

/** chokidar, but it does not list: after every event it would stat the whole folder, as its owner does anyway, and better. */
class FolderWatcher extends FSWatcher {
  override _readdirp(): undefined {
    return undefined;
  }

  /** `unwatch` would also remember the folder as ignored for good. */
  release(folder: string): void {
    this._closePath(folder);
  }
}

function watchedPath(details: unknown): string | null {
  if (typeof details !== 'object' || details === null || !('watchedPath' in details)) return null;
  return typeof details.watchedPath === 'string' ? details.watchedPath : null;
}
