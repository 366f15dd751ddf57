import { RouxError } from '../../../errors.ts';
import type { OperationContext } from '../../operation.ts';
import { currentTime } from '../../operation.ts';
import { readQuestion } from './compose-query.ts';
import type { Question } from '../stored/fact-text-index.ts';
import { countersOf } from '../ingest/metrics.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import { uuidOf } from '../stored/group-statements.ts';
import type { ScoredKey } from '../../../graph/semantic/embeddings.ts';
import type { FoundFact, KnowledgeGroup } from '../stored/knowledge-group.ts';
import { keysByScore, reciprocalRankFusion } from '../../../graph/semantic/rank-fusion.ts';
import { checkCenter, nearnessTo } from './nearness.ts';
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
  readonly center?: string | undefined;
  /** Valid and system time, each ISO 8601 UTC with milliseconds; now if absent. */
  readonly asOf?: { readonly valid?: string | undefined; readonly known?: string | undefined } | undefined;
  readonly includeExpired?: boolean;
}

/** The least cosine of a fact without any word of the query. With the embedded model, what does not answer a question stays below it. */
const MIN_COSINE = 0.3;
/** A group is ranked by meaning once this share of its texts has vectors; before that, embedded texts would come first for that alone. */
const MIN_EMBEDDED = 0.95;

/** Candidates of each ranking, so that a fact found by both can come first wherever each ranks it (S3-45). */
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
  const limit = Math.max(MIN_CANDIDATES, 2 * query.maxFacts);
  const asked = readQuestion(query.query);
  const worded = byWords(groups, asked, { limit, accept });
  const near = await byMeaning(context, groups, asked.question, { limit, accept });
  const hasWords = new Set(worded);
  const lists = [worded, uuids(near.filter(({ key, score }) => score >= MIN_COSINE || hasWords.has(uuidOf(key))).map(({ key }) => key))];
  const scores = reciprocalRankFusion(lists.filter(({ length }) => length > 0));
  if (query.center !== undefined) {
    const best = Math.max(0, ...scores.values());
    const near = nearnessTo(vault, query.center, { groups, scope, facts: [...scores.keys()].flatMap((key) => find(key) ?? []) });
    for (const [key, score] of scores) scores.set(key, score + (near.get(key) ?? 0) * distanceWeight * best);
  }
  const facts = keysByScore(scores)
    .slice(0, query.maxFacts)
    .flatMap((key) => {
      const found = find(key);
      if (found === null) return [];
      const fact = toAgedFact(index, { ...found, fact: asKnown(found.fact, scope.moment.known) ?? found.fact }, now);
      return [{ ...fact, ...showFactOrigin(vault.graph, index, found) }];
    });
  if (facts.length === 0) (await import('./explain-empty.ts')).explainEmpty(context, { groups, asked, scope });
  countersOf(vault).searched(performance.now() - started);
  return facts;
}

/** Returns the times of a query. `now`: ISO 8601 UTC with milliseconds. */
export function scopeOf({ asOf, includeExpired = false }: Pick<FactQuery, 'asOf' | 'includeExpired'>, now: string): Scope {
  const known = asOf?.known ?? null;
  return { moment: { valid: asOf?.valid ?? known ?? now, known, isPast: asOf?.valid !== undefined }, includeExpired };
}

/** Returns the facts of indexed keys, each where it is first. */
function uuids(keys: readonly string[]): readonly string[] {
  return [...new Set(keys.map(uuidOf))];
}

/** Ranks facts by words. Ranks of several groups are fused, because their scores are not comparable. */
function byWords(
  groups: readonly KnowledgeGroup[],
  query: Question,
  options: { readonly limit: number; readonly accept: (key: string) => boolean },
): readonly string[] {
  const lists = groups.map((group) => uuids(group.textIndex().find(query, { ...options, neighbors: (key) => group.neighbors(key) })));
  if (lists.length === 1) return lists[0] ?? [];
  return keysByScore(reciprocalRankFusion(lists)).slice(0, options.limit);
}

/** Ranks facts by embeddings; empty without an embedder (S3-31, S3-44). */
async function byMeaning(
  context: OperationContext,
  groups: readonly KnowledgeGroup[],
  query: string,
  { limit, accept }: { readonly limit: number; readonly accept: (key: string) => boolean },
): Promise<readonly ScoredKey[]> {
  const { vault, signal } = context;
  // While no vectors are loaded, no text has one.
  if (groups.length === 0 || ['off', 'loading'].includes(vault.search.embeddings.status().state)) return [];
  const [all, waiting] = groups.map((group) => group.embedding()).reduce(([a, w], each) => [a + each.all, w + each.waiting], [0, 0]);
  if (all === 0) return [];
  if (waiting > (1 - MIN_EMBEDDED) * all) {
    if (vault.search.embeddings.status().state === 'ready')
      context.warn(`By words: of ${all} facts and sentences ${all - waiting} are embedded so far.`);
    return [];
  }
  const vector = await vault.search.embeddings.embedQuery(query, signal);
  if (vector === null) return [];
  const of = (key: string): { readonly group: string; readonly uuid: string } => {
    const at = key.indexOf('/');
    return { group: key.slice(0, at), uuid: key.slice(at + 1) };
  };
  const wanted = new Set(groups.map(({ id }) => id));
  const nearest = vault.search.embeddings.collection('facts').findNearest(vector, {
    limit,
    accept: (key) => wanted.has(of(key).group) && accept(of(key).uuid),
  });
  return nearest.map(({ key, score }) => ({ key: of(key).uuid, score }));
}
