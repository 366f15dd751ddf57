import type { ScoredKey } from '../../../graph/semantic/embeddings.ts';
import type { FoundFact } from '../stored/knowledge-group.ts';
import { SAID } from '../stored/statements.ts';

/** Statements that are ordered: the first ones. */
const MAX_ORDERED = 8;
/** What similarity of meaning counts for, next to the score by words, both as shares of the best. */
const MEANING_WEIGHT = 2;
/** Statements with this share of the best score compete: the newest of them gains most. */
const MIN_COMPETING = 0.65;
const NEWNESS_WEIGHT = 0.3;

/** Words by which a question asks for the past. */
const PAST =
  /\b(?:was|were|did|had|been|used to|before|previous(?:ly)?|former(?:ly)?|earlier|first|originally|back then|at the time|ago|last|früher|damals|vorher|zuvor|avant|autrefois|antes|anterior)\b/i;

/** The scores of facts, each of which may be missing. */
export interface FactScores {
  readonly words: readonly ScoredKey[];
  readonly meaning: readonly ScoredKey[];
}

/**
 * Reorders the first statements of a ranking, so that of several that answer a question about now the newest comes first: nothing says of
 * "I work at the mill" that "I started at the bakery" ended it. Facts keep their places. Weights were fitted on lives that were told in
 * sentences (`test/contract/knowledge/statements`).
 */
export function newestFirst(
  ranked: readonly string[],
  { question, scores, find }: { readonly question: string; readonly scores: FactScores; readonly find: (key: string) => FoundFact | null },
): readonly string[] {
  if (PAST.test(question)) return ranked;
  const places: number[] = [];
  const said: { readonly key: string; readonly at: string }[] = [];
  for (const [place, key] of ranked.entries()) {
    if (said.length === MAX_ORDERED) break;
    const fact = find(key)?.fact;
    if (fact?.name !== SAID) continue;
    places.push(place);
    said.push({ key, at: fact.validAt ?? fact.createdAt });
  }
  const [words, meaning] = [sharesOf(said, scores.words), sharesOf(said, scores.meaning)];
  const scored = said.map((each) => ({ ...each, score: words(each.key) + MEANING_WEIGHT * meaning(each.key) }));
  const least = MIN_COMPETING * scored.reduce((most, { score }) => Math.max(most, score), 0);
  const times = scored.flatMap(({ score, at }) => (score >= least ? [at] : [])).sort();
  const newness = ({ score, at }: (typeof scored)[number]): number =>
    score < least ? 0 : times.indexOf(at) / Math.max(1, times.length - 1);
  const ordered = scored
    .map((each) => ({ key: each.key, score: each.score * (1 + NEWNESS_WEIGHT * newness(each)) }))
    .sort((a, b) => b.score - a.score);
  const result = [...ranked];
  for (const [at, { key }] of ordered.entries()) result[places[at] ?? -1] = key;
  return result;
}

/** Returns the score of a key as a share of the best of these keys. */
function sharesOf(keys: readonly { readonly key: string }[], scored: readonly ScoredKey[]): (key: string) => number {
  const scores = new Map(scored.map(({ key, score }) => [key, score]));
  const best = keys.reduce((most, { key }) => Math.max(most, scores.get(key) ?? 0), 0);
  return (key) => (best > 0 ? Math.max(0, scores.get(key) ?? 0) / best : 0);
}
