import * as z from 'zod';
import { compareText } from '../../../note/text.ts';
import { groupId, looseTime } from '../inputs.ts';
import { chooseGroup, listGroups } from '../people/choose-group.ts';
import { findDeletedFacts } from '../people/deleted-facts.ts';
import { factsAround, findEntity } from '../people/timeline.ts';
import { scopeOf, searchFacts } from '../retrieve/search-facts.ts';
import type { FoundFact, KnowledgeGroup } from '../stored/knowledge-group.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { StoredEntity } from '../stored/shapes.ts';
import { defineOperation, currentTime } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { compareKeys, indexAfter, keyCursor, readKeyCursor } from '../../lists/page-cursor.ts';
import type { SortKey } from '../../lists/page-cursor.ts';
import { shorten } from '../../shorten.ts';
import { MAX_NAME_CHARACTERS, positionOf, toFactRow } from './fact-row.ts';
import type { FactRow } from './fact-row.ts';

/** Limits of a page. */
const MAX_FACTS = 200;
const MAX_GROUPS = 100;
const MAX_ENTITIES = 200;

/** Lists the facts of a group or entity, with valid and system time. */
export const factTimeline = defineOperation({
  name: 'fact_timeline',
  toolset: null,
  title: 'Facts in time',
  summary: 'Facts of a group or an entity with valid and system time, superseded ones too; how each stands now, or as of other times.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'refuse',
  input: z.strictObject({
    /** The group with most facts by default. */
    group: groupId.optional(),
    /** A uuid, a name or a path. */
    entity: z.string().min(1).max(4_096).optional(),
    /** Text to search for; best matches first. */
    query: z.string().min(1).max(2_000).optional(),
    /** Valid time; now by default. */
    as_of: looseTime.optional(),
    /** System time; all that is known by default. */
    known_at: looseTime.optional(),
    cursor: z.string().max(20_000).optional(),
  }),
  async run(context, { group: named, entity: reference, query, as_of: valid, known_at: known, cursor }) {
    const { vault } = context;
    await vault.refresh('changed');
    const index = knowledgeOf(vault);
    index.refresh();
    const groups = listGroups(index).map((group) => ({
      id: group.id,
      entities: group.entities().length,
      episodes: group.episodes().length,
      facts: group.entities().reduce((sum, { facts }) => sum + facts.length, 0),
    }));
    const now = currentTime(context);
    const list = { groups: groups.slice(0, MAX_GROUPS), groups_omitted: Math.max(0, groups.length - MAX_GROUPS), now };
    const fullest = groups.reduce<(typeof groups)[number] | null>((best, each) => (each.facts > (best?.facts ?? -1) ? each : best), null);
    if (fullest === null && named === undefined) return { ...list, timeline: null };
    const group = chooseGroup(index, named ?? fullest?.id);
    const entity = reference === undefined ? null : findEntity(context, index, group, reference);
    const scope = scopeOf({ asOf: { valid, known } }, now);
    const found = await findFacts(context, group, { entity, query });
    const deleted = entity === null || query !== undefined ? [] : await findDeletedFacts(context, entity);
    const deletions = new Map(
      deleted.map(({ fact, at, by }) => {
        const author = by === null ? {} : { deleted_by: shorten(by, MAX_NAME_CHARACTERS) };
        return [fact, { state: 'deleted' as const, deleted_at: at, ...author }];
      }),
    );
    const all = [...found, ...deleted.map(({ fact }): FoundFact => ({ fact, source: entity as StoredEntity }))];
    // Search results keep their order, best first.
    const sorted = query === undefined ? all.sort((a, b) => compareKeys(sortKey(a), sortKey(b))) : all;
    const start = cursor === undefined ? 0 : indexAfter(sorted, readKeyCursor(cursor, 6), sortKey);
    const shown = sorted.slice(start, start + MAX_FACTS);
    const last = shown.at(-1);
    return {
      ...list,
      timeline: {
        group: group.id,
        ...(entity === null ? {} : { entity: toNamed(entity), summary: shorten(entity.summary ?? '', 1_000) }),
        total: sorted.length,
        facts: shown.map((each): FactRow => ({ ...toFactRow(index, each, scope), ...deletions.get(each.fact) })),
        ...(last !== undefined && start + shown.length < sorted.length ? { next_cursor: keyCursor(sortKey(last)) } : {}),
        range: rangeOf(sorted, now),
        entities: fullestEntities(group),
      },
    };
  },
});

async function findFacts(
  context: OperationContext,
  group: KnowledgeGroup,
  { entity, query }: { readonly entity: StoredEntity | null; readonly query: string | undefined },
): Promise<FoundFact[]> {
  const index = knowledgeOf(context.vault);
  if (query === undefined)
    return entity === null
      ? group.entities().flatMap((source) => source.facts.map((fact) => ({ fact, source })))
      : [...factsAround(context, index, entity)];
  const maxFacts = Math.min(context.config.knowledge.maxFacts, MAX_FACTS);
  const found = await searchFacts(context, { groupIds: [group.id], query, maxFacts, includeExpired: true });
  const around = entity === null ? null : new Set(factsAround(context, index, entity).map(({ fact }) => fact.uuid));
  return found.flatMap(({ uuid }) => (around === null || around.has(uuid) ? (group.fact(uuid) ?? []) : []));
}

/** Returns the sort key of a fact: by source and relation, then by its start. */
function sortKey(found: FoundFact): SortKey {
  const { fact, source } = found;
  return [
    shorten(source.name, MAX_NAME_CHARACTERS),
    source.path,
    shorten(fact.name, MAX_NAME_CHARACTERS),
    positionOf(found),
    fact.createdAt,
    fact.uuid,
  ];
}

/** Returns the ranges of valid and system time. */
function rangeOf(facts: readonly FoundFact[], now: string) {
  let [validFrom, validTo, knownFrom, knownTo] = [now, now, now, now];
  for (const found of facts) {
    const { invalidAt, createdAt, expiredAt } = found.fact;
    const from = positionOf(found);
    for (const time of [from, invalidAt ?? from]) {
      if (time < validFrom) validFrom = time;
      if (time > validTo) validTo = time;
    }
    for (const time of [createdAt, expiredAt ?? createdAt]) {
      if (time < knownFrom) knownFrom = time;
      if (time > knownTo) knownTo = time;
    }
  }
  return { valid_from: validFrom, valid_to: validTo, known_from: knownFrom, known_to: knownTo };
}

/** Returns the entities with most facts, to choose from. */
function fullestEntities(group: KnowledgeGroup) {
  const sorted = [...group.entities()].sort((a, b) => b.facts.length - a.facts.length || compareText(a.name, b.name));
  return sorted.slice(0, MAX_ENTITIES).map((entity) => ({ ...toNamed(entity), facts: entity.facts.length }));
}

function toNamed({ uuid, name, path }: StoredEntity) {
  return { uuid, name: shorten(name, MAX_NAME_CHARACTERS), path };
}
