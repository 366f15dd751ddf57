import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { compareText } from '../../../note/text.ts';
import { memoryOf } from '../memory-index.ts';
import type { MemoryIndex, StoredEntity } from '../memory-index.ts';
import { findEntities, relationsAround } from '../read-graph.ts';
import { defineOperation } from '../../operation.ts';
import { compareKeys, indexAfter, keyCursor, readKeyCursor } from '../../lists/page-cursor.ts';
import type { SortKey } from '../../lists/page-cursor.ts';
import { shorten } from '../../shorten.ts';

/** Limits of a page. */
const MAX_ENTITIES = 100;
const MAX_KINDS = 200;
const MAX_NAME_CHARACTERS = 300;
/** Limits of an observation, in a list and for a single entity. */
const MAX_EXCERPT_CHARACTERS = 200;
const MAX_TEXT_CHARACTERS = 4_000;
/** Limits of a page of one entity. */
const MAX_OBSERVATIONS = 200;
const MAX_RELATIONS = 300;

/** Lists remembered entities by kind, with the size of each and its newest observation. */
export const memoryMap = defineOperation({
  name: 'memory_map',
  toolset: null,
  title: 'Memory',
  summary: 'Remembered entities by kind with how many observations and relations each has; by a query, the best first.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'refuse',
  input: z.strictObject({
    query: z.string().max(2_000).optional(),
    /** A kind as returned in `kinds`. */
    type: z.string().max(2_000).optional(),
    cursor: z.string().max(20_000).optional(),
  }),
  async run({ vault }, { query = '', type, cursor }) {
    await vault.refresh('changed');
    const index = memoryOf(vault);
    const { found, isPartly } = query.trim() === '' ? { found: index.entities(), isPartly: false } : findEntities(index, query);
    const kinds = countKinds(found);
    const selected = found.filter((each) => type === undefined || kindOf(each) === type);
    // Partial matches are ranked; others are sorted by kind and name.
    const sorted = isPartly ? selected : [...selected].sort((a, b) => compareKeys(sortKey(a), sortKey(b)));
    const start = cursor === undefined ? 0 : indexAfter(sorted, readKeyCursor(cursor, 3), sortKey);
    const shown = sorted.slice(start, start + MAX_ENTITIES);
    const last = shown.at(-1);
    return {
      total: index.entities().length,
      found: selected.length,
      ...(isPartly ? { is_partly: true as const } : {}),
      kinds: kinds.slice(0, MAX_KINDS),
      ...(kinds.length > MAX_KINDS ? { kinds_omitted: kinds.length - MAX_KINDS } : {}),
      entities: shown.map((entity) => ({
        name: shorten(entity.name, MAX_NAME_CHARACTERS),
        path: entity.path,
        type: kindOf(entity),
        observations: entity.observations.length,
        relations: entity.relations.length,
        newest: shorten(entity.observations.at(-1) ?? '', MAX_EXCERPT_CHARACTERS),
      })),
      ...(last !== undefined && start + shown.length < sorted.length ? { next_cursor: keyCursor(sortKey(last)) } : {}),
    };
  },
});

export const memoryEntity = defineOperation({
  name: 'memory_entity',
  toolset: null,
  title: 'Remembered entity',
  summary: 'One entity with its observations, the newest first, and its relations in and out.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({
    /** The path of its note, because names can be very long. */
    path: z.string().min(1).max(4_096),
    /** Number of the newest observations to skip. */
    offset: z.int().min(0).max(10_000_000).default(0),
  }),
  async run({ vault }, { path, offset }) {
    await vault.refresh('changed');
    const index = memoryOf(vault);
    index.refresh();
    const entity = index.at(path);
    if (entity === null || entity.isPlaceholder)
      throw new RouxError(
        'NODE_NOT_FOUND',
        `There is no entity at ${JSON.stringify(shorten(path, MAX_NAME_CHARACTERS))}; it may have been deleted.`,
        {},
      );
    const all = relationsAround({ vault }, index, entity);
    const outgoing = all.slice(0, entity.relations.length);
    const incoming = all.slice(entity.relations.length);
    const newest = entity.observations.toReversed();
    const properties = vault.graph.get(entity.path)?.properties ?? {};
    const text = (key: string): string | null =>
      typeof properties[key] === 'string' ? shorten(properties[key], MAX_NAME_CHARACTERS) : null;
    return {
      name: shorten(entity.name, MAX_TEXT_CHARACTERS),
      path: entity.path,
      type: kindOf(entity),
      created_at: text('created_at'),
      updated_at: text('updated_at'),
      created_by: text('created_by'),
      observations: newest.slice(offset, offset + MAX_OBSERVATIONS).map((each) => ({
        text: shorten(each, MAX_TEXT_CHARACTERS),
        ...(each.length > MAX_TEXT_CHARACTERS ? { characters: each.length } : {}),
      })),
      observation_count: newest.length,
      out: outgoing
        .slice(0, MAX_RELATIONS)
        .map(({ relationType, to }) => ({ relation: shorten(relationType, MAX_NAME_CHARACTERS), ...otherEnd(index, to) })),
      out_count: outgoing.length,
      in: incoming
        .slice(0, MAX_RELATIONS)
        .map(({ relationType, from }) => ({ relation: shorten(relationType, MAX_NAME_CHARACTERS), ...otherEnd(index, from) })),
      in_count: incoming.length,
    };
  },
});

/** Returns the entity at the other end of a relation; without a path if the name is not an entity. */
function otherEnd(index: MemoryIndex, name: string): { readonly name: string; readonly path?: string; readonly type?: string } {
  const entity = index.entity(name);
  return {
    name: shorten(name, MAX_NAME_CHARACTERS),
    ...(entity === null ? {} : { path: entity.path, type: kindOf(entity) }),
  };
}

/** Returns the kind of an entity, shortened because people may write anything. */
function kindOf({ entityType }: StoredEntity): string {
  return shorten(entityType, MAX_NAME_CHARACTERS);
}

/** Counts the entities of each kind, largest first. */
function countKinds(entities: readonly StoredEntity[]): readonly { readonly type: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const each of entities) counts.set(kindOf(each), (counts.get(kindOf(each)) ?? 0) + 1);
  return [...counts].map(([type, count]) => ({ type, count })).sort((a, b) => b.count - a.count || compareText(a.type, b.type));
}

/** Returns the sort key of an entity: kind, then name. */
function sortKey(entity: StoredEntity): SortKey {
  return [kindOf(entity), shorten(entity.name, MAX_NAME_CHARACTERS), entity.path];
}
