import { compareNear } from './nearest.ts';
import type { Near } from './meaning.ts';

/** How little the first ranks count more than the next ones. */
const K = 60;

/**
 * Orders as one, by reciprocal rank fusion: each order gives `1 / (60 + rank)`, ranks from 1. The best first, equal ones by key; a score of 1 is
 * the first rank in all orders.
 */
export function fuse(orders: readonly (readonly string[])[]): readonly Near[] {
  const scores = new Map<string, number>();
  for (const order of orders) for (const [at, key] of order.entries()) scores.set(key, (scores.get(key) ?? 0) + 1 / (K + at + 1));
  const best = orders.length / (K + 1);
  return Array.from(scores, ([key, score]) => ({ key, score: score / best })).sort(compareNear);
}
