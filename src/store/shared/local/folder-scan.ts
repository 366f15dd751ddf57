import { fileName, folderOf, foldersAbove, isIgnoredName, isTooFar, joinPath } from '../../../note/path.ts';
import type { FileState, FileSystem } from '../../folder/file-system.ts';
import { ifAllowed } from '../../folder/read-allowed.ts';
import type { LocalChangesOptions } from './file-snapshot.ts';
import type { DirtySet, DirtyPaths } from './dirty-paths.ts';

/** What stands under the names of a folder, as far as this user may look; no file is read. */
export interface FolderScan {
  /** Every path among the marked that is a file now, or was one when it was looked at last. */
  listCandidates(marked: DirtySet): Generator<string>;
  /** What is known to be in a folder, with what stands under one of its names now. */
  remember(path: string, kind: FileState['kind'] | undefined): void;
  readonly hint: (path: string) => FileState | null | 'refused';
  /** Whether a folder above is a link, behind which nothing is looked at: nobody removed what was there. */
  readonly isBehindLink: (path: string) => boolean;
}

/** Looks at a folder of which nothing is known yet. `isStored`: whether the store has a file of this name. */
export function createFolderScan(
  files: Pick<FileSystem, 'list' | 'hint'>,
  how: Pick<Required<LocalChangesOptions>, 'onSkipped'> & {
    readonly marks: Pick<DirtyPaths, 'add'>;
    readonly isStored: (path: string) => boolean;
  },
): FolderScan {
  const { marks, onSkipped: onLeft, isStored } = how;
  /** Names by folder, files and folders, as they were when it was looked at last. */
  const folders = new Map<string, Set<string>>();

  /** What is known to be in a folder, with what stands under one of its names now. */
  function note(path: string, kind: FileState['kind'] | undefined): void {
    const names = folders.get(folderOf(path));
    if (kind === 'file') names?.add(fileName(path));
    else if (kind === 'folder') names?.add(`${fileName(path)}/`);
  }

  /** Every path among the marked that is a file now, or was one. */
  function* among(marked: DirtySet): Generator<string> {
    const waiting = marked.isAll ? [''] : [...marked.folders];
    /** Folders of which all that is below is looked at: another one may have come under the name. */
    const deep = new Set(marked.isAll ? [''] : []);
    for (const path of marked.isAll ? [] : marked.names) {
      if (isTooFar(path)) continue;
      const state = hint(path);
      if (state === 'refused') continue;
      const kind = state?.kind;
      note(path, kind);
      if (kind === 'folder' || folders.has(path)) {
        deep.add(path);
        waiting.push(path);
      }
      // Where a folder is now, a file may have been.
      if (kind !== 'folder' || isStored(path)) yield path;
    }
    const visited = new Set<string>();
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      if (visited.has(folder)) continue;
      visited.add(folder);
      const before = folders.get(folder);
      const listed = unlessRefused(folder, () => files.list(folder));
      if (listed === 'refused') continue;
      const names = new Set<string>();
      for (const { name, kind } of listed ?? []) {
        const path = joinPath(folder, name);
        if (isIgnoredName(name) || isTooFar(path)) continue;
        if (kind === 'folder') {
          names.add(`${name}/`);
          if (deep.has(folder)) deep.add(path);
          if (deep.has(folder) || before?.has(`${name}/`) !== true) waiting.push(path);
        } else if (kind === 'file') {
          names.add(name);
          yield path;
        }
      }
      for (const name of before ?? []) {
        if (names.has(name)) continue;
        if (name.endsWith('/')) waiting.push(joinPath(folder, name.slice(0, -1)));
        else yield joinPath(folder, name);
      }
      if (listed === null) folders.delete(folder);
      else folders.set(folder, names);
    }
  }

  /** A look into a folder; where this user has no right to that, what is in it counts as it was, and is looked at again. */
  function unlessRefused<T>(folder: string, look: () => T): T | 'refused' {
    const found = ifAllowed<T, 'refused'>(look, 'refused');
    if (found === 'refused') {
      marks.add(folderOf(folder), folder === '' ? null : fileName(folder));
      onLeft(folder, 'this user has no right to look into it');
    }
    return found;
  }

  const hint = (path: string): FileState | null | 'refused' => unlessRefused(folderOf(path), () => files.hint(path));

  /** Whether a folder above is a link, behind which nothing is looked at: nobody removed what was there. */
  const isBehindLink = (path: string): boolean =>
    foldersAbove(path).some((folder) => {
      const state = hint(folder);
      return state !== null && state !== 'refused' && state.kind === 'link';
    });

  return { listCandidates: among, remember: note, hint, isBehindLink };
}
