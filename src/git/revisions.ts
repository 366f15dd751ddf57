import type { GitCommit, GitCommits } from './commits.ts';
import { readReference } from './references.ts';
import type { Checkout } from './worktrees.ts';

/** Steps back from a named commit. */
const MAX_STEPS = 10_000;

/**
 * Finds a commit as git's commands name it: `HEAD`, a branch, a tag, `origin/main`, an id or its first digits, and from there back with `~3`
 * and `^2`. Null for none or several.
 */
export async function findRevision(commits: GitCommits, place: Pick<Checkout, 'own' | 'common'>, text: string): Promise<GitCommit | null> {
  const [, name = '', steps = ''] = /^([^~^]+)((?:[~^]\d*)*)$/.exec(text.trim()) ?? [];
  const id = readReference(place, name) ?? (/^[0-9a-f]{4,64}$/i.test(name) ? name.toLowerCase() : null);
  let commit = id === null ? null : await commits.find(id);
  let left = MAX_STEPS;
  for (const [, kind, digits] of steps.matchAll(/([~^])(\d*)/g)) {
    const number = digits === '' ? 1 : Number(digits);
    const parents = kind === '^' ? (number === 0 ? [] : [number - 1]) : Array.from({ length: Math.min(number, left) }, () => 0);
    left -= parents.length;
    for (const parent of parents) {
      const next: string | undefined = commit?.parents[parent];
      commit = next === undefined ? null : await commits.find(next);
    }
  }
  return commit;
}
