import type { OperationContext } from '../operation.ts';
import { CUT_SUFFIX, shorten } from '../shorten.ts';
import { memoryOf } from './memory-index.ts';
import type { MemoryIndex, StoredEntity } from './memory-index.ts';
import { matchesMemory, readMemoryQuery } from './search-query.ts';
import type { KnowledgeGraph, Relation } from './shapes.ts';

/** Most characters of a graph in one answer: clients cut or divert larger ones. */
const ANSWER_LENGTH = 36_000;
/** Most observations of one entity in an answer that was asked for many. */
const LONG_ENTITY = 200;

type Context = Pick<OperationContext, 'vault' | 'warn'>;

/** Which part of a graph is wanted. */
export interface Part {
  /** Entities to leave out at the start. */
  readonly offset?: number;
  /** Most observations an entity shows, the newest ones. */
  readonly maxObservations?: number;
}

/** All entities and relations from `offset` on, as many as an answer holds; what is left out is said (S4-08, S4-16). */
export function readGraph(context: Context, part: Part = {}): KnowledgeGraph {
  const index = memoryOf(context.vault);
  // Relations between names that are no entities belong to the whole, and to no entity's page.
  const between = index.all().flatMap((stored) => (stored.isPlaceholder ? index.relationsOf(stored) : []));
  return answer(context, index, index.entities(), part, between);
}

/** The entities that answer a query, with the relations that touch them (S4-09, S4-10). */
export function searchNodes(context: Context, query: string, part: Part = {}): KnowledgeGraph {
  const index = memoryOf(context.vault);
  const wanted = readMemoryQuery(query);
  return answer(
    context,
    index,
    index.entities().filter((entity) => matchesMemory(entity, wanted)),
    part,
  );
}

/** The entities of these exact names, with the relations that touch them. */
export function openNodes(context: Context, names: readonly string[], part: Part = {}): KnowledgeGraph {
  const index = memoryOf(context.vault);
  const found = [...new Set(names)].flatMap((name) => index.entity(name) ?? []);
  return answer(
    context,
    index,
    found.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)),
    part,
  );
}

/** The whole graph, however large, for export. */
export function wholeGraph(context: Pick<Context, 'vault'>): KnowledgeGraph {
  const index = memoryOf(context.vault);
  return {
    entities: index.entities().map((entity) => toEntity(entity)),
    relations: index.all().flatMap((entity) => index.relationsOf(entity)),
  };
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
  let length = 0;
  let shortened = 0;
  let position = offset;
  for (; position < found.length; position += 1) {
    const stored = found[position]!;
    const most = maxObservations ?? (found.length > 1 ? LONG_ENTITY : undefined);
    const fitted = fitEntity(stored, most, ANSWER_LENGTH);
    const fresh = touching(context, index, stored).filter((relation) => !relations.has(keyOf(relation)));
    const size = JSON.stringify(fitted).length + 1;
    const added = fresh.reduce((sum, relation) => sum + JSON.stringify(relation).length + 1, size);
    if (entities.length > 0 && length + added > ANSWER_LENGTH) break;
    if (fitted.observations.length < stored.observations.length) shortened += 1;
    entities.push(fitted);
    length += size;
    for (const relation of fresh) {
      const relationSize = JSON.stringify(relation).length + 1;
      if (length + relationSize > ANSWER_LENGTH) break;
      relations.set(keyOf(relation), relation);
      length += relationSize;
    }
  }
  if (position === found.length) for (const relation of last) relations.set(keyOf(relation), relation);
  else {
    context.warn(
      `${found.length - position} of ${found.length} entities are left out. Go on with offset ${position}, or ask search_nodes or open_nodes for less.`,
    );
  }
  if (shortened > 0 && maxObservations === undefined) {
    context.warn(`${shortened} entities show only their newest observations; open_nodes with one name shows more.`);
  }
  return { entities, relations: [...relations.values()] };
}

/** The newest observations of an entity that fit. */
function fitEntity(stored: StoredEntity, most: number | undefined, budget: number): KnowledgeGraph['entities'][number] {
  let kept = most === undefined ? stored.observations : most === 0 ? [] : stored.observations.slice(-most);
  let length = kept.reduce((sum, text) => sum + text.length + 3, stored.name.length + 100);
  while (length > budget && kept.length > 1) {
    length -= kept[0]!.length + 3;
    kept = kept.slice(1);
  }
  return toEntity(stored, length > budget ? kept.map((text) => shorten(text, budget / 2, CUT_SUFFIX)) : kept);
}

function toEntity(stored: StoredEntity, observations: readonly string[] = stored.observations): KnowledgeGraph['entities'][number] {
  return { name: stored.name, entityType: stored.entityType, observations };
}

/** Relations from and to an entity. Those to it are found by the links that lead to its note. */
function touching({ vault }: Pick<Context, 'vault'>, index: MemoryIndex, entity: StoredEntity): readonly Relation[] {
  const incoming = new Set(vault.graph.backlinks(entity.path).map((link) => link.from));
  const to = [...incoming].flatMap((path) => {
    const source = path === entity.path ? null : index.at(path);
    return source === null ? [] : index.relationsOf(source).filter((relation) => relation.to === entity.name);
  });
  return [...index.relationsOf(entity), ...to];
}

function keyOf({ from, to, relationType }: Relation): string {
  return JSON.stringify([from, relationType, to]);
}
