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
  /** Watches folders from now on, where the system can. The watch of one that is watched already is renewed. */
  add(folders: readonly string[]): void;
  drop(folder: string): void;
  /** Returns whether every change in these folders is reported, whoever makes it. A watch without this method may miss some. */
  reportsAll?(folders: readonly string[]): boolean;
  close(): Promise<void>;
}

/** Opens a watch. The caller adds folders, which it knows from listing. */
export type OpenWatch = (listener: WatchListener) => FolderWatch;

/** Watches folders only, because watching each file costs a handle, memory and seconds at the start. */
export const openFolderWatch: OpenWatch = (listener) => {
  const watcher = new FolderWatcher({ ignoreInitial: true, followSymlinks: false, ignorePermissionErrors: true, atomic: false });
  watcher.on('raw', (_event: string, name: string | null, details: unknown) => {
    const folder = watchedPath(details);
    if (folder === null) return;
    // The kernel reports the end of a watched folder under the folder's own name.
    if (name === basename(folder)) listener.onLost(folder);
    listener.onEvent(folder, name === null ? null : (originalName(name) ?? name));
  });
  watcher.on('error', (error) => listener.onError(error));
  return {
    add: (folders) => folders.forEach((folder) => watcher.watchNow(folder)),
    drop: (folder) => watcher._closeFile(folder),
    reportsAll: (folders) => folders.every(isOnLocalFileSystem),
    close: () => watcher.close(),
  };
};

/**
 * chokidar without its own listing of folders: it would begin to watch only after that, and list again after every event. The caller lists
 * them. A folder that is gone, or that this user may not read, is no error here: comparing the folders reports it.
 */
class FolderWatcher extends FSWatcher {
  /** Watches a folder from now on, with a new watch if it is watched already. */
  watchNow(folder: string): void {
    this._closeFile(folder);
    const close = this._nodeFsHandler._watchWithNodeFs(folder, () => undefined);
    if (close !== undefined) this._addPathCloser(folder, close);
  }
}

function watchedPath(details: unknown): string | null {
  if (typeof details !== 'object' || details === null || !('watchedPath' in details)) return null;
  return typeof details.watchedPath === 'string' ? details.watchedPath : null;
}
