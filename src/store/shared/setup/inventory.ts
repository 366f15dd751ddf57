import { foldKey, isIgnoredName, isVaultPath, joinPath } from '../../../note/path.ts';
import type { FileReader } from '../../folder/file-system.ts';
import { ifAllowed } from '../../folder/read-allowed.ts';

/** A file that stays out, and why, as a clause. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

/** What of a folder goes into a store. */
export interface Inventory {
  readonly paths: readonly string[];
  readonly skipped: readonly SkippedFile[];
}

/**
 * Every file of a folder that a shared vault has, and those that stay on this machine because a store cannot have them. `onRefused`: a folder
 * of the vault that this user may not look into; without it that is an error.
 */
export function listInventory(files: Pick<FileReader, 'list'>, onRefused?: (folder: string) => void): Inventory {
  const byFold = new Map<string, string>();
  const left: SkippedFile[] = [];
  for (const path of pathsBelow(files, '', onRefused)) {
    const key = foldKey(path);
    const twin = byFold.get(key);
    if (twin !== undefined) left.push({ path, reason: `${twin} has the same name in other letters; rename one of them` });
    else if (isUnstorable(path)) left.push({ path, reason: 'other machines cannot have a file of this name; rename it' });
    else byFold.set(key, path);
  }
  return { paths: [...byFold.values()], skipped: left };
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

/** Half a character, or what is no path of a vault. */
function isUnstorable(path: string): boolean {
  return !isVaultPath(path) || /\p{Cs}/u.test(path);
}

/** Returns whether a name of the store may be put into a folder: whoever may write to a store chooses the names in it. */
export function isAllowedPath(path: string): boolean {
  return isVaultPath(path) && !path.split('/').some(isIgnoredName);
}
