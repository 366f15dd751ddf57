import type { GraphView } from '../../graph/view.ts';
import { decodeObservation } from '../../note/body/observation.ts';
import { parseRelation } from '../../note/body/relation.ts';
import { readBodySections } from '../../note/body/section.ts';
import type { Note } from '../../note/note.ts';
import { baseName, foldKey } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import type { Vault } from '../../vault/vault.ts';
import { joinTexts } from './joined-texts.ts';
import type { JoinedTexts } from './joined-texts.ts';
import type { Searchable } from './search-query.ts';
import type { Relation } from './shapes.ts';

/** A relation as a line in the note of its source. */
export interface StoredRelation {
  readonly relationType: string;
  readonly linkpath: string;
  /** The text of the link, or else its target. */
  readonly shown: string;
  /** The list entry, needed to remove it. */
  readonly line: string;
}

/** An entity as its note states it. */
export interface StoredEntity extends Searchable {
  readonly path: NotePath;
  /** The note's id; a copy made by a person has the id of its original. */
  readonly id: string;
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
  /** The list entries of the observations, in the same order. */
  readonly observationLines: readonly string[];
  readonly relations: readonly StoredRelation[];
  /** Its group in the knowledge graph, or null. */
  readonly groupId: string | null;
  /** Whether the note only holds relations of a name that is not an entity yet. */
  readonly isPlaceholder: boolean;
  /** Creation time and id, by which entities are ordered. */
  readonly order: string;
}

/** Index of the memory notes of a vault; each is read once and again when it changes. */
export interface MemoryIndex {
  /** Returns the entity with exactly this name, no placeholder; updates the index first. */
  entity(name: string): StoredEntity | null;
  placeholder(name: string): StoredEntity | null;
  /** Returns all entities by creation, without placeholders. */
  entities(): readonly StoredEntity[];
  /** Returns the search texts of `entities`, in the same order. */
  haystacks(): JoinedTexts;
  /** Returns all entities and placeholders. */
  all(): readonly StoredEntity[];
  at(path: string): StoredEntity | null;
  /** Returns the paths of other entities with the same name and group, made by a person or a restore (H-19). */
  namesakesOf(entity: StoredEntity): readonly NotePath[];
  /** Returns the paths of all files of an entity name, including copies. */
  pathsOf(name: string): readonly string[];
  /** Returns whether a folded base name is used below the memory root. */
  isTaken(foldedBaseName: string): boolean;
  /** Returns the relations of an entity, with the names of their targets. */
  relationsOf(entity: StoredEntity): readonly Relation[];
  /** Updates the index from the graph. */
  refresh(): void;
}

export const PLACEHOLDER_TYPE = 'placeholder';

