import { RouxError } from '../../errors.ts';
import type { OperationContext } from '../operation.ts';
import { takeWhileFits } from '../shorten.ts';
import { fitEntity } from './fit-entity.ts';
import { memoryOf } from './memory-index.ts';
import type { MemoryIndex, StoredEntity } from './memory-index.ts';
import { matchesMemory, matchesSome, readMemoryQuery } from './search-query.ts';
import type { MemoryQuery } from './search-query.ts';
import type { KnowledgeGraph, Relation } from './shapes.ts';

/** Most characters of a graph in one answer: clients cut or divert larger ones. */
const ANSWER_LENGTH = 36_000;
/** What the relations of one entity may take of an answer where its observations need the rest. */
const RELATIONS_LENGTH = 12_000;
/** Most observations of one entity in an answer that was asked for many. */
const LONG_ENTITY = 200;
/** Of so many words each is looked for by itself; with more, most entities are out at the first that they lack. */
const FEW_WORDS = 8;
/** How many notes of one name are listed. */
const MAX_NAMESAKES = 5;
/** So many entities that were cut are named one by one. */
const MAX_LISTED = 20;

type Context = Pick<OperationContext, 'vault' | 'warn'>;

/** Which part of a graph is wanted. */
export interface Part {
  /** Entities to leave out at the start. */
  readonly offset?: number;
  /** Most observations an entity shows, the newest ones. */
  readonly maxObservations?: number;
}

/** Which part of one entity is wanted: it then comes with nothing else of it. */
export interface Within {
  /** Observations from this one on, the oldest first. */
  readonly observationsOffset?: number;
  /** Where in the first of them to begin. */
  readonly textOffset?: number;
  /** Relations from this one on. */
  readonly relationsOffset?: number;
}

/** All entities, then what relates names that are none, from `offset` on, as much as an answer holds; what is left out is said (S4-08, S4-16). */
export function readGraph(context: Context, part: Part = {}): KnowledgeGraph {
  const index = memoryOf(context.vault);
  // Relations between names that are no entities belong to the whole, and to no entity's page.
  const between = index.all().flatMap((stored) => (stored.isPlaceholder ? index.relationsOf(stored) : []));
  return answer(context, index, index.entities(), part, between);
}

/** The entities that answer a query, with the relations that touch them; where none holds all of it, those that hold some, the best first (S4-09, S4-10). */
export function searchNodes(context: Context, query: string, part: Part = {}): KnowledgeGraph {
  const index = memoryOf(context.vault);
  const { found, isPartly } = findEntities(index, query);
  if (isPartly)
    context.warn(
      `No entity holds all words of the query. ${found.length} hold some of them: those with most and with the rarest come first.`,
    );
  return answer(context, index, found, part);
}

/** The entities that answer a query; where none holds all of it (`isPartly`), those that hold some, the best first. */
export function findEntities(index: MemoryIndex, query: string): { readonly found: readonly StoredEntity[]; readonly isPartly: boolean } {
  const wanted = readMemoryQuery(query);
  const found = matching(index, wanted);
  if (found.length > 0) return { found, isPartly: false };
  const some = matchesSome(index.entities(), wanted);
  return { found: some, isPartly: some.length > 0 };
}

/** The entities that answer a query. Those that hold each of a few words are found in all of them at once. */
function matching(index: MemoryIndex, query: MemoryQuery): readonly StoredEntity[] {
  const entities = index.entities();
  const { whole, words, filters } = query;
  // Who holds the whole query holds each word of it.
  const isPlain = filters.length === 0 && words.length > 0 && words.every((word) => whole.includes(word));
  if (!isPlain || words.length > FEW_WORDS) return entities.filter((entity) => matchesMemory(entity, query));
  const held = new Uint8Array(entities.length);
  for (const word of words) for (const at of index.haystacks().holding(word)) held[at]! += 1;
  return entities.filter((_, at) => held[at] === words.length);
}

/** Finds the entities of these exact names, or at the paths of their notes, with the relations that touch them; of a single one any part. */
export function openNodes(
  context: Context,
  names: readonly string[],
  { within = {}, ...part }: Part & { readonly within?: Within } = {},
): KnowledgeGraph {
  const index = memoryOf(context.vault);
  const found = [...new Set(names)].flatMap((name) => index.entity(name) ?? entityAt(index, name) ?? []);
  if (Object.keys(within).length > 0) {
    if (new Set(names).size !== 1)
      throw new RouxError('INVALID_PARAMS', 'Parts of an entity are read one entity at a time; give one name.');
    return found[0] === undefined ? { entities: [], relations: [] } : readWithin(context, index, found[0], { ...part, within });
  }
  return answer(
    context,
    index,
    found.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)),
    part,
  );
}

/** Returns the entity whose note is at this path, or null: also one that another of its name hides (H-19). */
function entityAt(index: MemoryIndex, path: string): StoredEntity | null {
  const stored = index.at(path);
  return stored?.isPlaceholder === false ? stored : null;
}

/** The whole graph, however large, for export and as a resource. */
export function wholeGraph(context: Pick<Context, 'vault'>): KnowledgeGraph {
  const index = memoryOf(context.vault);
  return {
    entities: index.entities().map(({ name, entityType, observations }) => ({ name, entityType, observations })),
    relations: index.all().flatMap((entity) => index.relationsOf(entity)),
  };
}

