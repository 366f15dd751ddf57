import { RouxError } from '../../../errors.ts';
import type { OperationContext } from '../../operation.ts';
import { currentTime } from '../../operation.ts';
import { readQuestion } from './compose-query.ts';
import type { Question } from '../stored/text-index/fact-text-index.ts';
import { countersOf } from '../ingest/metrics.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import { uuidOf } from '../stored/group-statements.ts';
import type { ScoredKey } from '../../../graph/semantic/embeddings.ts';
import type { FoundFact, KnowledgeGroup } from '../stored/knowledge-group.ts';
import { keysByScore, reciprocalRankFusion } from '../../../graph/semantic/rank-fusion.ts';
import { checkCenter, nearnessTo } from './nearness.ts';
import { bestTexts, nearestFacts } from './nearest-facts.ts';
import { newestFirst } from './newest-first.ts';
import { asKnown, isVisible } from './validity.ts';
import type { Scope } from './validity.ts';
import { showFactOrigin } from './fact-origin.ts';
import { toAgedFact } from './wire.ts';
import type { AgedFact } from './wire.ts';

/** A search for facts. */
export interface FactQuery {
  readonly groupIds: readonly string[];
  readonly query: string;
  readonly maxFacts: number;
  /** Facts to skip. */
  readonly offset?: number;
  readonly center?: string | undefined;
  /** Valid and system time, each ISO 8601 UTC with milliseconds; now if absent. */
  readonly asOf?: { readonly valid?: string | undefined; readonly known?: string | undefined } | undefined;
  readonly includeExpired?: boolean;
}

/** The least cosine of a fact without any word of the query. With the embedded model, what does not answer a question stays below it. */
const MIN_COSINE = 0.3;
/** Below these an answer is more likely to be of no use: its best score by words, and the same with the best cosine. */
const LOW_SCORE = 0.25;
const LOW_SCORES = { words: 0.5, least: 0.45 } as const;

/** Candidates of each ranking, so that a fact found by both can come first wherever each ranks it (S3-45). Each of them is parsed. */
const MIN_CANDIDATES = 50;

/**
 * Searches facts by words and by embeddings, fused by rank (S3-44 to S3-48). Filters apply before the limit. `w / (1 + edges between)`
 * of the best score is added to that of facts near a centre. Results of one search do not affect another (S3-53).
 */
export async function searchFacts(context: OperationContext, query: FactQuery): Promise<readonly AgedFact[]> {
  const started = performance.now();
  const { vault, config } = context;
  const { maxFacts: limitOfFacts, distanceWeight } = config.knowledge;
  if (query.maxFacts > limitOfFacts)
    throw new RouxError('LIMIT_EXCEEDED', `max_facts is ${query.maxFacts}; the limit is ${limitOfFacts}.`, { limit: limitOfFacts });
  await vault.refresh('changed');
  const index = knowledgeOf(vault);
  index.refresh();
  const groups = [...new Set(query.groupIds)].flatMap((id) => index.group(id) ?? []);
  const now = currentTime(context);
  const scope = scopeOf(query, now);
  const find = (key: string): FoundFact | null => {
    for (const group of groups) {
      const found = group.fact(key);
      if (found !== null) return found;
    }
    return null;
  };
  if (query.center !== undefined) checkCenter(groups, query.center);
  const accept = (key: string): boolean => {
    const found = find(uuidOf(key));
    return found !== null && isVisible(found.fact, scope);
  };
  const end = (query.offset ?? 0) + query.maxFacts;
  const limit = Math.max(MIN_CANDIDATES, 2 * end);
  const asked = readQuestion(query.query);
  const worded = byWords(groups, asked, { limit, accept });
  const near = await nearestFacts(context, groups, asked.question, { limit, accept });
  const hasWords = new Set(worded.map(({ key }) => key));
  const lists = [worded.map(({ key }) => key), near.flatMap(({ key, score }) => (score >= MIN_COSINE || hasWords.has(key) ? [key] : []))];
  const scores = reciprocalRankFusion(lists.filter(({ length }) => length > 0));
  if (query.center !== undefined) {
    const best = Math.max(0, ...scores.values());
    const near = nearnessTo(vault, query.center, { groups, scope, facts: [...scores.keys()].flatMap((key) => find(key) ?? []) });
    for (const [key, score] of scores) scores.set(key, score + (near.get(key) ?? 0) * distanceWeight * best);
  }
  const order = { question: asked.question, scores: { words: worded, meaning: near }, find };
  const ranked = keysByScore(scores);
  const facts = (query.center === undefined ? newestFirst(ranked, order) : ranked).slice(query.offset ?? 0, end).flatMap((key) => {
    const found = find(key);
    if (found === null) return [];
    const fact = toAgedFact(index, { ...found, fact: asKnown(found.fact, scope.moment.known) ?? found.fact }, now);
    return [{ ...fact, ...showFactOrigin(vault.graph, index, found) }];
  });
  if (facts.length > 0 && isPoor(worded[0]?.score ?? 0, near[0]?.score))
    context.warn('Probably nothing here answers that; these are the nearest.');
  if (facts.length === 0) (await import('./explain-empty.ts')).explainEmpty(context, { groups, asked, scope });
  countersOf(vault).searched(performance.now() - started);
  return facts;
}

/** Returns the times of a query. `now`: ISO 8601 UTC with milliseconds. */
export function scopeOf({ asOf, includeExpired = false }: Pick<FactQuery, 'asOf' | 'includeExpired'>, now: string): Scope {
  const known = asOf?.known ?? null;
  return { moment: { valid: asOf?.valid ?? known ?? now, known, isPast: asOf?.valid !== undefined }, includeExpired };
}

/** `words`: the best score by words; `cosine`: the best similarity, absent if meaning was not used. */
function isPoor(words: number, cosine: number | undefined): boolean {
  return cosine === undefined ? words < LOW_SCORE : LOW_SCORES.words * words + cosine < LOW_SCORES.least;
}

/** Ranks facts by words. Ranks of several groups are fused, because their scores are not comparable. */
function byWords(
  groups: readonly KnowledgeGroup[],
  query: Question,
  options: { readonly limit: number; readonly accept: (key: string) => boolean },
): readonly ScoredKey[] {
  const lists = groups.map((group) => bestTexts(group.texts.index().find(query, { ...options, neighbors: (key) => group.neighbors(key) })));
  if (lists.length === 1) return lists[0] ?? [];
  const fused = keysByScore(reciprocalRankFusion(lists.map((list) => list.map(({ key }) => key)))).slice(0, options.limit);
  const scores = new Map(lists.flat().map(({ key, score }) => [key, score]));
  return fused.map((key) => ({ key, score: scores.get(key) ?? 0 }));
}
