import { statfsSync } from 'node:fs';
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
  /** Whether every change in these folders is told of, whoever makes it; a watch that cannot say so may miss some. */
  hearsAll?(folders: readonly string[]): boolean;
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
    hearsAll: (folders) => folders.every(isOfThisMachine),
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

/** File systems that change through this kernel alone: ext2 to 4, XFS, btrfs, bcachefs, F2FS, JFS, ZFS, tmpfs, overlay. */
const OWN_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xca451a4e, 0xf2f52010, 0x3153464a, 0x2fc12fc1, 0x01021994, 0x794c7630,
]);

/** Shared and network file systems change on other machines, of which no kernel tells; nor is it known how far other systems tell. */
function isOfThisMachine(folder: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return OWN_FILE_SYSTEMS.has(statfsSync(folder).type);
  } catch {
    // Gone, or nothing is told of it.
    return false;
  }
}

function watchedPath(details: unknown): string | null {
  if (typeof details !== 'object' || details === null || !('watchedPath' in details)) return null;
  return typeof details.watchedPath === 'string' ? details.watchedPath : null;
}
