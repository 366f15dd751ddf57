import { RouxError } from '../../../errors.ts';
import type { OperationContext } from '../../operation.ts';
import { currentTime } from '../../operation.ts';
import { readQuestion } from './compose-query.ts';
import { countersOf } from '../ingest/metrics.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import { uuidOf } from '../stored/group-statements.ts';
import type { FoundFact } from '../stored/knowledge-group.ts';
import { keysByScore, reciprocalRankFusion } from '../../../graph/semantic/rank-fusion.ts';
import { depthFor, findCandidates, rankingsAt, rankInStages } from './candidates.ts';
import type { Candidates } from './candidates.ts';
import { findCenter, warnOfMissingGroups } from './known-names.ts';
import { nearnessTo } from './nearness.ts';
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

/** Below these an answer is more likely to be of no use: its best score by words, and the same with the best cosine. */
const LOW_SCORE = 0.25;
const LOW_SCORES = { words: 0.5, least: 0.45 } as const;

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
  warnOfMissingGroups(context, query.groupIds);
  const center = query.center === undefined ? undefined : findCenter(vault, groups, query.center);
  const accept = (key: string): boolean => {
    const found = find(uuidOf(key));
    return found !== null && isVisible(found.fact, scope);
  };
  const end = (query.offset ?? 0) + query.maxFacts;
  const asked = readQuestion(query.query);
  const findAt = (depth: number): Promise<Candidates> => findCandidates(context, groups, { asked, depth, accept });
  let candidates = await findAt(depthFor(end));
  const ranked = await rankInStages(end, async (depth, isFirst) => {
    if (depth > candidates.depth) candidates = await findAt(depth);
    const { words, near, isAll } = rankingsAt(candidates, depth);
    const scores = reciprocalRankFusion([words, near].filter(({ length }) => length > 0).map((list) => list.map(({ key }) => key)));
    if (center !== undefined) {
      const best = [...scores.values()].reduce((most, score) => Math.max(most, score), 0);
      const around = nearnessTo(vault, center, { groups, scope, facts: [...scores.keys()].flatMap((key) => find(key) ?? []) });
      for (const [key, score] of scores) scores.set(key, score + (around.get(key) ?? 0) * distanceWeight * best);
    }
    const keys = keysByScore(scores);
    const isReordered = isFirst && center === undefined;
    const order = { question: asked.question, scores: { words, meaning: near }, find };
    return { ranked: isReordered ? newestFirst(keys, order) : keys, isAll };
  });
  const facts = ranked.slice(query.offset ?? 0, end).flatMap((key) => {
    const found = find(key);
    if (found === null) return [];
    const fact = toAgedFact(index, { ...found, fact: asKnown(found.fact, scope.moment.known) ?? found.fact }, now);
    return [{ ...fact, ...showFactOrigin(vault.graph, index, found) }];
  });
  if (facts.length > 0 && isPoor(candidates)) context.warn('Probably nothing here answers that; these are the nearest.');
  if (facts.length === 0) (await import('./explain-empty.ts')).explainEmpty(context, { groups, asked, scope });
  countersOf(vault).searched(performance.now() - started);
  return facts;
}

/** Returns the times of a query. `now`: ISO 8601 UTC with milliseconds. */
export function scopeOf({ asOf, includeExpired = false }: Pick<FactQuery, 'asOf' | 'includeExpired'>, now: string): Scope {
  const known = asOf?.known ?? null;
  return { moment: { valid: asOf?.valid ?? known ?? now, known, isPast: asOf?.valid !== undefined }, includeExpired };
}

function isPoor(candidates: Candidates): boolean {
  const [best, cosine] = [rankingsAt(candidates, 1).words[0]?.score ?? 0, candidates.near[0]?.score];
  return cosine === undefined ? best < LOW_SCORE : LOW_SCORES.words * best + cosine < LOW_SCORES.least;
}
