import { foldKey, folderOf, isIgnoredName } from '../../../note/path.ts';

/** Paths that may have changed. */
export interface DirtySet {
  /** Paths of files, or of folders with everything in them. */
  readonly names: ReadonlySet<string>;
  /** Folders in which any name may have changed. */
  readonly folders: ReadonlySet<string>;
  readonly isAll: boolean;
}

/** Collects the paths for which file events came. */
export interface DirtyPaths {
  /** Adds a name in a folder, or any name (null). `folder` null: anywhere. */
  add(folder: string | null, name?: string | null): void;
  /** Adds a path after a while: another write within the same clock step cannot be seen now. */
  addLater(path: string): void;
  /** Adds back what could not be looked at. */
  putBack(dirty: DirtySet): void;
  readonly isEmpty: boolean;
  /** Whether this path may be dirty, or one that differs only in case or Unicode form. */
  mayContain(path: string): boolean;
  /** Returns all dirty paths and clears them. */
  take(): DirtySet;
}

/** Longer than the coarsest clock step of file systems. */
export const RACY_MS = 2_500;

/** Starts with everything dirty. `now`: the clock of file times, in milliseconds. */
export function trackDirtyPaths(now: () => number): DirtyPaths {
  let names = new Set<string>();
  let folders = new Set<string>();
  let isAll = true;
  /** When each path becomes dirty, in that order. */
  const later = new Map<string, number>();

  const nextDue = (): number => later.values().next().value ?? Infinity;

  return {
    add(folder, name = null) {
      if (folder === null) isAll = true;
      else if (isIgnored(folder) || (name !== null && isIgnoredName(name))) return;
      else if (name === null) folders.add(folder);
      else names.add(folder === '' ? name : `${folder}/${name}`);
    },
    addLater(path) {
      later.delete(path);
      later.set(path, now() + RACY_MS);
    },
    putBack(dirty) {
      for (const path of dirty.names) names.add(path);
      for (const folder of dirty.folders) folders.add(folder);
      isAll ||= dirty.isAll;
    },
    get isEmpty() {
      return !isAll && names.size === 0 && folders.size === 0 && nextDue() > now();
    },
    mayContain(path) {
      if (isAll || folders.has(folderOf(path))) return true;
      const key = foldKey(path);
      for (const name of names) if (foldKey(name) === key) return true;
      return false;
    },
    take() {
      for (const [path, due] of later) {
        if (due > now()) break;
        later.delete(path);
        names.add(path);
      }
      const taken: DirtySet = { names, folders, isAll };
      [names, folders, isAll] = [new Set(), new Set(), false];
      return taken;
    },
  };
}

function isIgnored(folder: string): boolean {
  return folder !== '' && folder.split('/').some(isIgnoredName);
}
