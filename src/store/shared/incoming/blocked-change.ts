import { RouxError, systemCode } from '../../../errors.ts';
import { foldersAbove, foldKey } from '../../../note/path.ts';
import { toStoreError } from '../../folder/system-error.ts';
import type { SharedChange } from '../shared-vault.ts';

/**
 * A change of the store that could not be written to this folder because of its path: no permission, a link out of the vault, a file where the
 * store has a folder. Other files do not wait for it. It is tried again; until it succeeds, its file counts as it was before, and edits of
 * that path are not pushed.
 */
export type BlockedChange = Omit<SharedChange, 'event'>;

/** With more of them the folder itself cannot be written, and it stops following. */
export const MAX_BLOCKED_CHANGES = 1_000;

/** Errors of a single file. Any other error is one of the folder or the store, or temporary. */
const FILE_ERRORS = ['IO_ERROR', 'READ_ONLY', 'INVALID_PARAMS', 'INVALID_ENCODING', 'TOO_LARGE', 'NODE_EXISTS', 'CONFLICT'];

/** Returns an error if a single file caused it; null if any other file would have failed too. */
export function asFileError(error: unknown): RouxError | null {
  const known = toStoreError(error);
  if (!(known instanceof RouxError) || !FILE_ERRORS.includes(known.code)) return null;
  return systemCode(error) === 'EROFS' ? null : known;
}

/** Returns a test whether a path is one of the changed paths, or above or below one. Ignores case and Unicode form. */
export function matchRelatedPaths(changes: readonly Pick<SharedChange, 'path' | 'oldPath'>[]): (path: string) => boolean {
  const names = new Set<string>();
  const above = new Set<string>();
  for (const name of changes.flatMap(namesOf)) {
    names.add(name);
    for (const folder of foldersAbove(name)) above.add(folder);
  }
  return (path) => {
    const key = foldKey(path);
    return names.has(key) || above.has(key) || foldersAbove(key).some((folder) => names.has(folder));
  };
}

/** Groups changes by related paths: each group can be applied without the others. */
export function groupRelatedChanges(changes: readonly SharedChange[]): readonly (readonly SharedChange[])[] {
  const names = new Set(changes.flatMap(namesOf));
  /** A union-find forest: by name, another name of its group. */
  const parents = new Map<string, string>();
  const findRoot = (name: string): string => {
    let at = name;
    for (let next = parents.get(at); next !== undefined; next = parents.get(at)) {
      parents.set(at, parents.get(next) ?? next);
      at = next;
    }
    return at;
  };
  for (const change of changes) {
    const own = namesOf(change);
    for (const name of own)
      for (const other of [own[0]!, ...foldersAbove(name).filter((folder) => names.has(folder))])
        if (findRoot(name) !== findRoot(other)) parents.set(findRoot(name), findRoot(other));
  }
  const groups = new Map<string, SharedChange[]>();
  for (const change of changes) {
    const key = findRoot(foldKey(change.path));
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.values()];
}

/** Returns the hash of each changed path before the changes; null where there was no file. */
export function hashesBefore(changes: readonly BlockedChange[]): readonly (readonly [path: string, hash: string | null])[] {
  const there = new Map(changes.flatMap(({ path, oldPath, before }) => (before === null ? [] : [[oldPath ?? path, before] as const])));
  return [...changes.flatMap(({ path }) => (there.has(path) ? [] : [[path, null] as const])), ...there];
}

/** Returns the files of a commit (the hash by path) as they are without the blocked changes. */
export function revertBlocked(files: ReadonlyMap<string, string>, changes: readonly BlockedChange[]): ReadonlyMap<string, string> {
  if (changes.length === 0) return files;
  const base = new Map(files);
  for (const [path, hash] of hashesBefore(changes)) {
    if (hash === null) base.delete(path);
    else base.set(path, hash);
  }
  return base;
}

function namesOf({ path, oldPath }: Pick<SharedChange, 'path' | 'oldPath'>): readonly string[] {
  return oldPath === null ? [foldKey(path)] : [foldKey(path), foldKey(oldPath)];
}
