import { fileName, folderOf, foldersAbove, isIgnoredName, isTooFar, joinPath } from '../../../note/path.ts';
import type { FileState, FileSystem } from '../../folder/file-system.ts';
import { ifAllowed } from '../../folder/system-error.ts';
import type { LocalChangesOptions } from './file-snapshot.ts';
import type { DirtySet, DirtyPaths } from './dirty-paths.ts';

/** Lists what is in a folder, as far as this user may look. Reads no files. */
export interface FolderScan {
  /** Lists every dirty path that is a file, or was one at the last scan. */
  listCandidates(dirty: DirtySet): Generator<string>;
  /** Remembers what is at a path now. */
  remember(path: string, kind: FileState['kind'] | undefined): void;
  readonly hint: (path: string) => FileState | null | 'refused';
  /** Whether a folder above is a link. Nothing behind links is scanned, so its files do not count as removed. */
  readonly isBehindLink: (path: string) => boolean;
}

/** Creates a scan that knows nothing yet. `isStored`: whether the store has a file at a path. */
export function createFolderScan(
  files: Pick<FileSystem, 'list' | 'hint'>,
  how: Pick<Required<LocalChangesOptions>, 'onSkipped'> & {
    readonly dirty: Pick<DirtyPaths, 'add'>;
    readonly isStored: (path: string) => boolean;
  },
): FolderScan {
  const { onSkipped, isStored } = how;
  /** The names in each folder at the last scan; those of folders end in a slash. */
  const folders = new Map<string, Set<string>>();

  function remember(path: string, kind: FileState['kind'] | undefined): void {
    const names = folders.get(folderOf(path));
    if (kind === 'file') names?.add(fileName(path));
    else if (kind === 'folder') names?.add(`${fileName(path)}/`);
  }

  function* listCandidates(dirty: DirtySet): Generator<string> {
    const waiting = dirty.isAll ? [''] : [...dirty.folders];
    /** Folders that are scanned completely, because another folder may have taken their names. */
    const deep = new Set(dirty.isAll ? [''] : []);
    for (const path of dirty.isAll ? [] : dirty.names) {
      if (isTooFar(path)) continue;
      const state = hint(path);
      if (state === 'refused') continue;
      const kind = state?.kind;
      remember(path, kind);
      if (kind === 'folder' || folders.has(path)) {
        deep.add(path);
        waiting.push(path);
      }
      // A folder may have replaced a file.
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

  /** Looks into a folder. Without the permission, its files count as unchanged, and it stays dirty. */
  function unlessRefused<T>(folder: string, look: () => T): T | 'refused' {
    const found = ifAllowed<T, 'refused'>(look, 'refused');
    if (found === 'refused') {
      how.dirty.add(folderOf(folder), folder === '' ? null : fileName(folder));
      onSkipped(folder, 'this user has no right to look into it');
    }
    return found;
  }

  const hint = (path: string): FileState | null | 'refused' => unlessRefused(folderOf(path), () => files.hint(path));

  const isBehindLink = (path: string): boolean =>
    foldersAbove(path).some((folder) => {
      const state = hint(folder);
      return state !== null && state !== 'refused' && state.kind === 'link';
    });

  return { listCandidates, remember, hint, isBehindLink };
}