/** Creates the index of the notes below the memory root. Notes that people edit or write count too. */
function createMemoryIndex(vault: Vault): MemoryIndex {
  const root = vault.settings.config.memory.root;
  const byPath = new Map<string, StoredEntity>();
  const byName = new Map<string, Set<string>>();
  const byId = new Map<string, Set<string>>();
  const baseNames = new Map<string, number>();
  let dirty: Set<string> | null = null;
  let sorted: readonly StoredEntity[] | null = null;
  let existing: readonly StoredEntity[] | null = null;
  let haystacks: JoinedTexts | null = null;
  vault.notes.onChange((paths) => {
    for (const path of paths) if (path.startsWith(`${root}/`)) dirty?.add(path);
  });

  const drop = (path: string): void => {
    const entity = byPath.get(path);
    if (entity === undefined) return;
    byPath.delete(path);
    const paths = byName.get(entity.name);
    paths?.delete(path);
    if (paths?.size === 0) byName.delete(entity.name);
    const files = byId.get(entity.id);
    files?.delete(path);
    if (files?.size === 0) byId.delete(entity.id);
    const folded = foldKey(baseName(path));
    const left = (baseNames.get(folded) ?? 1) - 1;
    if (left === 0) baseNames.delete(folded);
    else baseNames.set(folded, left);
  };
  const put = (entity: StoredEntity): void => {
    drop(entity.path);
    byPath.set(entity.path, entity);
    byName.set(entity.name, (byName.get(entity.name) ?? new Set()).add(entity.path));
    byId.set(entity.id, (byId.get(entity.id) ?? new Set()).add(entity.path));
    const folded = foldKey(baseName(entity.path));
    baseNames.set(folded, (baseNames.get(folded) ?? 0) + 1);
  };
  const read = (path: string): void => {
    const onDisk = vault.graph.get(path) === null ? null : vault.notes.readUnstable(path);
    if (onDisk === null) drop(path);
    else put(readEntity(onDisk.note, { root, modifiedMs: onDisk.modifiedMs }));
  };
  const refresh = (): void => {
    if (dirty === null) {
      dirty = new Set();
      for (const entry of vault.graph.entries({ under: root, includeHidden: true })) read(entry.path);
    } else if (dirty.size > 0) {
      const paths = dirty;
      dirty = new Set();
      for (const path of paths) read(path);
    } else return;
    sorted = null;
    existing = null;
    haystacks = null;
  };
  const all = (): readonly StoredEntity[] => {
    refresh();
    sorted ??= [...byPath.values()].filter(isServed).sort(byAge);
    return sorted;
  };
  /** Only the original of files with one id, and the oldest of entities with one name, is served. */
  const isServed = (entity: StoredEntity): boolean => isOriginal(entity) && named(entity.name, entity.isPlaceholder) === entity;
  const isOriginal = ({ id, path }: StoredEntity): boolean => {
    const files = byId.get(id);
    return files === undefined || files.size < 2 || vault.history.findOriginal(id, [...files]) === path;
  };
  const named = (name: string, isPlaceholder: boolean): StoredEntity | null => {
    refresh();
    const found = [...(byName.get(name) ?? [])]
      .flatMap((path) => byPath.get(path) ?? [])
      .filter((entity) => entity.isPlaceholder === isPlaceholder);
    return found.filter(isOriginal).sort(byAge)[0] ?? null;
  };
  const entities = (): readonly StoredEntity[] => {
    const known = all();
    return (existing ??= known.filter((entity) => !entity.isPlaceholder));
  };
  return {
    refresh,
    all,
    entities,
    haystacks: () => {
      const known = entities();
      return (haystacks ??= joinTexts(known.map(({ haystack }) => haystack)));
    },
    entity: (name) => named(name, false),
    placeholder: (name) => named(name, true),
    at: (path) => byPath.get(path) ?? null,
    pathsOf(name) {
      refresh();
      const ids = [...(byName.get(name) ?? [])].flatMap((path) => byPath.get(path)?.id ?? []);
      const paths = new Set([...(byName.get(name) ?? []), ...ids.flatMap((id) => [...(byId.get(id) ?? [])])]);
      return [...paths].filter((path) => byPath.get(path)?.isPlaceholder === false).sort(compareText);
    },
    namesakesOf({ path, name, id, groupId }) {
      const others = [...(byName.get(name) ?? [])].flatMap((other) => byPath.get(other) ?? []);
      return others
        .filter((other) => other.path !== path && other.id !== id && !other.isPlaceholder && other.groupId === groupId)
        .map((other) => other.path)
        .sort(compareText);
    },
    isTaken: (folded) => baseNames.has(folded),
    relationsOf: (entity) =>
      entity.relations.map((relation) => ({
        from: entity.name,
        to: targetName(relation, entity.path),
        relationType: relation.relationType,
      })),
  };

  function targetName(relation: StoredRelation, from: string): string {
    const target = vault.graph.resolve({ linkpath: relation.linkpath, from });
    if (target.kind !== 'note') {
      // The note was renamed outside of roux; the line still shows the earlier name.
      const moved = vault.history.findMovedNote(relation.linkpath);
      return (moved === null ? undefined : byPath.get(moved)?.name) ?? relation.shown;
    }
    return byPath.get(target.path)?.name ?? titleOf(vault.graph, target.path) ?? relation.shown;
  }
}

function byAge(a: StoredEntity, b: StoredEntity): number {
  return compareText(a.order, b.order) || compareText(a.path, b.path);
}

function titleOf(graph: GraphView, path: string): string | null {
  return graph.get(path)?.title ?? null;
}

/** Reads an entity from its note. The folder is the kind of a note without `kind`. */
export function readEntity(note: Note, { root, modifiedMs }: { readonly root: string; readonly modifiedMs: number }): StoredEntity {
  const { data } = note.frontmatter;
  const kind = data['kind'];
  const entityType = typeof kind === 'string' && kind !== '' ? kind : folderKind(note.path, root);
  const sections = readBodySections(note.text);
  const lines = sections.Observations?.entries.map((entry) => entry.line) ?? [];
  const observations = lines.map(decodeObservation);
  const relations = (sections.Relations?.entries ?? []).flatMap(({ line }) => {
    const relation = parseRelation(line);
    // Connections and facts have block ids and belong to other tools.
    if (relation === null || relation.blockId !== null) return [];
    return [{ relationType: relation.type, linkpath: relation.target, shown: relation.shown ?? relation.target, line }];
  });
  const created = data['created_at'];
  // A displayed title is trimmed; the name must be exact.
  const name = typeof data['title'] === 'string' && data['title'] !== '' ? data['title'] : note.title;
  return {
    path: note.path,
    id: note.id ?? note.path,
    name,
    entityType,
    observations,
    observationLines: lines,
    relations,
    groupId: typeof data['group_id'] === 'string' ? data['group_id'] : null,
    isPlaceholder: note.type === PLACEHOLDER_TYPE,
    order: `${typeof created === 'string' ? created : new Date(modifiedMs).toISOString()} ${note.id ?? note.path}`,
    nameFolded: name.toLowerCase(),
    typeFolded: entityType.toLowerCase(),
    haystack: [name, entityType, ...observations].join('\n').toLowerCase(),
  };
}

function folderKind(path: string, root: string): string {
  const [folder, rest] = path.slice(root.length + 1).split('/');
  return rest === undefined || folder === undefined ? 'note' : folder;
}

/** Returns the memory index of a vault, created on first use. */
export function memoryOf(vault: Vault): MemoryIndex {
  return vault.derived(createMemoryIndex);
}
