import { folderOf, isIgnoredName, isTooFar, joinPath } from '../../../note/path.ts';
import type { FileSystem } from '../../folder/file-system.ts';
import { ifAllowed } from '../../folder/system-error.ts';
import type { DirtySet } from './dirty-paths.ts';

/** Lists the files for which no event came: a removed file may have been moved to one of them. Lists every folder, reads no file. */
export function listUnreportedFiles(files: Pick<FileSystem, 'list'>, isKnown: (path: string) => boolean): ReadonlySet<string> {
  const names = new Set<string>();
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { name, kind } of ifAllowed(() => files.list(folder ?? ''), null) ?? []) {
      const path = joinPath(folder, name);
      if (isIgnoredName(name) || isTooFar(path)) continue;
      if (kind === 'folder') waiting.push(path);
      else if (kind === 'file' && !isKnown(path)) names.add(path);
    }
  }
  return names;
}

/** Lists removed files of the store for which no event came, in dirty and in removed folders. */
export function listUnreportedRemovals(
  base: ReadonlyMap<string, string>,
  how: { readonly dirty: DirtySet; readonly hint: (path: string) => unknown; readonly isFound: (path: string) => boolean },
): readonly string[] {
  const { dirty, hint, isFound } = how;
  const isSearchedByFolder = new Map<string, boolean>();
  for (const folder of dirty.folders) isSearchedByFolder.set(folder, true);
  for (const name of dirty.names) isSearchedByFolder.set(folderOf(name), true);
  return [...base.keys()].filter((path) => {
    if (isFound(path)) return false;
    const folder = folderOf(path);
    let isSearched = isSearchedByFolder.get(folder);
    if (isSearched === undefined) isSearchedByFolder.set(folder, (isSearched = hint(folder) === null));
    return isSearched && hint(path) === null;
  });
}
