import type { NoteChange } from '../../note/change.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import { sharedNameError } from '../reference.ts';
import { currentTime, writeMeta } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { changeOf, MemoryDraft } from './memory-draft.ts';
import { memoryOf } from './memory-index.ts';
import type { MemoryIndex, StoredEntity, StoredRelation } from './memory-index.ts';
import { warnOfMissingEntities } from './names/near-entities.ts';
import { describeMissing } from './names/not-deleted.ts';
import { checkRelations } from './policy.ts';
import { rereadEntities } from './write-entities.ts';
import { relationKey } from './shapes.ts';
import type { Relation } from './shapes.ts';

/**
 * Writes new relations, one line each in the note of the source, and returns those only (S4-04). An end that is not an entity yet gets a
 * placeholder note, which preserves its exact name for `create_entities`. An entity is meant in any case of its name, and by its aliases.
 */
export async function createRelations(context: OperationContext, wanted: readonly Relation[]): Promise<readonly Relation[]> {
  const index = memoryOf(context.vault);
  await context.vault.refresh('changed');
  warnOfMissingEntities(
    context,
    wanted.flatMap(({ from, to }) => [from, to]),
  );
  checkRelations(wanted, (name) => index.entity(name)?.entityType ?? null, context);
  const { result } = await context.vault.writes.write(writeMeta(context, 'create_relations'), (graph) => {
    const draft = new MemoryDraft(context, graph);
    const named = wanted.map(({ from, to, relationType }) => ({ from: nameOf(index, from), to: nameOf(index, to), relationType }));
    const created = named.filter((relation) => draft.addRelation(relation));
    return { files: draft.files(), result: created };
  });
  return result;
}

/** Deletes relations; warns about missing ones (S4-07). */
export async function deleteRelations(context: OperationContext, relations: readonly Relation[]): Promise<void> {
  const index = memoryOf(context.vault);
  warnOfMissingEntities(
    context,
    relations.flatMap(({ from, to }) => [from, to]),
  );
  const { result: warnings } = await context.vault.writes.write(writeMeta(context, 'delete_relations'), async () => {
    const at = currentTime(context);
    const named = relations.map(({ from, to, relationType }) => ({ from: nameOf(index, from), to: nameOf(index, to), relationType }));
    // A target that is no entity keeps the name that its line has.
    const unwanted = new Set([...relations, ...named].map(relationKey));
    const sources = new Set([...relations, ...named].map(({ from }) => from));
    await rereadEntities(context, [...sources]);
    const present = [...sources].flatMap((name) =>
      [index.entity(name), index.placeholder(name)].flatMap((source) => (source === null ? [] : index.relationsOf(source))),
    );
    const keys = new Set(present.map(relationKey));
    const texts = present.map(sentenceOf);
    const missing = relations
      .filter((relation, position) => !keys.has(relationKey(relation)) && !keys.has(relationKey(named[position]!)))
      .map((relation) => ({ owner: 'there is no relation', wanted: sentenceOf(relation), texts }));
    return {
      files: [...sources].flatMap((name) =>
        [index.entity(name), index.placeholder(name)].flatMap((source) =>
          source === null
            ? []
            : dropLines(
                source,
                linesOf(index, source, (relation) => unwanted.has(relationKey(relation))),
                at,
              ),
        ),
      ),
      result: describeMissing(missing),
    };
  });
  for (const warning of warnings) context.warn(warning);
}

function sentenceOf({ from, relationType, to }: Relation): string {
  return `${from} ${relationType} ${to}`;
}

/** Moves the notes of entities to the trash and deletes all relations from and to them (S4-07). */
export async function deleteEntities(context: OperationContext, names: readonly string[]): Promise<void> {
  const index = memoryOf(context.vault);
  warnOfMissingEntities(context, names);
  await context.vault.writes.write(writeMeta(context, 'delete_entities'), (graph) => {
    const at = currentTime(context);
    const unwanted = new Set(names.map((name) => nameOf(index, name)));
    for (const name of unwanted) {
      const paths = index.pathsOf(name);
      if (paths.length < 2) continue;
      const ids = new Set(paths.map((path) => graph.get(path)?.id));
      throw sharedNameError(name, paths, ids.size === 1 ? 'copies' : 'different');
    }
    return {
      files: index.all().flatMap((entity): FileChange[] =>
        unwanted.has(entity.name)
          ? [{ kind: 'remove', path: entity.path, to: 'trash' }]
          : dropLines(
              entity,
              linesOf(index, entity, (relation) => unwanted.has(relation.to)),
              at,
            ),
      ),
    };
  });
}

/** Returns the name of the entity that a name in any case, an alias, an id or a path means; the name itself if there is none. */
function nameOf(index: MemoryIndex, name: string): string {
  return index.find(name)?.name ?? name;
}

function linesOf(index: MemoryIndex, entity: StoredEntity, isWanted: (relation: Relation) => boolean): readonly StoredRelation[] {
  const named = index.relationsOf(entity);
  return entity.relations.filter((_, position) => isWanted(named[position]!));
}

function dropLines(entity: StoredEntity, relations: readonly StoredRelation[], at: string): FileChange[] {
  if (relations.length === 0) return [];
  return [
    changeOf(
      entity,
      [...new Set(relations.map(({ line }) => line))].map((line): NoteChange => ({ op: 'drop-line', section: 'Relations', line })),
      at,
    ),
  ];
}
