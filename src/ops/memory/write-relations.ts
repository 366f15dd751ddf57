import type { GraphView } from '../../graph/view.ts';
import { formatRelation } from '../../note/body/relation.ts';
import type { NoteChange } from '../../note/change.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import { linkTo } from '../links.ts';
import { copied } from '../reference.ts';
import { timeOf, writeMeta } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { placeholderFile } from './entity-note.ts';
import { memoryOf } from './memory-index.ts';
import type { MemoryIndex, StoredEntity, StoredRelation } from './memory-index.ts';
import { checkRelations } from './policy.ts';
import type { Relation } from './shapes.ts';
import { changeOf, pathChooser } from './write-entities.ts';

/** The list entry of a bare relation to an entity's note. */
export function relationLine(
  graph: GraphView,
  from: string,
  relationType: string,
  to: { readonly name: string; readonly path: string },
): string {
  const { linkpath, shown } = linkTo(graph, { from, target: to.path, title: to.name });
  return formatRelation({ type: relationType, target: linkpath, shown, text: null, fields: [], blockId: null });
}

/** The folder of placeholders below the memory root. */
const PLACEHOLDER_KIND = 'unknown';

/**
 * Writes the relations that are new, one line each in the note they start at, and gives those only (S4-04).
 * An end that nobody has made yet is allowed (S4-04) and gets a placeholder note, so that its exact name is kept
 * and `create_entities` finds it: names that differ only by case are two entities, file names are not.
 */
export async function createRelations(context: OperationContext, wanted: readonly Relation[]): Promise<readonly Relation[]> {
  const index = memoryOf(context.vault);
  await context.vault.refresh('changed');
  checkRelations(wanted, (name) => index.entity(name)?.entityType ?? null, context);
  const { result } = await context.vault.write(writeMeta(context, 'create_relations'), (graph) => {
    const created: Relation[] = [];
    // By source, read once: a hub has thousands of them.
    const present = new Map<string, Set<string>>();
    for (const relation of wanted) {
      const known = present.get(relation.from) ?? new Set(presentFrom(index, relation.from));
      present.set(relation.from, known);
      if (!known.has(keyOf(relation))) created.push(relation);
      known.add(keyOf(relation));
    }
    return { files: planRelations({ context, index, graph }, created), result: created };
  });
  return result as readonly Relation[];
}

function presentFrom(index: MemoryIndex, name: string): readonly string[] {
  return [index.entity(name), index.placeholder(name)].flatMap((source) => (source === null ? [] : index.relationsOf(source).map(keyOf)));
}

const keyOf = ({ from, to, relationType }: Relation): string => JSON.stringify([from, relationType, to]);

interface Planning {
  readonly context: OperationContext;
  readonly index: MemoryIndex;
  readonly graph: GraphView;
}

function planRelations({ context, index, graph }: Planning, relations: readonly Relation[]): FileChange[] {
  const at = timeOf(context);
  const choosePath = pathChooser(context, index);
  const making = (): { id: string; at: string; agent: string } => ({ id: `e_${context.vault.ports.newId()}`, at, agent: context.agent });
  const known = (name: string): StoredEntity | null => index.entity(name) ?? index.placeholder(name);
  const placeholders = new Map<string, string>();
  const pathOf = (name: string): string => {
    const path = known(name)?.path ?? placeholders.get(name) ?? choosePath({ name, entityType: PLACEHOLDER_KIND });
    if (known(name) === null) placeholders.set(name, path);
    return path;
  };
  const linesBySource = new Map<string, string[]>();
  for (const { from, to, relationType } of relations) {
    const line = relationLine(graph, pathOf(from), relationType, { name: to, path: pathOf(to) });
    const lines = linesBySource.get(from);
    if (lines === undefined) linesBySource.set(from, [line]);
    else lines.push(line);
  }
  const made = [...placeholders].map(([name, path]) => placeholderFile(path, name, linesBySource.get(name) ?? [], making()));
  const changed = [...linesBySource].flatMap(([name, lines]) => {
    const source = known(name);
    return source === null
      ? []
      : [
          changeOf(
            source,
            lines.map((line): NoteChange => ({ op: 'add-line', section: 'Relations', line, unique: true })),
            at,
          ),
        ];
  });
  return [...made, ...changed];
}

/** Takes relations away; what is not there is fine (S4-07). */
export async function deleteRelations(context: OperationContext, relations: readonly Relation[]): Promise<void> {
  const index = memoryOf(context.vault);
  await context.vault.write(writeMeta(context, 'delete_relations'), () => {
    const at = timeOf(context);
    const unwanted = new Set(relations.map(keyOf));
    const sources = new Set(relations.map(({ from }) => from));
    return {
      files: [...sources].flatMap((name) =>
        [index.entity(name), index.placeholder(name)].flatMap((source) =>
          source === null
            ? []
            : dropLines(
                source,
                linesOf(index, source, (relation) => unwanted.has(keyOf(relation))),
                at,
              ),
        ),
      ),
    };
  });
}

/** Deletes entities, their notes into the trash, with every relation from or to them (S4-07). */
export async function deleteEntities(context: OperationContext, names: readonly string[]): Promise<void> {
  const index = memoryOf(context.vault);
  await context.vault.write(writeMeta(context, 'delete_entities'), () => {
    const at = timeOf(context);
    const unwanted = new Set(names);
    for (const name of unwanted) {
      const paths = index.pathsOf(name);
      if (paths.length > 1) throw copied(name, paths);
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
