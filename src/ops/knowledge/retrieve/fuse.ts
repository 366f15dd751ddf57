/** How much a rank counts in reciprocal rank fusion: 1 / (k + rank), ranks from 1 (S3-44). */
const K = 60;

/** Fuses lists of keys, each the best first, by reciprocal rank fusion. */
export function fuse(lists: readonly (readonly string[])[]): Map<string, number> {
  const scores = new Map<string, number>();
  for (const list of lists) for (const [at, key] of list.entries()) scores.set(key, (scores.get(key) ?? 0) + 1 / (K + at + 1));
  return scores;
}

/** Keys by score, the highest first; ties by key, ascending. */
export function byScore(scores: ReadonlyMap<string, number>): readonly string[] {
  return [...scores].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1)).map(([key]) => key);
}
