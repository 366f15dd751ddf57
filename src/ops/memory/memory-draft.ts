import { RouxError } from '../../errors.ts';
import { dropObservationInfo, setObservationInfo } from '../../note/body/observation-properties.ts';
import { decodeObservation, encodeObservation } from '../../note/body/observation.ts';
import { formatRelation } from '../../note/body/relation.ts';
import type { NoteChange } from '../../note/change.ts';
import { baseName, fileName, foldKey, folderOf, joinPath, toNotePath } from '../../note/path.ts';
import type { GraphView } from '../../graph/view.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import { isLower } from '../../note/origin.ts';
import type { Origin } from '../../note/origin.ts';
import { ORIGIN, originOfCaller, originToWrite, statedOrigin } from '../call/origin.ts';
import { buildLink } from '../links.ts';
import { nearestIn } from '../names/near-names.ts';
import { currentTime } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { entityFile, pathOfEntity, placeholderFile, promotePlaceholder } from './entity-note.ts';
import type { NoteOrigin, NamedEntity } from './entity-note.ts';
import { isRepeated, collectPresent } from './envelope.ts';
import { memoryOf } from './memory-index.ts';
import type { MemoryIndex, StoredEntity } from './memory-index.ts';
import { nearestEntities } from './names/near-entities.ts';
import { prepareObservations } from './policy.ts';
import { relationKey } from './shapes.ts';
import type { Entity, Relation } from './shapes.ts';

/** Folder of placeholders, below the memory root. */
const PLACEHOLDER_KIND = 'unknown';

interface DraftNote {
  readonly path: string;
  /** The stored note; null if it is new. */
  readonly stored: StoredEntity | null;
  /** The entity that the draft creates; null if the note is an entity already, or only has relations. */
  readonly created: Entity | null;
  /** All observations, stored and added. */
  readonly observations: string[];
  readonly addedObservations: string[];
  readonly relationLines: string[];
}

/**
 * Collects changes of the memory as one write. Each change sees the earlier ones, so a relation may name an entity of the same draft. Created
 * under the write lock, from the present memory.
 */
export class MemoryDraft {
  readonly #context: OperationContext;
  readonly #graph: GraphView;
  readonly #index: MemoryIndex;
  readonly #at: string;
  readonly #given: Origin | null;
  readonly #choosePath: (entity: NamedEntity) => string;
  /** By exact name: an import may hold names that differ by case. */
  readonly #notes = new Map<string, DraftNote>();
  /** Keys of relations by source, cached because a hub has thousands. */
  readonly #relations = new Map<string, Set<string>>();

  /** `origin`: who the texts come from, if that is less than the caller. */
  constructor(context: OperationContext, graph: GraphView, origin?: Origin) {
    this.#context = context;
    // Once, as it may warn.
    this.#given = originToWrite(context, origin, originOfCaller(context));
    this.#graph = graph;
    this.#index = memoryOf(context.vault);
    this.#at = currentTime(context);
    this.#choosePath = createPathChooser(context, this.#index);
  }

