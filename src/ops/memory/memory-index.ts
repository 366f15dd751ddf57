import { readObservationInfo } from '../../note/body/observation-properties.ts';
import { decodeObservation } from '../../note/body/observation.ts';
import { parseRelation } from '../../note/body/relation.ts';
import { readBodySections } from '../../note/body/section.ts';
import { readFreshness } from '../../note/freshness.ts';
import type { Freshness } from '../../note/freshness.ts';
import type { PropertyMap } from '../../note/frontmatter/property-value.ts';
import type { Note } from '../../note/note.ts';
import { baseName, foldKey } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import { isGivenId } from '../../vault/missing-note.ts';
import type { Vault } from '../../vault/vault.ts';
import { lookUpOriginal } from '../reference.ts';
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
  readonly aliases: readonly string[];
  readonly entityType: string;
  readonly observations: readonly string[];
  /** The list entries of the observations, in the same order. */
  readonly observationLines: readonly string[];
  /** What its note says about observations (`infoOf`); null if nothing. */
  readonly observationInfo: PropertyMap | null;
  readonly freshness: Freshness;
  readonly relations: readonly StoredRelation[];
  /** Its group in the knowledge graph, or null. */
  readonly groupId: string | null;
  /** Whether the note only holds relations of a name that is not an entity yet. */
  readonly isPlaceholder: boolean;
  /** Creation time and id, by which entities are ordered. */
  readonly order: string;
}

export const PLACEHOLDER_TYPE = 'placeholder';

/** Index of the notes below the memory root, whoever wrote them; a note is read once, and again only when it changes. */
export class MemoryIndex {
  readonly #vault: Vault;
  readonly #root: string;
  readonly #byPath = new Map<string, StoredEntity>();
  /** Paths by name, by id and by folded base name. */
  readonly #byName = new Map<string, Set<string>>();
  readonly #byId = new Map<string, Set<string>>();
  readonly #byBaseName = new Map<string, Set<string>>();
  /** Paths by names and aliases in lower case. */
  readonly #byFoldedName = new Map<string, Set<string>>();
  /** Changed paths; null until the notes are read for the first time. */
  #dirty: Set<string> | null = null;
  #all: readonly StoredEntity[] | null = null;
  #entities: readonly StoredEntity[] | null = null;
  #haystacks: JoinedTexts | null = null;

  constructor(vault: Vault) {
    this.#vault = vault;
    this.#root = vault.settings.config.memory.root;
    vault.notes.onChange((paths) => {
      for (const path of paths) if (path.startsWith(`${this.#root}/`)) this.#dirty?.add(path);
    });
  }

