import { compareScoredKeys } from './best-keys.ts';

/** Damps the weight of the first ranks: with 60, rank 1 counts little more than rank 2 (S3-44). */
const K = 60;

/** Adds up, for each key, `1 / (60 + rank)` over all rankings, each of them best first; ranks start at 1. */
export function reciprocalRankFusion(rankings: readonly (readonly string[])[]): Map<string, number> {
  const scores = new Map<string, number>();
  for (const ranking of rankings) for (const [at, key] of ranking.entries()) scores.set(key, (scores.get(key) ?? 0) + 1 / (K + at + 1));
  return scores;
}

/** Returns the keys by score, highest first, ties by key. */
export function keysByScore(scores: ReadonlyMap<string, number>): readonly string[] {
  return Array.from(scores, ([key, score]) => ({ key, score }))
    .sort(compareScoredKeys)
    .map(({ key }) => key);
}