  /** Creates an entity, from its placeholder if there is one; returns null if the entity exists. */
  createEntity({ name, entityType, observations: wanted }: Entity): Entity | null {
    if (this.#index.entity(name) !== null || this.#notes.has(name)) return null;
    const observations = withoutRepeats(prepareObservations(wanted, this.#context), []);
    const created: Entity = { name, entityType, observations };
    const stored = this.#index.placeholder(name);
    const chosen = this.#choosePath(created);
    // A placeholder keeps its file name, so that links to it stay valid.
    const path = stored === null ? chosen : joinPath(folderOf(chosen), fileName(stored.path));
    this.#notes.set(name, { path, stored, created, observations: [...observations], addedObservations: [], relationLines: [] });
    return created;
  }

  /** Adds the observations that are new to an entity and returns them. Throws `ENTITY_NOT_FOUND`. */
  addObservations(entityName: string, contents: readonly string[]): readonly string[] {
    const note = this.#entityNote(entityName);
    if (note === null) {
      const { text, details } = nearestIn(nearestEntities(this.#context.vault, entityName));
      throw new RouxError('ENTITY_NOT_FOUND', `Entity with name ${entityName} not found${text === '' ? '' : `.${text}`}`, details);
    }
    const added = withoutRepeats(prepareObservations(contents, this.#context), note.observations);
    note.observations.push(...added);
    note.addedObservations.push(...added);
    return added;
  }

  /** Adds a relation, with placeholders for ends that are not entities; returns false if it exists. */
  addRelation({ from, to, relationType }: Relation): boolean {
    const known = this.#relations.get(from) ?? new Set(this.#relationsFrom(from));
    this.#relations.set(from, known);
    const key = relationKey({ from, to, relationType });
    if (known.has(key)) return false;
    known.add(key);
    const [source, target] = [this.#getOrCreateNote(from), this.#getOrCreateNote(to)];
    source.relationLines.push(relationLine(this.#graph, source.path, relationType, { name: to, ...target }));
    return true;
  }

  /** Returns one change for each new or changed note. */
  files(): readonly FileChange[] {
    return [...this.#notes].flatMap(([name, note]) => this.#fileOf(name, note));
  }

  #fileOf(name: string, note: DraftNote): FileChange[] {
    const { path, stored, created, observations, addedObservations, relationLines } = note;
    if (created !== null) {
      const entity = { ...created, observations };
      return [
        stored === null
          ? entityFile(path, entity, { ...this.#origin(), relationLines })
          : promotePlaceholder(stored, { to: path, entity, relationLines, at: this.#at, origin: this.#given }),
      ];
    }
    if (stored === null) return [placeholderFile(path, name, relationLines, this.#origin())];
    if (addedObservations.length === 0 && relationLines.length === 0) return [];
    return [
      changeOf(
        stored,
        [
          ...addedObservations.map((text): NoteChange => ({ op: 'add-line', section: 'Observations', line: encodeObservation(text) })),
          ...relationLines.map((line): NoteChange => ({ op: 'add-line', section: 'Relations', line, unique: true })),
          ...this.#originsOf(stored, addedObservations),
        ],
        this.#at,
      ),
    ];
  }

  #origin(): NoteOrigin {
    return { id: `e_${this.#context.vault.ports.newId()}`, at: this.#at, agent: this.#context.agent, origin: this.#given };
  }

  /** Returns the changes that write down where added observations come from, if that is less than their entity. */
  #originsOf({ path }: StoredEntity, added: readonly string[]): readonly NoteChange[] {
    const origin = this.#given;
    const entry = this.#graph.get(path);
    if (origin === null || (entry !== null && !isLower(origin, statedOrigin(entry)))) return [];
    return added.map((text) => setObservationInfo(text, ORIGIN, origin));
  }

  /** Returns the note of an entity, stored or drafted; null if the name is not an entity. */
  #entityNote(name: string): DraftNote | null {
    const drafted = this.#notes.get(name);
    if (drafted !== undefined && (drafted.created !== null || drafted.stored?.isPlaceholder === false)) return drafted;
    const stored = this.#index.entity(name);
    return stored === null ? null : this.#editStored(name, stored);
  }

  /** Returns the note of a name, creating it if necessary. */
  #getOrCreateNote(name: string): DraftNote {
    const drafted = this.#notes.get(name);
    if (drafted !== undefined) return drafted;
    const stored = this.#index.entity(name) ?? this.#index.placeholder(name);
    if (stored !== null) return this.#editStored(name, stored);
    const path = this.#choosePath({ name, entityType: PLACEHOLDER_KIND });
    const note = { path, stored, created: null, observations: [], addedObservations: [], relationLines: [] };
    this.#notes.set(name, note);
    return note;
  }

  #editStored(name: string, stored: StoredEntity): DraftNote {
    const observations = [...stored.observations];
    const note = { path: stored.path, stored, created: null, observations, addedObservations: [], relationLines: [] };
    this.#notes.set(name, note);
    return note;
  }

  #relationsFrom(name: string): readonly string[] {
    const sources = [this.#index.entity(name), this.#index.placeholder(name)];
    return sources.flatMap((source) => (source === null ? [] : this.#index.relationsOf(source).map(relationKey)));
  }
}

/** Returns a function that chooses different paths for the new entities of one plan. */
function createPathChooser(context: OperationContext, index: MemoryIndex): (entity: NamedEntity) => string {
  const taken = new Set<string>();
  return (entity) => {
    const path = pathOfEntity(entity, {
      root: context.config.memory.root,
      style: context.config.filenames,
      // A second note of the same name would change the target of people's links.
      isTaken: (folded) =>
        taken.has(folded) || index.isTaken(folded) || context.vault.graph.resolve({ linkpath: folded, from: '' }).kind !== 'unresolved',
    });
    taken.add(foldKey(baseName(path)));
    return path;
  };
}

/** Formats the list entry of a relation to a note that may move in the same write. */
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
  const present = collectPresent(known);
  return observations.filter((observation) => {
    if (isRepeated(observation, present)) return false;
    for (const text of collectPresent([observation]).texts) present.texts.add(text);
    for (const fingerprint of collectPresent([observation]).fingerprints) present.fingerprints.add(fingerprint);
    return true;
  });
}

/** Returns a change of an entity's note. What its frontmatter says about observations that are gone goes with it. */
export function changeOf(entity: StoredEntity, changes: readonly NoteChange[], at: string): FileChange {
  const path = toNotePath(entity.path);
  if (path === null) throw new RouxError('IO_ERROR', `${entity.path} is not the path of a note.`);
  const info = dropObservationInfo(entity.observationInfo, observationsAfter(entity, changes));
  return { kind: 'change', path, changes: [...changes, ...info, { op: 'touch', at }] };
}

/** Returns the observations that an entity has after changes. */
function observationsAfter({ observations, observationLines }: StoredEntity, changes: readonly NoteChange[]): readonly string[] {
  const lines = (op: 'add-line' | 'drop-line'): readonly string[] =>
    changes.flatMap((change) => (change.op === op && change.section === 'Observations' ? change.line : []));
  const dropped = new Set(lines('drop-line'));
  return [...observations.filter((_, at) => !dropped.has(observationLines[at]!)), ...lines('add-line').map(decodeObservation)];
}
