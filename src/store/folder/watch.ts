import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { basename } from 'node:path';
import { systemCode } from '../../errors.ts';
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
  /** Adds folders, which are watched at once where the system can. The watch of one that is watched already is renewed. */
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

/** What a folder that is gone, or that this user may not read, fails with: comparing the folders tells more. */
const UNWATCHABLE: ReadonlySet<string | null> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM']);

/** Watches folders only, because watching each file costs a handle, memory and seconds at the start. */
export const openFolderWatch: OpenWatch = (listener) => {
  const watchers = new Map<string, FSWatcher>();
  const drop = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const fail = (error: unknown): void => {
    if (!UNWATCHABLE.has(systemCode(error))) listener.onError(error);
  };
  const add = (folder: string): void => {
    drop(folder);
    const ownName = basename(folder);
    try {
      const watcher = watch(folder, (_event, name) => {
        // The kernel reports the end of a watched folder under the folder's own name.
        if (name === ownName) listener.onLost(folder);
        listener.onEvent(folder, name === null ? null : (originalName(name) ?? name));
      });
      watcher.on('error', fail);
      watchers.set(folder, watcher);
    } catch (error) {
      fail(error);
    }
  };
  return {
    ready: Promise.resolve(),
    add: (folders) => folders.forEach(add),
    drop,
    reportsAll: (folders) => folders.every(isOnLocalFileSystem),
    async close() {
      for (const folder of watchers.keys()) drop(folder);
    },
  };
};
