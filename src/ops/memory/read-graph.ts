import { RouxError } from '../../errors.ts';
import type { OperationContext } from '../operation.ts';
import { describeStaleEntities } from '../freshness/stale-entities.ts';
import { takeWhileFits } from '../shorten.ts';
import { describeLowOrigins } from './origin/observation-origin.ts';
import { fitEntity } from './fit-entity.ts';
import { warnOfMissingEntities } from './names/near-entities.ts';
import { memoryOf } from './memory-index.ts';
import type { MemoryIndex, StoredEntity } from './memory-index.ts';
import { matchesMemory, findPartialMatches, readMemoryQuery } from './search-query.ts';
import type { MemoryQuery } from './search-query.ts';
import { relationKey } from './shapes.ts';
import type { KnowledgeGraph, Relation } from './shapes.ts';

/** Limit of one answer in characters; clients truncate or divert longer ones. */
const MAX_ANSWER_CHARACTERS = 36_000;
/** Share of an answer for the relations of an entity whose observations need the rest. */
const MAX_RELATIONS_CHARACTERS = 12_000;
/** Observations of one entity in an answer with several. */
const MAX_OBSERVATIONS_EACH = 200;
/** Queries with more words are matched entity by entity, as most entities lack the first word already. */
const MAX_INDEXED_WORDS = 8;
/** Notes with the same name that are listed. */
const MAX_NAMESAKES = 5;
/** Incomplete entities that are listed. */
const MAX_LISTED = 20;

type Context = Pick<OperationContext, 'vault' | 'warn'>;

/** The requested part of a graph. */
export interface Part {
  /** Number of entities to skip. */
  readonly offset?: number;
  /** Limit of observations of an entity, newest first. */
  readonly maxObservations?: number;
  /** Words in lower case: observations with most of them come first, of entities with many. */
  readonly first?: readonly string[];
}

/** The requested part of one entity; nothing else of it is returned. */
export interface Within {
  /** Index of the first observation, oldest first. */
  readonly observationsOffset?: number;
  /** Offset in the text of that observation. */
  readonly textOffset?: number;
  /** Index of the first relation. */
  readonly relationsOffset?: number;
}

/** Returns all entities and then relations between other names, from `offset` on, with a warning about the rest (S4-08, S4-16). */
export function readGraph(context: Context, part: Part = {}): KnowledgeGraph {
  const index = memoryOf(context.vault);
  // Relations between names that are not entities belong to no entity, so they follow at the end.
  const unattached = index.all().flatMap((stored) => (stored.isPlaceholder ? index.relationsOf(stored) : []));
  return buildAnswer(context, index, index.entities(), part, unattached);
}

/** Returns the entities that match a query, with their relations; if none match fully, partial matches, best first (S4-09, S4-10). */
export function searchNodes(context: Context, query: string, part: Part = {}): KnowledgeGraph {
  const index = memoryOf(context.vault);
  const { found, isPartly } = findEntities(index, query);
  if (isPartly)
    context.warn(
      `No entity holds all words of the query. ${found.length} hold some of them: those with most and with the rarest come first.`,
    );
  return buildAnswer(context, index, found, { ...part, first: wordsOf(query) });
}

function wordsOf(query: string): readonly string[] {
  return readMemoryQuery(query).words;
}

/** Finds the entities that match a query; if none match fully (`isPartly`), partial matches, best first. */
export function findEntities(index: MemoryIndex, query: string): { readonly found: readonly StoredEntity[]; readonly isPartly: boolean } {
  const wanted = readMemoryQuery(query);
  const found = matching(index, wanted);
  if (found.length > 0) return { found, isPartly: false };
  const some = findPartialMatches(index.entities(), wanted);
  return { found: some, isPartly: some.length > 0 };
}

/** Finds the entities that match a query. A few words are searched for in the joined texts of all entities. */
function matching(index: MemoryIndex, query: MemoryQuery): readonly StoredEntity[] {
  const entities = index.entities();
  const { whole, words, filters } = query;
  // An entity that contains the whole query contains each of its words.
  const isPlain = filters.length === 0 && words.length > 0 && words.every((word) => whole.includes(word));
  if (!isPlain || words.length > MAX_INDEXED_WORDS) return entities.filter((entity) => matchesMemory(entity, query));
  const matched = new Uint8Array(entities.length);
  for (const word of words) for (const at of index.haystacks().containing(word)) matched[at]! += 1;
  return entities.filter((_, at) => matched[at] === words.length);
}

