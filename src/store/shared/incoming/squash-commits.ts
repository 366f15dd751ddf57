import type { SharedChange, SharedCommit } from '../shared-vault.ts';

/** What several commits come to, one after the other, as if they were one: what lies in between was nowhere but in the store. */
export function squashCommits(commits: readonly Pick<SharedCommit, 'changes'>[]): readonly SharedChange[] {
  if (commits.length === 1) return commits[0]?.changes ?? [];
  /** By the name that a file has so far: what it was when it all began, and the last that was said of it. */
  const now = new Map<string, { readonly first: SharedChange; readonly last: SharedChange }>();
  const gone = new Map<string, SharedChange>();
  for (const { changes } of commits) {
    // At once: two files of a commit may change their names with each other.
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
    // Removed and made again: it was changed.
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

/** What the names that changes are about stand for after them: the hash of a file, or null. */
export function hashesAfter(changes: readonly SharedChange[]): readonly (readonly [path: string, hash: string | null])[] {
  const there = new Set(changes.flatMap(({ path, hash }) => (hash === null ? [] : [path])));
  return changes.flatMap(({ path, oldPath, hash }) => [
    ...(oldPath === null || there.has(oldPath) ? [] : [[oldPath, null] as const]),
    // Of a name that one file left and another got, the one that has it counts.
    ...(hash === null && there.has(path) ? [] : [[path, hash] as const]),
  ]);
}

function originOf({ path, oldPath }: SharedChange): string {
  return oldPath ?? path;
}
