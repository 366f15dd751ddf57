import { RouxError, systemCode } from '../../../errors.ts';
import { foldersAbove, foldKey } from '../../../note/path.ts';
import { toStoreError } from '../../folder/system-error.ts';
import type { SharedChange } from '../shared-vault.ts';

/**
 * A change that the store has and that could not be put in place here, for a reason that is of this folder and this name: a folder without
 * rights, one that is a link out of the vault, a file where the store has a folder. It holds no other file up. Until it is in place its file
 * counts as what it was before, it is tried again, and what is edited here under its name is not given to the store.
 */
export type BlockedChange = Omit<SharedChange, 'event'>;

/** With more of them it is the folder that cannot be written, and it follows no further. */
export const MAX_BLOCKED_CHANGES = 1_000;

/** Failures of a file; any other one is of the whole folder, of the store or of a moment. */
const OF_A_FILE = ['IO_ERROR', 'READ_ONLY', 'INVALID_PARAMS', 'INVALID_ENCODING', 'TOO_LARGE', 'NODE_EXISTS', 'CONFLICT'];

/** What was thrown, if it is about the file that was to be put in place; null for a failure that any other file would have met too. */
export function asFileError(error: unknown): RouxError | null {
  const told = toStoreError(error);
  if (!(told instanceof RouxError) || !OF_A_FILE.includes(told.code)) return null;
  return systemCode(error) === 'EROFS' ? null : told;
}

/** Names, and whether one has to do with them: it is among them, a folder above one of them, or below one. Case and Unicode form count for nothing. */
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

/** Changes in groups that have no name to do with each other: one can be put in place without the others. */
export function groupRelatedChanges(changes: readonly SharedChange[]): readonly (readonly SharedChange[])[] {
  const names = new Set(changes.flatMap(namesOf));
  /** By name, the first name of its group so far, or another one on the way to it. */
  const towards = new Map<string, string>();
  const first = (name: string): string => {
    let at = name;
    for (let next = towards.get(at); next !== undefined; next = towards.get(at)) {
      towards.set(at, towards.get(next) ?? next);
      at = next;
    }
    return at;
  };
  for (const change of changes) {
    const own = namesOf(change);
    for (const name of own)
      for (const other of [own[0]!, ...foldersAbove(name).filter((folder) => names.has(folder))])
        if (first(name) !== first(other)) towards.set(first(name), first(other));
  }
  const groups = new Map<string, SharedChange[]>();
  for (const change of changes) {
    const key = first(foldKey(change.path));
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.values()];
}

/** What the names that changes are about stood for before them: the hash of a file, or null. */
export function hashesBefore(changes: readonly BlockedChange[]): readonly (readonly [path: string, hash: string | null])[] {
  const there = new Map(changes.flatMap(({ path, oldPath, before }) => (before === null ? [] : [[oldPath ?? path, before] as const])));
  return [...changes.flatMap(({ path }) => (there.has(path) ? [] : [[path, null] as const])), ...there];
}

/** The files of a commit (the hash by path) without what could not be put in place of it. */
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
