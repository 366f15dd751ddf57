import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { compareText } from '../../../note/text.ts';
import { groupId, looseTime } from '../../knowledge/inputs.ts';
import { chooseGroup, groupsOf } from '../../knowledge/people/choose-group.ts';
import { lostFacts } from '../../knowledge/people/lost-facts.ts';
import { factsAround, findEntity } from '../../knowledge/people/timeline.ts';
import { scopeOf, searchFacts } from '../../knowledge/retrieve/search-facts.ts';
import type { FoundFact, KnowledgeGroup } from '../../knowledge/stored/knowledge-group.ts';
import { knowledgeOf } from '../../knowledge/stored/knowledge-index.ts';
import type { StoredEntity } from '../../knowledge/stored/shapes.ts';
import { defineOperation, currentTime } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { beginningOf, MAX_NAME_CHARACTERS, toFactRow } from './fact-row.ts';
import type { FactRow } from './fact-row.ts';

/** Facts of a page, and groups and entities that are named. */
const MAX_FACTS = 200;
const MAX_GROUPS = 100;
const MAX_ENTITIES = 200;

/** What was believed, when it held, and when it was known: the facts of a group, or of one entity of it. */
export const factTimeline = defineOperation({
  name: 'fact_timeline',
  toolset: null,
  title: 'Facts in time',
  summary: 'Facts of a group or an entity with valid and system time, superseded ones too; how each stands now, or as of other times.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({
    /** Without it the one that holds most. */
    group: groupId.optional(),
    /** A uuid, a name or a path. */
    entity: z.string().min(1).max(4_096).optional(),
    /** Words that the facts have to do with; the best first. */
    query: z.string().min(1).max(2_000).optional(),
    /** Valid time from which facts are looked at; without it now. */
    as_of: looseTime.optional(),
    /** System time: by what was known then. */
    known_at: looseTime.optional(),
    cursor: z.string().max(20_000).optional(),
  }),
  async run(context, { group: named, entity: reference, query, as_of: valid, known_at: known, cursor }) {
    const { vault } = context;
    await vault.refresh('changed');
    const index = knowledgeOf(vault);
    index.refresh();
    const groups = groupsOf(index).map((group) => ({
      id: group.id,
      entities: group.entities().length,
      episodes: group.episodes().length,
      facts: group.entities().reduce((sum, { facts }) => sum + facts.length, 0),
    }));
    const now = currentTime(context);
    const list = { groups: groups.slice(0, MAX_GROUPS), groups_omitted: Math.max(0, groups.length - MAX_GROUPS), now };
    const fullest = groups.reduce<(typeof groups)[number] | null>((most, each) => (each.facts > (most?.facts ?? -1) ? each : most), null);
    if (fullest === null && named === undefined) return { ...list, timeline: null };
    const group = chooseGroup(index, named ?? fullest?.id);
    const entity = reference === undefined ? null : findEntity(context, index, group, reference);
    const scope = scopeOf({ asOf: { valid, known } }, now);
    const found = await findFacts(context, group, { entity, query });
    const lost = entity === null || query !== undefined ? [] : await lostFacts(context, entity);
    const deleted = new Map(
      lost.map(({ fact, at, by }) => {
        const author = by === null ? {} : { deleted_by: shorten(by, MAX_NAME_CHARACTERS) };
        return [fact, { state: 'deleted' as const, deleted_at: at, ...author }];
      }),
    );
    const all = [...found, ...lost.map(({ fact }): FoundFact => ({ fact, source: entity as StoredEntity }))];
    // Those of a query stand as they were found, the best first.
    const sorted = query === undefined ? all.sort((a, b) => compareKeys(keyOf(a), keyOf(b))) : all;
    const start = cursor === undefined ? 0 : placeAfter(sorted, cursor);
    const shown = sorted.slice(start, start + MAX_FACTS);
    const last = shown.at(-1);
    return {
      ...list,
      timeline: {
        group: group.id,
        ...(entity === null ? {} : { entity: toNamed(entity), summary: shorten(entity.summary ?? '', 1_000) }),
        total: sorted.length,
        facts: shown.map((each): FactRow => ({ ...toFactRow(index, each, scope), ...deleted.get(each.fact) })),
        ...(last !== undefined && start + shown.length < sorted.length ? { next_cursor: JSON.stringify(keyOf(last)) } : {}),
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

/** What is believed of one thing stands together: by who it is of and which relation, then by when it began to hold. */
function keyOf(found: FoundFact): readonly string[] {
  const { fact, source } = found;
  return [
    shorten(source.name, MAX_NAME_CHARACTERS),
    source.path,
    shorten(fact.name, MAX_NAME_CHARACTERS),
    beginningOf(found),
    fact.createdAt,
    fact.uuid,
  ];
}

function compareKeys(a: readonly string[], b: readonly string[]): number {
  for (const [at, part] of a.entries()) {
    const order = compareText(part, b[at] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

/** From when to when the facts reach, on either axis. */
function rangeOf(facts: readonly FoundFact[], now: string) {
  let [validFrom, validTo, knownFrom, knownTo] = [now, now, now, now];
  for (const found of facts) {
    const { invalidAt, createdAt, expiredAt } = found.fact;
    const from = beginningOf(found);
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

/** The entities of which most is known, for choosing one. */
function fullestEntities(group: KnowledgeGroup) {
  const sorted = [...group.entities()].sort((a, b) => b.facts.length - a.facts.length || compareText(a.name, b.name));
  return sorted.slice(0, MAX_ENTITIES).map((entity) => ({ ...toNamed(entity), facts: entity.facts.length }));
}

function toNamed({ uuid, name, path }: StoredEntity) {
  return { uuid, name: shorten(name, MAX_NAME_CHARACTERS), path };
}

/** Where a list goes on behind the fact that a cursor names; behind where it would stand, where it is gone. */
function placeAfter(sorted: readonly FoundFact[], cursor: string): number {
  const key = readCursor(cursor);
  const at = sorted.findIndex(({ fact }) => fact.uuid === key.at(-1));
  if (at >= 0) return at + 1;
  const next = sorted.findIndex((each) => compareKeys(keyOf(each), key) > 0);
  return next < 0 ? sorted.length : next;
}

function readCursor(cursor: string): readonly string[] {
  try {
    const read: unknown = JSON.parse(cursor);
    if (Array.isArray(read) && read.length === 6 && read.every((each) => typeof each === 'string')) return read;
  } catch {
    // Told below.
  }
  throw new RouxError('INVALID_PARAMS', 'cursor is none of a time line; give the one that the last page returned.', {});
}
