import { foldKey } from '../../../note/path.ts';
import type { Listing, SharedChange } from '../shared-vault.ts';

/**
 * Returns the changes from the files of an earlier commit (`base`, the hash by path) to those of a listing, where the commits in between are
 * unknown. A renamed file is a deletion and a creation, unless its name changed only in case or Unicode form: some file systems cannot have
 * both names at once.
 */
export function diffListing(base: ReadonlyMap<string, string>, { files }: Listing): readonly SharedChange[] {
  const there = new Set(files.map(({ path }) => path));
  const gone = new Map([...base.keys()].filter((path) => !there.has(path)).map((path) => [foldKey(path), path]));
  const changes = files.flatMap(({ path, hash, size }): readonly SharedChange[] => {
    const key = foldKey(path);
    const oldPath = base.has(path) ? null : (gone.get(key) ?? null);
    gone.delete(key);
    const before = base.get(oldPath ?? path) ?? null;
    if (before === hash && oldPath === null) return [];
    const op = oldPath !== null ? 'rename' : before === null ? 'create' : 'update';
    return [{ op, path, oldPath, before, hash, size, event: [] }];
  });
  const removed = [...gone.values()].map((path): SharedChange => {
    return { op: 'delete', path, oldPath: null, before: base.get(path) ?? null, hash: null, size: 0, event: [] };
  });
  return [...removed, ...changes];
}
