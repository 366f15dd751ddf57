import { folderOf, isIgnoredName, isTooFar, joinPath } from '../../../note/path.ts';
import type { FileSystem } from '../../folder/file-system.ts';
import { ifAllowed } from '../../folder/read-allowed.ts';
import type { DirtySet } from './dirty-paths.ts';

/** Names of which nothing was heard yet: a file that is gone may have come under one of them. Lists every folder and looks at no file. */
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

/** Files of the store that are gone and of which nothing was heard, in the folders that were marked and in those that are gone. */
export function listUnreportedRemovals(
  base: ReadonlyMap<string, string>,
  how: { readonly marked: DirtySet; readonly hint: (path: string) => unknown; readonly isFound: (path: string) => boolean },
): readonly string[] {
  const { marked, hint, isFound } = how;
  const isLookedInto = new Map<string, boolean>();
  for (const folder of marked.folders) isLookedInto.set(folder, true);
  for (const name of marked.names) isLookedInto.set(folderOf(name), true);
  return [...base.keys()].filter((path) => {
    if (isFound(path)) return false;
    const folder = folderOf(path);
    let isLooked = isLookedInto.get(folder);
    if (isLooked === undefined) isLookedInto.set(folder, (isLooked = hint(folder) === null));
    return isLooked && hint(path) === null;
  });
}
