import type { ScoredKey } from '../../../graph/semantic/embeddings.ts';
import { keysByScore, reciprocalRankFusion } from '../../../graph/semantic/rank-fusion.ts';
import type { OperationContext } from '../../operation.ts';
import { uuidOf } from '../stored/group-statements.ts';
import type { KnowledgeGroup } from '../stored/knowledge-group.ts';
import type { Question } from '../stored/text-index/fact-text-index.ts';
import { nearestTexts } from './nearest-facts.ts';

/** The best texts of facts, down to a depth. */
export interface Candidates {
  readonly depth: number;
  /** For each group. */
  readonly words: readonly (readonly ScoredKey[])[];
  readonly near: readonly ScoredKey[];
}

/** The facts of candidates, best first. */
export interface Rankings {
  readonly words: readonly ScoredKey[];
  readonly near: readonly ScoredKey[];
  /** Whether a greater depth has no other facts. */
  readonly isAll: boolean;
}

/** The least cosine of a fact without any word of the query. With the embedded model, what does not answer a question stays below it. */
const MIN_COSINE = 0.3;
/** Candidates of each ranking, so that a fact found by both can come first wherever each ranks it (S3-45). Each of them is parsed. */
const FIRST_DEPTH = 50;

/** Finds the best texts by words and by meaning. */
export async function findCandidates(
  context: OperationContext,
  groups: readonly KnowledgeGroup[],
  { asked, depth, accept }: { readonly asked: Question; readonly depth: number; readonly accept: (key: string) => boolean },
): Promise<Candidates> {
  const words = groups.map((group) => group.texts.index().find(asked, { limit: depth, accept, neighbors: (key) => group.neighbors(key) }));
  return { depth, words, near: await nearestTexts(context, groups, asked.question, { limit: depth, accept }) };
}

/** Returns the facts of the candidates down to a depth; those in `near` without any word are near enough. */
export function rankingsAt({ words, near }: Candidates, depth: number): Rankings {
  const lists = words.map((list) => bestTexts(list.slice(0, depth)));
  const [worded, nearest] = [fuseGroups(lists), bestTexts(near.slice(0, depth))];
  const hasWords = new Set(worded.map(({ key }) => key));
  return {
    words: worded.slice(0, depth),
    near: nearest.filter(({ key, score }) => score >= MIN_COSINE || hasWords.has(key)),
    isAll: worded.length <= depth && words.every(({ length }) => length < depth) && (near[depth - 1]?.score ?? -Infinity) < MIN_COSINE,
  };
}

/**
 * Returns at least the first `end` keys, or all. They are in an order that does not depend on `end`, so that pages have each key once: those
 * of the first depth, then those that twice the depth adds, and so on. More candidates change ranks, so one depth would mix them anew.
 */
export async function rankInStages(
  end: number,
  rankAt: (depth: number, isFirst: boolean) => Promise<{ readonly ranked: readonly string[]; readonly isAll: boolean }>,
): Promise<readonly string[]> {
  const keys = new Set<string>();
  for (let depth = FIRST_DEPTH; ; depth *= 2) {
    const { ranked, isAll } = await rankAt(depth, depth === FIRST_DEPTH);
    for (const key of ranked) keys.add(key);
    if (isAll || keys.size >= end) return [...keys];
  }
}

/** Returns the first depth that can have so many facts. */
export function depthFor(end: number): number {
  let depth = FIRST_DEPTH;
  while (depth < end) depth *= 2;
  return depth;
}

/** Fuses the ranks of several groups, because their scores are not comparable. */
function fuseGroups(lists: readonly (readonly ScoredKey[])[]): readonly ScoredKey[] {
  if (lists.length === 1) return lists[0] ?? [];
  const scores = new Map(lists.flat().map(({ key, score }) => [key, score]));
  return keysByScore(reciprocalRankFusion(lists.map((list) => list.map(({ key }) => key)))).map((key) => ({
    key,
    score: scores.get(key) ?? 0,
  }));
}

/** Returns each fact with the score of its best text, best first. */
function bestTexts(scored: readonly ScoredKey[]): readonly ScoredKey[] {
  const scores = new Map<string, number>();
  for (const { key, score } of scored) if (!scores.has(uuidOf(key))) scores.set(uuidOf(key), score);
  return Array.from(scores, ([key, score]) => ({ key, score }));
}
