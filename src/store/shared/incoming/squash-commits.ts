import type { SharedChange, SharedCommit } from '../shared-vault.ts';

/** Squashes consecutive commits into the changes of one. */
export function squashCommits(commits: readonly Pick<SharedCommit, 'changes'>[]): readonly SharedChange[] {
  if (commits.length === 1) return commits[0]?.changes ?? [];
  /** The first and last change of each file, by its name so far. */
  const now = new Map<string, { readonly first: SharedChange; readonly last: SharedChange }>();
  const gone = new Map<string, SharedChange>();
  for (const { changes } of commits) {
    // Read before any is set, as two files of a commit may swap names.
    const before = changes.map((change) => {
      const name = change.oldPath ?? change.path;
      const seen = change.before === null ? undefined : now.get(name);
      if (change.before !== null) now.delete(name);
      return seen;
    });
    for (const [index, change] of changes.entries()) {
      const first = before[index]?.first ?? change;
      if (change.hash !== null) now.set(change.path, { first, last: change });
      else if (first.before !== null)
        gone.set(originOf(first), { ...first, op: 'delete', path: originOf(first), oldPath: null, hash: null, size: 0 });
    }
  }
  const left = [...now.values()].map(({ first, last }): SharedChange => {
    const made = gone.get(last.path);
    // Deleted and created again: an update.
    if (first.before === null && made !== undefined) {
      gone.delete(last.path);
      return { ...last, op: 'update', oldPath: null, before: made.before };
    }
    if (first.before === null) return { ...last, op: 'create', oldPath: null, before: null };
    const origin = originOf(first);
    const isMoved = origin !== last.path;
    return { ...last, op: isMoved ? 'rename' : 'update', oldPath: isMoved ? origin : null, before: first.before };
  });
  return [...gone.values(), ...left];
}

/** Returns the hash of each changed path after the changes; null where there is no file any more. */
export function hashesAfter(changes: readonly SharedChange[]): readonly (readonly [path: string, hash: string | null])[] {
  const there = new Set(changes.flatMap(({ path, hash }) => (hash === null ? [] : [path])));
  return changes.flatMap(({ path, oldPath, hash }) => [
    ...(oldPath === null || there.has(oldPath) ? [] : [[oldPath, null] as const]),
    // If one file left a name and another took it, the latter counts.
    ...(hash === null && there.has(path) ? [] : [[path, hash] as const]),
  ]);
}

function originOf({ path, oldPath }: SharedChange): string {
  return oldPath ?? path;
}
