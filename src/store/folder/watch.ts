import { basename } from 'node:path';
import { FSWatcher } from 'chokidar';
import { originalName } from './online-only.ts';
import { isOnLocalFileSystem } from './root.ts';

/** Receives the events of a watch. Folders are absolute paths. */
export interface WatchListener {
  /** Something changed in this folder; `name` is the kernel's, for a placeholder that of its file, or null. */
  onEvent(folder: string, name: string | null): void;
  /** The folder itself may be gone or replaced, so that its watch reports nothing any more. */
  onLost(folder: string): void;
  onError(error: unknown): void;
}

/** A watch on folders. Its events are hints that something changed, never the truth. */
export interface FolderWatch {
  /** Adds folders. The watch of one that is watched already is renewed. */
  add(folders: readonly string[]): void;
  drop(folder: string): void;
  /** Returns whether every change in these folders is reported, whoever makes it. A watch without this method may miss some. */
  reportsAll?(folders: readonly string[]): boolean;
  /** Resolves when the folders added first are watched, or the watch is closed. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Opens a watch. The caller adds folders, which it knows from listing. */
export type OpenWatch = (listener: WatchListener) => FolderWatch;

/** Watches folders only, because watching each file costs a handle, memory and seconds at the start. */
export const openFolderWatch: OpenWatch = (listener) => {
  const watched = new Set<string>();
  const watcher = new FolderWatcher({ ignoreInitial: true, followSymlinks: false, ignorePermissionErrors: true, atomic: false });
  watcher.on('raw', (_event: string, name: string | null, details: unknown) => {
    const folder = watchedPath(details);
    if (folder === null) return;
    // The kernel reports the end of a watched folder under the folder's own name.
    if (name === basename(folder)) listener.onLost(folder);
    listener.onEvent(folder, name === null ? null : (originalName(name) ?? name));
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
    reportsAll: (folders) => folders.every(isOnLocalFileSystem),
    async close() {
      await watcher.close();
      resolveReady();
    },
  };
};

/** chokidar without listing: after every event it would stat the whole folder, which the caller does anyway. */
class FolderWatcher extends FSWatcher {
  override _readdirp(): undefined {
    return undefined;
  }

  /** `unwatch` would also ignore the folder permanently. */
  release(folder: string): void {
    this._closePath(folder);
  }
}

function watchedPath(details: unknown): string | null {
  if (typeof details !== 'object' || details === null || !('watchedPath' in details)) return null;
  return typeof details.watchedPath === 'string' ? details.watchedPath : null;
}
