import { foldKey, folderOf, isIgnoredName } from '../../../note/path.ts';

/** What is to be looked at: names, and whole folders. */
export interface DirtySet {
  /** Files, and folders with all that is in them: what stands under a name is told by looking. */
  readonly names: ReadonlySet<string>;
  /** Folders in which any name may have changed. */
  readonly folders: ReadonlySet<string>;
  readonly isAll: boolean;
}

/** What was heard of and is to be looked at. */
export interface DirtyPaths {
  /** Something happened under a name in a folder, or under any (null). A folder of null: anywhere. */
  add(folder: string | null, name?: string | null): void;
  /** This name is looked at again when so much time has passed: what is written in the same step of the clock looks the same now. */
  addLater(path: string): void;
  /** Puts back what could not be looked at. */
  putBack(marked: DirtySet): void;
  readonly isEmpty: boolean;
  /** Whether a name that differs from this one by case or Unicode form at most may be among what is marked. */
  mayContain(path: string): boolean;
  /** All that is marked by now; from here on it is not. */
  take(): DirtySet;
}

/** Longer than the coarsest step of the times that file systems give. */
export const RACY_MS = 2_500;

/** Marks on a folder; at first everything is to be looked at. `now`: the clock that stamps files, in milliseconds. */
export function trackDirtyPaths(now: () => number): DirtyPaths {
  let names = new Set<string>();
  let folders = new Set<string>();
  let isAll = true;
  /** In the order of their times. */
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
    putBack(marked) {
      for (const path of marked.names) names.add(path);
      for (const folder of marked.folders) folders.add(folder);
      isAll ||= marked.isAll;
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
