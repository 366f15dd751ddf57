import { RouxError } from '../../errors.ts';
import { encodeObservation } from '../../note/body/observation.ts';
import { formatRelation } from '../../note/body/relation.ts';
import type { NoteChange } from '../../note/change.ts';
import { baseName, fileName, foldKey, folderOf, joinPath, toNotePath } from '../../note/path.ts';
import type { GraphView } from '../../graph/view.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import { buildLink } from '../links.ts';
import { currentTime } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { entityFile, pathOfEntity, placeholderFile, promotePlaceholder } from './entity-note.ts';
import type { Making, NamedEntity } from './entity-note.ts';
import { isRepeated, presentIn } from './envelope.ts';
import { memoryOf } from './memory-index.ts';
import type { MemoryIndex, StoredEntity } from './memory-index.ts';
import { prepareObservations } from './policy.ts';
import type { Entity, Relation } from './shapes.ts';

/** The folder of placeholders below the memory root. */
const PLACEHOLDER_KIND = 'unknown';

/** The note of one name in a draft. */
interface DraftNote {
  readonly path: string;
  /** The note that is there, under its present path; null: it is made. */
  readonly stored: StoredEntity | null;
  /** The entity that this draft creates; null: the name is one already, or only has relations. */
  readonly created: Entity | null;
  /** The observations that the note has and gets. */
  readonly observations: string[];
  readonly addedObservations: string[];
  readonly relationLines: string[];
}

/**
 * Collects what is to be remembered, however much, as the changes of one write. Each change sees those before it, so that a relation may name an
 * entity of the same draft. Made under the writer lock, from the memory as it is then.
 */
export class MemoryDraft {
  readonly #context: OperationContext;
  readonly #graph: GraphView;
  readonly #index: MemoryIndex;
  readonly #at: string;
  readonly #choosePath: (entity: NamedEntity) => string;
  /** By exact name: names that differ by case are different entities. */
  readonly #notes = new Map<string, DraftNote>();
  /** By source, read once: a hub has thousands of them. */
  readonly #relations = new Map<string, Set<string>>();

  constructor(context: OperationContext, graph: GraphView) {
    this.#context = context;
    this.#graph = graph;
    this.#index = memoryOf(context.vault);
    this.#at = currentTime(context);
    this.#choosePath = pathChooser(context, this.#index);
  }

