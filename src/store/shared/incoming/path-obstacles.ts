import { foldersAbove } from '../../../note/path.ts';
import type { SharedChange } from '../shared-vault.ts';

/** Whether one of two names has to be a folder for the other one. */
export function matchObstacles(names: ReadonlySet<string>): (path: string) => boolean {
  const above = new Set([...names].flatMap(foldersAbove));
  return (path) => above.has(path) || foldersAbove(path).some((folder) => names.has(folder));
}

/**
 * Changes by which a name of a file becomes one of a folder, or the other way round, in two parts: what has to be gone before the rest
 * can come, which is then told of nothing that it was before. `first` is empty where there is no such name. `isAside`: what has this name
 * was moved out of the way already.
 */
export function splitOffObstacles(
  changes: readonly SharedChange[],
  isAside: (path: string) => boolean = () => false,
): {
  readonly first: readonly SharedChange[];
  readonly rest: readonly SharedChange[];
} {
  const arriving = new Set(changes.flatMap(({ path, hash }) => (hash === null ? [] : [path])));
  const isInTheWay = matchObstacles(arriving);
  const leaves = (change: SharedChange): string | null => change.oldPath ?? (change.hash === null ? change.path : null);
  const first = changes.flatMap((change): readonly SharedChange[] => {
    const path = leaves(change);
    if (path === null || !isInTheWay(path) || isAside(path)) return [];
    return [{ op: 'delete', path, oldPath: null, before: change.before, hash: null, size: 0, event: [] }];
  });
  const gone = new Set(first.map(({ path }) => path));
  const rest = changes.map((change): SharedChange => {
    const isApart = change.oldPath !== null && gone.has(change.oldPath);
    return isApart ? { ...change, op: 'create', oldPath: null, before: null } : change;
  });
  return { first, rest };
}