/** Returns the entities with these names, in any case, aliases or paths, with their relations, or a part of a single entity. */
export function openNodes(
  context: Context,
  names: readonly string[],
  { within = {}, ...part }: Part & { readonly within?: Within } = {},
): KnowledgeGraph {
  const index = memoryOf(context.vault);
  const named = [...new Set(names)].flatMap((name) => index.entity(name) ?? entityAt(index, name) ?? index.find(name) ?? []);
  const found = [...new Set(named)];
  warnOfMissingEntities(
    context,
    names.filter((name) => entityAt(index, name) === null),
  );
  if (Object.keys(within).length > 0) {
    if (new Set(names).size !== 1)
      throw new RouxError('INVALID_PARAMS', 'Parts of an entity are read one entity at a time; give one name.');
    return found[0] === undefined ? { entities: [], relations: [] } : readWithin(context, index, found[0], { ...part, within });
  }
  return buildAnswer(
    context,
    index,
    found.toSorted((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)),
    part,
  );
}

/** Returns the entity whose note is at this path, including one hidden by another entity of its name (H-19); or null. */
function entityAt(index: MemoryIndex, path: string): StoredEntity | null {
  const stored = index.at(path);
  return stored?.isPlaceholder === false ? stored : null;
}

/** Returns the whole graph, for export and as a resource. */
export function wholeGraph(context: Pick<Context, 'vault'>): KnowledgeGraph {
  const index = memoryOf(context.vault);
  return {
    entities: index.entities().map(({ name, entityType, observations }) => ({ name, entityType, observations })),
    relations: index.all().flatMap((entity) => index.relationsOf(entity)),
  };
}

/** Returns a range of the observations or relations of one entity. */
function readWithin(
  context: Context,
  index: MemoryIndex,
  stored: StoredEntity,
  { within, maxObservations }: Part & { readonly within: Within },
): KnowledgeGraph {
  const { observationsOffset, textOffset, relationsOffset } = within;
  const bare = { name: stored.name, entityType: stored.entityType, observations: [] };
  if (relationsOffset !== undefined && observationsOffset === undefined && textOffset === undefined) {
    const all = relationsAround(context, index, stored);
    const relations = takeWhileFits(all.slice(relationsOffset), MAX_ANSWER_CHARACTERS - JSON.stringify(bare).length);
    context.warn(describeRange(stored, { kind: 'relations', from: relationsOffset, shown: relations.length, total: all.length }));
    return { entities: [bare], relations };
  }
  const from = observationsOffset ?? 0;
  const { entity, shown, nextText } = fitEntity(stored, {
    characters: MAX_ANSWER_CHARACTERS,
    from,
    ...(maxObservations === undefined ? {} : { max: maxObservations }),
    ...(textOffset === undefined ? {} : { textOffset }),
  });
  warnOfStale(context, [stored]);
  if (nextText === null) context.warn(describeRange(stored, { kind: 'observations', from, shown, total: stored.observations.length }));
  else
    context.warn(
      `Observation ${from} of ${JSON.stringify(stored.name)} has ${stored.observations[from]?.length ?? 0} characters; go on with observations_offset ${from} and text_offset ${nextText}.`,
    );
  return { entities: [entity], relations: [] };
}

/** Describes the returned range and how to continue. */
function describeRange(
  stored: StoredEntity,
  {
    kind,
    from,
    shown,
    total,
  }: { readonly kind: 'observations' | 'relations'; readonly from: number; readonly shown: number; readonly total: number },
): string {
  const end = from + shown;
  const range = shown === 0 ? `no ${kind} of ${total}` : `${kind} ${from + 1} to ${end} of ${total}`;
  return `${JSON.stringify(stored.name)}: ${range}, and no ${kind === 'relations' ? 'observations' : 'relations'}.${end < total && shown > 0 ? ` Go on with ${kind}_offset ${end}.` : ''}`;
}