  /** Creates an entity, from its placeholder where there is one, and returns it; null where the name is an entity already. */
  createEntity({ name, entityType, observations: wanted }: Entity): Entity | null {
    if (this.#index.entity(name) !== null || this.#notes.has(name)) return null;
    const observations = withoutRepeats(prepareObservations(wanted, this.#context), []);
    const created: Entity = { name, entityType, observations };
    const stored = this.#index.placeholder(name);
    const chosen = this.#choosePath(created);
    // A placeholder keeps its file name, so that links keep leading there.
    const path = stored === null ? chosen : joinPath(folderOf(chosen), fileName(stored.path));
    this.#notes.set(name, { path, stored, created, observations: [...observations], addedObservations: [], relationLines: [] });
    return created;
  }

  /** Adds the observations that an entity does not have yet, and returns those. Throws `ENTITY_NOT_FOUND`. */
  addObservations(entityName: string, contents: readonly string[]): readonly string[] {
    const note = this.#entityNote(entityName);
    if (note === null) throw new RouxError('ENTITY_NOT_FOUND', `Entity with name ${entityName} not found`);
    const added = withoutRepeats(prepareObservations(contents, this.#context), note.observations);
    note.observations.push(...added);
    note.addedObservations.push(...added);
    return added;
  }

  /** Adds a relation, with a placeholder for an end that is no entity; false where it is there already. */
  addRelation({ from, to, relationType }: Relation): boolean {
    const known = this.#relations.get(from) ?? new Set(this.#relationsFrom(from));
    this.#relations.set(from, known);
    const key = keyOf({ from, to, relationType });
    if (known.has(key)) return false;
    known.add(key);
    const [source, target] = [this.#noteOf(from), this.#noteOf(to)];
    source.relationLines.push(relationLine(this.#graph, source.path, relationType, { name: to, ...target }));
    return true;
  }

  /** One change for each note that the draft makes or changes. */
  files(): readonly FileChange[] {
    return [...this.#notes].flatMap(([name, note]) => this.#fileOf(name, note));
  }

  #fileOf(name: string, note: DraftNote): FileChange[] {
    const { path, stored, created, observations, addedObservations, relationLines } = note;
    if (created !== null) {
      const entity = { ...created, observations };
      return [
        stored === null
          ? entityFile(path, entity, { ...this.#making(), relationLines })
          : promotePlaceholder(stored, { to: path, entity, relationLines, at: this.#at }),
      ];
    }
    if (stored === null) return [placeholderFile(path, name, relationLines, this.#making())];
    if (addedObservations.length === 0 && relationLines.length === 0) return [];
    return [
      changeOf(
        stored,
        [
          ...addedObservations.map((text): NoteChange => ({ op: 'add-line', section: 'Observations', line: encodeObservation(text) })),
          ...relationLines.map((line): NoteChange => ({ op: 'add-line', section: 'Relations', line, unique: true })),
        ],
        this.#at,
      ),
    ];
  }

  #making(): Making {
    return { id: `e_${this.#context.vault.ports.newId()}`, at: this.#at, agent: this.#context.agent };
  }

  /** The note of an entity, stored or of this draft; null where the name is none. */
  #entityNote(name: string): DraftNote | null {
    const drafted = this.#notes.get(name);
    if (drafted !== undefined && (drafted.created !== null || drafted.stored?.isPlaceholder === false)) return drafted;
    const stored = this.#index.entity(name);
    return stored === null ? null : this.#store(name, stored);
  }

  /** The note of a name, which is to be made where there is none. */
  #noteOf(name: string): DraftNote {
    const drafted = this.#notes.get(name);
    if (drafted !== undefined) return drafted;
    const stored = this.#index.entity(name) ?? this.#index.placeholder(name);
    if (stored !== null) return this.#store(name, stored);
    const path = this.#choosePath({ name, entityType: PLACEHOLDER_KIND });
    const note = { path, stored, created: null, observations: [], addedObservations: [], relationLines: [] };
    this.#notes.set(name, note);
    return note;
  }

  #store(name: string, stored: StoredEntity): DraftNote {
    const observations = [...stored.observations];
    const note = { path: stored.path, stored, created: null, observations, addedObservations: [], relationLines: [] };
    this.#notes.set(name, note);
    return note;
  }

  #relationsFrom(name: string): readonly string[] {
    const sources = [this.#index.entity(name), this.#index.placeholder(name)];
    return sources.flatMap((source) => (source === null ? [] : this.#index.relationsOf(source).map(keyOf)));
  }
}

/** What tells a relation from others. */
export const keyOf = ({ from, to, relationType }: Relation): string => JSON.stringify([from, relationType, to]);

/** Chooses paths for new entities, the ones of the same plan kept apart. */
function pathChooser(context: OperationContext, index: MemoryIndex): (entity: NamedEntity) => string {
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

/** The list entry of a bare relation to an entity's note, which may move with the same write. */
function relationLine(
  graph: GraphView,
  from: string,
  relationType: string,
  to: { readonly name: string; readonly path: string; readonly stored: StoredEntity | null },
): string {
  const { linkpath, displayText: shown } = buildLink(graph, { from, target: to.stored?.path ?? to.path, title: to.name });
  const target = linkpath === baseName(to.path) ? linkpath : to.path.replace(/\.md$/i, '');
  return formatRelation({ type: relationType, target, shown, text: null, fields: [], blockId: null });
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

/** A change to an entity's note, counted as a write. */
export function changeOf(entity: Pick<StoredEntity, 'path'>, changes: readonly NoteChange[], at: string): FileChange {
  const path = toNotePath(entity.path);
  if (path === null) throw new RouxError('IO_ERROR', `${entity.path} is not the path of a note.`);
  return { kind: 'change', path, changes: [...changes, { op: 'touch', at }] };
}
