import { RouxError } from '../../errors.ts';
import { encodeObservation } from '../../note/body/observation.ts';
import type { NoteChange } from '../../note/change.ts';
import { baseName, fileName, foldKey, toNotePath } from '../../note/path.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import { timeOf, writeMeta } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { entityFile, pathOfEntity, promotePlaceholder } from './entity-note.ts';
import { isRepeated, presentIn } from './envelope.ts';
import { isCutOf, isCutText } from './fit-entity.ts';
import { memoryOf } from './memory-index.ts';
import type { MemoryIndex, StoredEntity } from './memory-index.ts';
import { checkEntities, checkObservations, prepareObservations } from './policy.ts';
import type { Entity } from './shapes.ts';

export interface Addition {
  readonly entityName: string;
  readonly contents: readonly string[];
}

export interface Added {
  readonly entityName: string;
  readonly addedObservations: readonly string[];
}

/** Chooses paths for new entities, the ones of the same plan kept apart. */
export function pathChooser(context: OperationContext, index: MemoryIndex): (entity: { name: string; entityType: string }) => string {
  const taken = new Set<string>();
  return (entity) => {
    const path = pathOfEntity(entity, {
      root: context.config.memory.root,
      style: context.config.filenames,
      // A name that any note of the vault has would change where people's links lead.
      isTaken: (folded) =>
        taken.has(folded) || index.isTaken(folded) || context.vault.graph.resolve({ linkpath: folded, from: '' }).kind !== 'unresolved',
    });
    taken.add(foldKey(baseName(path)));
    return path;
  };
}

/** Makes notes for the entities whose names are new, and gives those only (S4-01, S4-03). One transaction. */
export async function createEntities(context: OperationContext, wanted: readonly Entity[]): Promise<readonly Entity[]> {
  checkEntities(wanted, context);
  const index = memoryOf(context.vault);
  const { result } = await context.vault.write(writeMeta(context, 'create_entities'), () => {
    const created: Entity[] = [];
    const at = timeOf(context);
    const choosePath = pathChooser(context, index);
    const files: FileChange[] = [];
    for (const entity of wanted) {
      if (index.entity(entity.name) !== null || created.some(({ name }) => name === entity.name)) continue;
      const observations = withoutRepeats(prepareObservations(entity.observations, context), []);
      const made: Entity = { name: entity.name, entityType: entity.entityType, observations };
      created.push(made);
      const placeholder = index.placeholder(entity.name);
      const path = placeholder === null ? choosePath(made) : promotedPath(placeholder, choosePath, made);
      files.push(
        placeholder === null
          ? entityFile(path, made, { id: `e_${context.vault.ports.newId()}`, at, agent: context.agent })
          : promotePlaceholder(placeholder, path, made, at),
      );
    }
    return { files, result: created };
  });
  return result as readonly Entity[];
}

/** The folder of the kind, the file name as it is, so that links keep leading there. */
function promotedPath(placeholder: StoredEntity, choosePath: (entity: Entity) => string, entity: Entity): string {
  const folder = choosePath(entity).replace(/(?<![^/])[^/]*$/, '');
  return `${folder}${fileName(placeholder.path)}`;
}

function withoutRepeats(observations: readonly string[], known: readonly string[]): readonly string[] {
  const present = presentIn(known);
  return observations.filter((observation) => {
    if (isRepeated(observation, present)) return false;
    for (const text of presentIn([observation]).texts) present.texts.add(text);
    for (const fingerprint of presentIn([observation]).fingerprints) present.fingerprints.add(fingerprint);
    return true;
  });
}

/** Appends observations to entities that exist; all or none (S4-05). Each is one list item, so a diff is one line. */
export async function addObservations(context: OperationContext, additions: readonly Addition[]): Promise<readonly Added[]> {
  additions.forEach((addition, position) => checkObservations(addition.contents, `observations[${position}].contents`, context));
  const index = memoryOf(context.vault);
  const { result } = await context.vault.write(writeMeta(context, 'add_observations'), async () => {
    await readAgain(
      context,
      index,
      additions.map(({ entityName }) => entityName),
    );
    const changes = new Map<string, { entity: StoredEntity; known: string[]; added: string[] }>();
    const results = additions.map(({ entityName, contents }): Added => {
      const entity = index.entity(entityName);
      if (entity === null) throw new RouxError('ENTITY_NOT_FOUND', `Entity with name ${entityName} not found`);
      const change = changes.get(entity.path) ?? { entity, known: [...entity.observations], added: [] };
      changes.set(entity.path, change);
      const addedObservations = withoutRepeats(prepareObservations(contents, context), change.known);
      change.known.push(...addedObservations);
      change.added.push(...addedObservations);
      return { entityName, addedObservations };
    });
    const at = timeOf(context);
    return {
      result: results,
      files: [...changes.values()].flatMap(({ entity, added }) =>
        added.length === 0
          ? []
          : [
              changeOf(
                entity,
                added.map((text) => ({ op: 'add-line', section: 'Observations', line: encodeObservation(text) })),
                at,
              ),
            ],
      ),
    };
  });
  return result as readonly Added[];
}

/** Takes observations away; what is not there is fine (S4-07). */
export async function deleteObservations(
  context: OperationContext,
  deletions: readonly { readonly entityName: string; readonly observations: readonly string[] }[],
): Promise<void> {
  const index = memoryOf(context.vault);
  await context.vault.write(writeMeta(context, 'delete_observations'), async () => {
    await readAgain(
      context,
      index,
      deletions.map(({ entityName }) => entityName),
    );
    const lines = new Map<string, { entity: StoredEntity; lines: Set<string> }>();
    for (const { entityName, observations } of deletions) {
      const entity = index.entity(entityName);
      if (entity === null) continue;
      const unwanted = new Set(prepareObservations(observations, context).concat(observations));
      // What was too long to be shown is named by what was shown of it.
      const cut = observations.filter(isCutText);
      const change = lines.get(entity.path) ?? { entity, lines: new Set<string>() };
      lines.set(entity.path, change);
      entity.observations.forEach((text, position) => {
        if (unwanted.has(text) || cut.some((shown) => isCutOf(shown, text))) change.lines.add(entity.observationLines[position]!);
      });
    }
    const at = timeOf(context);
    return {
      files: [...lines.values()].flatMap((change) =>
        change.lines.size === 0
          ? []
          : [
              changeOf(
                change.entity,
                [...change.lines].map((line) => ({ op: 'drop-line', section: 'Observations', line })),
                at,
              ),
            ],
      ),
    };
  });
}

/** Brings entities up to date with their files: a person may have saved one a moment ago. */
async function readAgain(context: OperationContext, index: MemoryIndex, names: readonly string[]): Promise<void> {
  for (const name of new Set(names)) {
    const entity = index.entity(name);
    if (entity !== null) await context.vault.read(entity.path);
  }
}

/** A change to an entity's note, counted as a write. */
export function changeOf(entity: Pick<StoredEntity, 'path'>, changes: readonly NoteChange[], at: string): FileChange {
  const path = toNotePath(entity.path);
  if (path === null) throw new RouxError('IO_ERROR', `${entity.path} is not the path of a note.`);
  return { kind: 'change', path, changes: [...changes, { op: 'touch', at }] };
}