  /** Updates the index from the graph. */
  refresh(): void {
    if (this.#dirty === null) {
      this.#dirty = new Set();
      for (const entry of this.#vault.graph.entries({ under: this.#root, includeHidden: true })) this.#read(entry.path);
    } else if (this.#dirty.size > 0) {
      const paths = this.#dirty;
      this.#dirty = new Set();
      for (const path of paths) this.#read(path);
    } else return;
    this.#all = null;
    this.#entities = null;
    this.#haystacks = null;
  }

  /** Returns the entity with exactly this name, no placeholder; updates the index first. */
  entity(name: string): StoredEntity | null {
    return this.#named(name, false);
  }

  /** Returns the entity with this name, id or path, else the only one with the name in another case or as an alias (K-17). */
  find(name: string): StoredEntity | null {
    const exact = this.entity(name);
    if (exact !== null) return exact;
    const stored = isGivenId(name) || /\.md$/i.test(name) ? lookUpOriginal(this.#vault, name) : null;
    const named = stored?.kind === 'found' ? this.at(stored.entry.path) : null;
    if (named?.isPlaceholder === false) return named;
    const paths = [...(this.#byFoldedName.get(name.toLowerCase()) ?? [])];
    const names = new Set(paths.flatMap((path) => this.#byPath.get(path) ?? []).flatMap((each) => (each.isPlaceholder ? [] : each.name)));
    const [only] = names;
    return names.size === 1 && only !== undefined ? this.entity(only) : null;
  }

  placeholder(name: string): StoredEntity | null {
    return this.#named(name, true);
  }

  /** Returns all entities and placeholders by creation. Of files with one id only the original is served, of one name the oldest. */
  all(): readonly StoredEntity[] {
    this.refresh();
    return (this.#all ??= [...this.#byPath.values()]
      .filter((entity) => this.#isOriginal(entity) && this.#named(entity.name, entity.isPlaceholder) === entity)
      .sort(byAge));
  }

  /** Returns all entities by creation, without placeholders. */
  entities(): readonly StoredEntity[] {
    const all = this.all();
    return (this.#entities ??= all.filter((entity) => !entity.isPlaceholder));
  }

  /** Returns the search texts of `entities`, in the same order. */
  haystacks(): JoinedTexts {
    const entities = this.entities();
    return (this.#haystacks ??= joinTexts(entities.map(({ haystack }) => haystack)));
  }

  at(path: string): StoredEntity | null {
    return this.#byPath.get(path) ?? null;
  }

  /** Returns the paths of other entities with the same name and group, made by a person or a restore (H-19). */
  namesakesOf({ path, name, id, groupId }: StoredEntity): readonly NotePath[] {
    return this.#filesNamed(name)
      .filter((other) => other.path !== path && other.id !== id && !other.isPlaceholder && other.groupId === groupId)
      .map((other) => other.path)
      .sort(compareText);
  }

  /** Returns the paths of all files of an entity name, including copies. */
  pathsOf(name: string): readonly string[] {
    this.refresh();
    const files = this.#filesNamed(name);
    const paths = new Set([...files.map(({ path }) => path as string), ...files.flatMap(({ id }) => [...(this.#byId.get(id) ?? [])])]);
    return [...paths].filter((path) => this.#byPath.get(path)?.isPlaceholder === false).sort(compareText);
  }

  /** Returns whether a folded base name is used below the memory root. */
  isTaken(foldedBaseName: string): boolean {
    return this.#byBaseName.has(foldedBaseName);
  }

  /** Returns the relations of an entity, with the names of their targets. */
  relationsOf({ name, path, relations }: StoredEntity): readonly Relation[] {
    return relations.map((relation) => ({ from: name, to: this.#targetName(relation, path), relationType: relation.relationType }));
  }

  #read(path: string): void {
    const onDisk = this.#vault.graph.get(path) === null ? null : this.#vault.notes.readUnstable(path);
    this.#drop(path);
    if (onDisk !== null) this.#put(readEntity(onDisk.note, { root: this.#root, modifiedMs: onDisk.modifiedMs }));
  }

  #put(entity: StoredEntity): void {
    const { path, name, id } = entity;
    this.#byPath.set(path, entity);
    addTo(this.#byName, name, path);
    addTo(this.#byId, id, path);
    addTo(this.#byBaseName, foldKey(baseName(path)), path);
    for (const each of [name, ...entity.aliases]) addTo(this.#byFoldedName, each.toLowerCase(), path);
  }

  #drop(path: string): void {
    const entity = this.#byPath.get(path);
    if (entity === undefined) return;
    this.#byPath.delete(path);
    removeFrom(this.#byName, entity.name, path);
    removeFrom(this.#byId, entity.id, path);
    removeFrom(this.#byBaseName, foldKey(baseName(path)), path);
    for (const each of [entity.name, ...entity.aliases]) removeFrom(this.#byFoldedName, each.toLowerCase(), path);
  }

  #named(name: string, isPlaceholder: boolean): StoredEntity | null {
    this.refresh();
    const found = this.#filesNamed(name).filter((entity) => entity.isPlaceholder === isPlaceholder);
    return found.filter((entity) => this.#isOriginal(entity)).sort(byAge)[0] ?? null;
  }

  #filesNamed(name: string): readonly StoredEntity[] {
    return [...(this.#byName.get(name) ?? [])].flatMap((path) => this.#byPath.get(path) ?? []);
  }

  #isOriginal({ id, path }: StoredEntity): boolean {
    const files = this.#byId.get(id);
    return files === undefined || files.size < 2 || this.#vault.history.findOriginal(id, [...files]) === path;
  }

  #targetName(relation: StoredRelation, from: string): string {
    const { graph, history } = this.#vault;
    const target = graph.resolve({ linkpath: relation.linkpath, from });
    // If the note was renamed outside of roux, the line still shows the earlier name.
    const path = target.kind === 'note' ? target.path : history.findMovedNote(relation.linkpath);
    const name = path === null ? undefined : this.#byPath.get(path)?.name;
    return name ?? (target.kind === 'note' ? graph.get(target.path)?.title : undefined) ?? relation.shown;
  }
}

/** Returns the memory index of a vault, created on first use. */
export function memoryOf(vault: Vault): MemoryIndex {
  return vault.derived(createMemoryIndex);
}

function createMemoryIndex(vault: Vault): MemoryIndex {
  return new MemoryIndex(vault);
}

function addTo(index: Map<string, Set<string>>, key: string, path: string): void {
  const paths = index.get(key);
  if (paths === undefined) index.set(key, new Set([path]));
  else paths.add(path);
}

function removeFrom(index: Map<string, Set<string>>, key: string, path: string): void {
  const paths = index.get(key);
  paths?.delete(path);
  if (paths?.size === 0) index.delete(key);
}

function byAge(a: StoredEntity, b: StoredEntity): number {
  return compareText(a.order, b.order) || compareText(a.path, b.path);
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
    aliases: note.aliases,
    entityType,
    observations,
    observationLines: lines,
    observationInfo: readObservationInfo(data),
    freshness: readFreshness(data),
    relations,
    groupId: typeof data['group_id'] === 'string' ? data['group_id'] : null,
    isPlaceholder: note.type === PLACEHOLDER_TYPE,
    order: `${typeof created === 'string' ? created : new Date(modifiedMs).toISOString()} ${note.id ?? note.path}`,
    nameFolded: name.toLowerCase(),
    typeFolded: entityType.toLowerCase(),
    haystack: [name, ...note.aliases, entityType, ...observations].join('\n').toLowerCase(),
  };
}

function folderKind(path: string, root: string): string {
  const [folder, rest] = path.slice(root.length + 1).split('/');
  return rest === undefined || folder === undefined ? 'note' : folder;
}
