import { foldKey, isIgnoredName, isVaultPath, joinPath } from '../../../note/path.ts';
import type { FileReader } from '../../folder/file-system.ts';
import { ifAllowed } from '../../folder/system-error.ts';

/** A file that is not shared, and why, as a clause. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

/** The files of a folder that can be shared. */
export interface Inventory {
  readonly paths: readonly string[];
  readonly skipped: readonly SkippedFile[];
}

/**
 * Lists every file of a folder that can be shared, and those that a store cannot hold. `onRefused` is called for a folder that this user may not
 * look into; without it that is an error.
 */
export function listInventory(files: Pick<FileReader, 'list'>, onRefused?: (folder: string) => void): Inventory {
  const byFold = new Map<string, string>();
  const skipped: SkippedFile[] = [];
  for (const path of pathsBelow(files, '', onRefused)) {
    const key = foldKey(path);
    const other = byFold.get(key);
    if (other !== undefined) skipped.push({ path, reason: `${other} differs only by case or Unicode form; rename one of them` });
    else if (isUnstorable(path)) skipped.push({ path, reason: 'other machines cannot have a file of this name; rename it' });
    else byFold.set(key, path);
  }
  return { paths: [...byFold.values()], skipped };
}

function* pathsBelow(files: Pick<FileReader, 'list'>, folder: string, onRefused?: (folder: string) => void): Generator<string> {
  const entries = onRefused === undefined ? files.list(folder) : ifAllowed(() => files.list(folder), 'refused' as const);
  if (entries === 'refused') {
    onRefused?.(folder);
    return;
  }
  for (const { name, kind } of entries ?? []) {
    if (isIgnoredName(name)) continue;
    const path = joinPath(folder, name);
    if (kind === 'folder') yield* pathsBelow(files, path, onRefused);
    else if (kind === 'file') yield path;
  }
}

/** Whether a store cannot hold this path. */
function isUnstorable(path: string): boolean {
  return !isVaultPath(path) || /\p{Cs}/u.test(path);
}

/** Whether a path of the store may be written to a folder: anyone who may write to the store chooses the paths in it. */
export function isAllowedPath(path: string): boolean {
  return isVaultPath(path) && !path.split('/').some(isIgnoredName);
}