function buildAnswer(
  context: Context,
  index: MemoryIndex,
  found: readonly StoredEntity[],
  { offset = 0, maxObservations, first = [] }: Part,
  last: readonly Relation[] = [],
): KnowledgeGraph {
  const entities: KnowledgeGraph['entities'][number][] = [];
  const relations = new Map<string, Relation>();
  const cut: string[] = [];
  let available = MAX_ANSWER_CHARACTERS;
  let position = offset;
  for (; position < found.length; position += 1) {
    const stored = found[position]!;
    const all = relationsAround(context, index, stored);
    const fresh = all.filter((relation) => !relations.has(relationKey(relation)));
    const relationsLength = sizeOf(fresh);
    const max = maxObservations ?? (found.length > 1 ? MAX_OBSERVATIONS_EACH : undefined);
    // The first entity of a page is shown whatever its size; later ones only if they are complete.
    const characters = entities.length > 0 ? available - relationsLength : available - Math.min(relationsLength, MAX_RELATIONS_CHARACTERS);
    const fitted = fitEntity(stored, { characters, first, ...(max === undefined ? {} : { max }) });
    const size = fitted.length + 1;
    if (entities.length > 0 && (size > characters || fitted.isCut)) break;
    entities.push(fitted.entity);
    available -= size;
    const shown = takeWhileFits(fresh, available, { least: 0 });
    for (const relation of shown) relations.set(relationKey(relation), relation);
    available -= sizeOf(shown);
    cut.push(...describeNamesakes(index, stored));
    if (maxObservations === undefined || fitted.isCut)
      cut.push(
        ...describeObservations(stored, fitted.shown),
        ...(fitted.cutTexts === 0 ? [] : [describeCutTexts(stored, fitted.cutTexts)]),
      );
    if (shown.length < fresh.length) {
      const next = all.findIndex((relation) => !relations.has(relationKey(relation)));
      cut.push(
        `${JSON.stringify(stored.name)} has ${all.length} relations: open_nodes with only this name and relations_offset ${next} shows the others.`,
      );
    }
  }
  // Relations between other names follow the entities, and offsets continue through them.
  const remaining = position < found.length ? [] : last.slice(Math.max(0, offset - found.length));
  const shown = takeWhileFits(remaining, available, { least: entities.length === 0 ? 1 : 0 });
  for (const relation of shown) relations.set(relationKey(relation), relation);
  if (position < found.length) {
    context.warn(
      `${found.length - position} of ${found.length} entities are left out. Go on with offset ${position}, or ask search_nodes or open_nodes for less.`,
    );
  } else if (shown.length < remaining.length) {
    const next = Math.max(offset, found.length) + shown.length;
    context.warn(`${remaining.length - shown.length} relations between other names are left out. Go on with offset ${next}.`);
  }
  const listed = found.slice(offset, position);
  warnOfStale(context, listed);
  const origins = describeLowOrigins(context.vault, listed);
  if (origins !== null) context.warn(origins);
  for (const each of cut.slice(0, MAX_LISTED)) context.warn(each);
  if (cut.length > MAX_LISTED)
    context.warn(`${cut.length - MAX_LISTED} more entities are not shown whole; open_nodes with one name says what is missing.`);
  return { entities, relations: [...relations.values()] };
}

function warnOfStale(context: Context, shown: readonly StoredEntity[]): void {
  const stale = describeStaleEntities(shown, context.vault.ports.clock.now());
  if (stale !== null) context.warn(stale);
}

/** Describes the other notes with the name of an entity, and how to read them. */
function describeNamesakes(index: MemoryIndex, stored: StoredEntity): readonly string[] {
  const others = index.namesakesOf(stored);
  if (others.length === 0) return [];
  const more = others.length > MAX_NAMESAKES ? ` and ${others.length - MAX_NAMESAKES} more` : '';
  const named = others.slice(0, MAX_NAMESAKES).join(', ');
  return [
    `${JSON.stringify(stored.name)} is also the name of ${named}${more}; this answer is from ${stored.path}. open_nodes with a path reads that note; merge them, or rename one.`,
  ];
}

function describeObservations({ name, observations }: StoredEntity, shown: number): readonly string[] {
  if (shown >= observations.length) return [];
  return [
    `${JSON.stringify(name)} shows its newest ${shown} of ${observations.length} observations: open_nodes with only this name and observations_offset 0 shows them from the oldest on.`,
  ];
}

function describeCutTexts({ name }: StoredEntity, count: number): string {
  return `${JSON.stringify(name)} has ${count} observations too long to show: each ends with its number, which is its observations_offset for open_nodes with only this name; text_offset continues within it. To delete one, pass it to delete_observations as it is shown.`;
}

/** Returns the relations from and to an entity, its own first. Incoming ones are found by backlinks. */
export function relationsAround({ vault }: Pick<Context, 'vault'>, index: MemoryIndex, entity: StoredEntity): readonly Relation[] {
  const incoming = new Set(vault.graph.backlinks(entity.path).map((link) => link.from));
  const to = [...incoming].flatMap((path) => {
    const source = path === entity.path ? null : index.at(path);
    return source === null ? [] : index.relationsOf(source).filter((relation) => relation.to === entity.name);
  });
  return [...index.relationsOf(entity), ...to];
}

function sizeOf(relations: readonly Relation[]): number {
  return relations.reduce((sum, relation) => sum + JSON.stringify(relation).length + 1, 0);
}
