import type { Origin } from '../../../note/origin.ts';
import { showFreshness } from '../../freshness/show.ts';
import type { ShownFreshness } from '../../freshness/show.ts';
import type { EpisodeContent, StoredEntity, StoredEpisode } from '../stored/shapes.ts';
import type { FoundFact } from '../stored/knowledge-group.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';

/** A fact in an answer (S3-06). Times are ISO 8601 UTC with milliseconds. */
export interface FactResult {
  readonly uuid: string;
  readonly name: string;
  readonly fact: string;
  readonly valid_at?: string;
  readonly invalid_at?: string;
  readonly created_at: string;
  readonly expired_at?: string;
  readonly source_node_uuid: string;
  /** Absent if the link is unresolved. */
  readonly target_node_uuid?: string;
  readonly source_node_name: string;
  readonly target_node_name: string;
  /** Uuids of the episodes that state it; the link text of a deleted one. */
  readonly episodes: readonly string[];
  readonly negated?: true;
  readonly qualifiers?: Readonly<Record<string, unknown>>;
}

export interface EntityNode {
  readonly uuid: string;
  readonly group_id: string;
  readonly name: string;
  readonly summary?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

export interface Episode {
  readonly uuid: string;
  readonly group_id: string;
  readonly name?: string;
  readonly body: string;
  readonly source: 'text' | 'json' | 'message';
  readonly source_description?: string;
  readonly reference_time: string;
  readonly created_at: string;
}

export function toFactResult(index: KnowledgeIndex, { fact, source }: FoundFact): FactResult {
  const target = index.targetOf(fact, source.path);
  const group = index.group(source.groupId);
  const episodes = fact.episodes.map((linkpath) => {
    const found = index.at(index.targetOf({ linkpath }, source.path)?.path ?? '');
    // A deleted episode is named by its link (S3-17).
    return found?.kind === 'episode' && group !== null ? found.uuid : linkpath;
  });
  return {
    uuid: fact.uuid,
    name: fact.name,
    fact: fact.fact,
    ...(fact.validAt === null ? {} : { valid_at: fact.validAt }),
    ...(fact.invalidAt === null ? {} : { invalid_at: fact.invalidAt }),
    created_at: fact.createdAt,
    ...(fact.expiredAt === null ? {} : { expired_at: fact.expiredAt }),
    source_node_uuid: source.uuid,
    ...(target === null ? {} : { target_node_uuid: target.uuid }),
    source_node_name: source.name,
    target_node_name: target?.name ?? fact.shown ?? fact.linkpath,
    episodes,
    ...(fact.isNegated ? { negated: true as const } : {}),
    ...(fact.qualifiers === null ? {} : { qualifiers: fact.qualifiers }),
  };
}

/** A fact in an answer, with how fresh it is, and where it comes from if that is less than an agent. */
export type AgedFact = FactResult & ShownFreshness & { readonly _origin?: Origin };

/** `now`: ISO 8601. Without a confirmation, a fact is as old as the time at which it was said last. */
export function toAgedFact(index: KnowledgeIndex, found: FoundFact, now: string): AgedFact {
  const age = { changedMs: Date.parse(found.fact.saidAt), now: Date.parse(now) };
  return { ...toFactResult(index, found), ...showFreshness(found.fact, age) };
}

export function toEntityNode({
  uuid,
  groupId,
  name,
  summary,
  attributes,
  createdAt,
}: Pick<StoredEntity, 'uuid' | 'groupId' | 'name' | 'summary' | 'attributes' | 'createdAt'>): EntityNode {
  return {
    uuid,
    group_id: groupId,
    name,
    ...(summary === null ? {} : { summary }),
    ...(attributes === null ? {} : { attributes }),
    created_at: createdAt,
  };
}

export function toEpisode(episode: StoredEpisode, { body }: Pick<EpisodeContent, 'body'>): Episode {
  const { uuid, groupId, name, source, sourceDescription, referenceTime, createdAt } = episode;
  return {
    uuid,
    group_id: groupId,
    ...(name === null ? {} : { name }),
    body,
    source,
    ...(sourceDescription === null ? {} : { source_description: sourceDescription }),
    reference_time: referenceTime,
    created_at: createdAt,
  };
}
