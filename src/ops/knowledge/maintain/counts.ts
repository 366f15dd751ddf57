import * as z from 'zod';
import type { Vault } from '../../../vault/vault.ts';
import { defineOperation, currentTime } from '../../operation.ts';
import { isForeign } from '../ingest/mark.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { KnowledgeGroup } from '../stored/knowledge-group.ts';
import { parseFact } from '../stored/fact-line.ts';
import type { StoredEntity, StoredFact } from '../stored/shapes.ts';

/** The size of a knowledge graph, counted in its notes (S3-51). */
export interface KnowledgeCounts {
  readonly groups: number;
  readonly entities: number;
  readonly facts: {
    /** Valid now and not expired, as a search finds them. */
    readonly now: number;
    readonly expired: number;
    readonly total: number;
  };
  readonly episodes: {
    readonly total: number;
    /** Number of episodes in each state of ingestion; states without any are absent. */
    readonly states: Readonly<Record<string, number>>;
    /** Open episodes that were accepted elsewhere: not processed until they are retried. */
    readonly foreign: number;
  };
}

/** The last counts and the time until which they are valid. */
interface CachedCounts {
  counts: KnowledgeCounts | null;
  version: number;
  /** ISO 8601: when the next fact becomes valid or invalid. */
  until: string;
}

const createCachedCounts = (): CachedCounts => ({ counts: null, version: -1, until: '' });

/** Returns the counts of a vault; cached until a note of the graph changes, or a fact becomes valid or invalid. */
export function countKnowledge(vault: Vault): KnowledgeCounts {
  const index = knowledgeOf(vault);
  index.refresh();
  const now = currentTime({ vault });
  const cached = vault.derived(createCachedCounts);
  if (cached.counts !== null && cached.version === index.version && now < cached.until) return cached.counts;
  const groups = index.groups().filter((group) => group.entities().length > 0 || group.episodes().length > 0);
  const facts = groups.flatMap((group) => group.entities().flatMap(timesOf));
  cached.counts = countAll(vault, groups, facts, now);
  cached.version = index.version;
  cached.until = nextChange(facts, now);
  return cached.counts;
}

function countAll(vault: Vault, groups: readonly KnowledgeGroup[], facts: readonly FactTimes[], now: string): KnowledgeCounts {
  const episodes = groups.flatMap((group) => group.episodes());
  const states = new Map<string, number>();
  for (const { ingest } of episodes) if (ingest !== null) states.set(ingest.state, (states.get(ingest.state) ?? 0) + 1);
  return {
    groups: groups.length,
    entities: groups.reduce((sum, group) => sum + group.entities().length, 0),
    facts: {
      now: facts.filter((fact) => isValid(fact, now)).length,
      expired: facts.filter(({ expiredAt }) => expiredAt !== null).length,
      total: facts.length,
    },
    episodes: {
      total: episodes.length,
      states: Object.fromEntries([...states].sort(([a], [b]) => (a < b ? -1 : 1))),
      foreign: episodes.filter((episode) => isForeign(vault.ports, episode)).length,
    },
  };
}

/** The times of a fact by which it is counted. */
type FactTimes = Pick<StoredFact, 'validAt' | 'invalidAt' | 'expiredAt'>;

const NO_TIMES: FactTimes = { validAt: null, invalidAt: null, expiredAt: null };
/** Fields of facts that begin or end at a time. `valid_at` is part of `invalid_at`. */
const TIMED = /valid_at::|expired_at::/;

/** Returns the times of the facts of an entity. Most facts have none and are not parsed: parsing 100,000 takes seconds. */
function timesOf({ factLines }: StoredEntity): readonly FactTimes[] {
  return factLines.map((line) => {
    const read = TIMED.test(line) ? parseFact(line) : null;
    return read !== null && 'fact' in read ? read.fact : NO_TIMES;
  });
}

/** Returns whether a search about now finds a fact (`isVisible`). */
function isValid({ validAt, invalidAt, expiredAt }: FactTimes, now: string): boolean {
  return expiredAt === null && (validAt ?? '') <= now && (invalidAt === null || invalidAt > now);
}

/** Returns the first time after `now` at which a fact becomes valid or invalid. */
function nextChange(facts: readonly FactTimes[], now: string): string {
  let next = '~';
  for (const { validAt, invalidAt } of facts)
    for (const time of [validAt, invalidAt]) if (time !== null && time > now && time < next) next = time;
  return next;
}

/** The size of the knowledge graph, for people. */
export const knowledgeStats = defineOperation({
  name: 'knowledge_stats',
  toolset: null,
  title: 'Figures of the knowledge graph',
  summary: 'How many groups, entities, facts and episodes the knowledge graph has, and in which state.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({}),
  run: ({ vault }): KnowledgeCounts => countKnowledge(vault),
});
