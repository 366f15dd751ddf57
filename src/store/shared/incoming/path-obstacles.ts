import { foldersAbove } from '../../../note/path.ts';
import type { SharedChange } from '../shared-vault.ts';

/** Returns a test whether a path cannot exist beside these paths, because one would have to be a file and a folder at once. */
export function matchObstacles(names: ReadonlySet<string>): (path: string) => boolean {
  const above = new Set([...names].flatMap(foldersAbove));
  return (path) => above.has(path) || foldersAbove(path).some((folder) => names.has(folder));
}

/**
 * Splits changes by which a file becomes a folder, or a folder a file: `first` removes the obstacles, `rest` creates the other files without
 * a previous name. `first` is empty if there are no obstacles. `isAside`: whether the file at a path was moved out of the way already.
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