/** A stretch of the observations, or of the relations, of one entity. */
function readWithin(
  context: Context,
  index: MemoryIndex,
  stored: StoredEntity,
  { within, maxObservations }: Part & { readonly within: Within },
): KnowledgeGraph {
  const { observationsOffset, textOffset, relationsOffset } = within;
  const bare = { name: stored.name, entityType: stored.entityType, observations: [] };
  if (relationsOffset !== undefined && observationsOffset === undefined && textOffset === undefined) {
    const all = touching(context, index, stored);
    const relations = takeWhileFits(all.slice(relationsOffset), ANSWER_LENGTH - JSON.stringify(bare).length);
    context.warn(say(stored, { kind: 'relations', from: relationsOffset, shown: relations.length, total: all.length }));
    return { entities: [bare], relations };
  }
  const from = observationsOffset ?? 0;
  const { entity, shown, nextText } = fitEntity(stored, {
    characters: ANSWER_LENGTH,
    from,
    ...(maxObservations === undefined ? {} : { most: maxObservations }),
    ...(textOffset === undefined ? {} : { textOffset }),
  });
  if (nextText === null) context.warn(say(stored, { kind: 'observations', from, shown, total: stored.observations.length }));
  else
    context.warn(
      `Observation ${from} of ${JSON.stringify(stored.name)} has ${stored.observations[from]?.length ?? 0} characters; go on with observations_offset ${from} and text_offset ${nextText}.`,
    );
  return { entities: [entity], relations: [] };
}

/** What of an entity is shown, and how to go on. */
function say(
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

function answer(
  context: Context,
  index: MemoryIndex,
  found: readonly StoredEntity[],
  { offset = 0, maxObservations }: Part,
  last: readonly Relation[] = [],
): KnowledgeGraph {
  const entities: KnowledgeGraph['entities'][number][] = [];
  const relations = new Map<string, Relation>();
  const cut: string[] = [];
  let left = ANSWER_LENGTH;
  let position = offset;
  for (; position < found.length; position += 1) {
    const stored = found[position]!;
    const all = touching(context, index, stored);
    const fresh = all.filter((relation) => !relations.has(keyOf(relation)));
    const relationsLength = sizeOf(fresh);
    const most = maxObservations ?? (found.length > 1 ? LONG_ENTITY : undefined);
    // The first of a page is shown whatever its size; what follows, only whole.
    const characters = entities.length > 0 ? left - relationsLength : left - Math.min(relationsLength, RELATIONS_LENGTH);
    const fitted = fitEntity(stored, { characters, ...(most === undefined ? {} : { most }) });
    const size = fitted.length + 1;
    if (entities.length > 0 && (size > characters || fitted.isCut)) break;
    entities.push(fitted.entity);
    left -= size;
    const shown = takeWhileFits(fresh, left, { least: 0 });
    for (const relation of shown) relations.set(keyOf(relation), relation);
    left -= sizeOf(shown);
    cut.push(...describeNamesakes(index, stored));
    if (maxObservations === undefined || fitted.isCut)
      cut.push(...tellObservations(stored, fitted.shown), ...(fitted.cutTexts === 0 ? [] : [tellTexts(stored, fitted.cutTexts)]));
    if (shown.length < fresh.length) {
      const next = all.findIndex((relation) => !relations.has(keyOf(relation)));
      cut.push(
        `${JSON.stringify(stored.name)} has ${all.length} relations: open_nodes with only this name and relations_offset ${next} shows the others.`,
      );
    }
  }
  // Behind the entities, the relations between other names: an offset counts on through them.
  const behind = position < found.length ? [] : last.slice(Math.max(0, offset - found.length));
  const shown = takeWhileFits(behind, left, { least: entities.length === 0 ? 1 : 0 });
  for (const relation of shown) relations.set(keyOf(relation), relation);
  if (position < found.length) {
    context.warn(
      `${found.length - position} of ${found.length} entities are left out. Go on with offset ${position}, or ask search_nodes or open_nodes for less.`,
    );
  } else if (shown.length < behind.length) {
    const next = Math.max(offset, found.length) + shown.length;
    context.warn(`${behind.length - shown.length} relations between names that are no entities are left out. Go on with offset ${next}.`);
  }
  for (const each of cut.slice(0, MAX_LISTED)) context.warn(each);
  if (cut.length > MAX_LISTED)
    context.warn(`${cut.length - MAX_LISTED} more entities are not shown whole; open_nodes with one name says what is missing.`);
  return { entities, relations: [...relations.values()] };
}

/** Names the other notes that have the name of an entity, and how to read them. */
function describeNamesakes(index: MemoryIndex, stored: StoredEntity): readonly string[] {
  const others = index.namesakesOf(stored);
  if (others.length === 0) return [];
  const more = others.length > MAX_NAMESAKES ? ` and ${others.length - MAX_NAMESAKES} more` : '';
  const named = others.slice(0, MAX_NAMESAKES).join(', ');
  return [
    `${JSON.stringify(stored.name)} is also the name of ${named}${more}; this answer is from ${stored.path}. open_nodes with a path reads that note; merge them, or rename one.`,
  ];
}

function tellObservations({ name, observations }: StoredEntity, shown: number): readonly string[] {
  if (shown >= observations.length) return [];
  return [
    `${JSON.stringify(name)} shows its newest ${shown} of ${observations.length} observations: open_nodes with only this name and observations_offset 0 shows them from the oldest on.`,
  ];
}

function tellTexts({ name }: StoredEntity, count: number): string {
  return `${JSON.stringify(name)} has ${count} observations too long to show: each ends with its number, which is its observations_offset for open_nodes with only this name; text_offset goes on within it. delete_observations takes it as it is shown.`;
}

/** Relations from and to an entity, its own first. Those to it are found by the links that lead to its note. */
export function touching({ vault }: Pick<Context, 'vault'>, index: MemoryIndex, entity: StoredEntity): readonly Relation[] {
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

function keyOf({ from, to, relationType }: Relation): string {
  return JSON.stringify([from, relationType, to]);
}
