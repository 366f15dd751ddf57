import type { GraphChange } from '../../../graph/view.ts';
import type { Vault } from '../../../vault/vault.ts';
import { baseName } from '../../../note/path.ts';
import { readEntityNote } from './entity-note.ts';
import { bodyOf, readEpisodeContent, readEpisodeNote } from './episode-note.ts';
import { NameIndex } from './name-index.ts';
import { describeEntity, Group } from './knowledge-group.ts';
import type { GroupContext, KnowledgeGroup } from './knowledge-group.ts';
import { isSettled } from './shapes.ts';
import type { EpisodeContent, Stored, StoredEpisode, StoredFact } from './shapes.ts';

/** A note that a fact leads to: its uuid (or id), name and path. */
interface FactTarget {
  readonly uuid: string;
  readonly name: string;
  readonly path: string;
}

/** Index of the notes below the root folder, whoever wrote them; a note is read once, and again only when it changes. */
export class KnowledgeIndex {
  /** Folder of all groups, relative to the vault. */
  readonly root: string;
  readonly #vault: Vault;
  readonly #groupContext: GroupContext;
  readonly #byPath = new Map<string, Stored>();
  readonly #groups = new Map<string, Group>();
  readonly #pending = new Map<string, StoredEpisode>();
  readonly #receipts = new NameIndex();
  /** Changed paths; null until the notes are read for the first time. */
  #dirty: Set<string> | null = null;
  /** New or renamed notes: facts that lead to them are indexed by their names. */
  readonly #renamed = new Set<string>();
  #version = 0;

  constructor(vault: Vault) {
    this.#vault = vault;
    this.root = vault.settings.config.knowledge.root;
    this.#groupContext = {
      at: (path) => this.#byPath.get(path),
      original: (uuid, paths) => vault.history.findOriginal(uuid, paths),
      vectors: vault.search.embeddings.collection('facts'),
      target: (fact, from) => this.targetOf(fact, from),
    };
    // Follows the graph itself; a later event of the vault could be behind it.
    vault.graph.onChange((changes) => this.#mark(changes));
  }

  /** Increases with every change. */
  get version(): number {
    return this.#version;
  }

  /** Brings the index up to date with the graph. */
  refresh(): void {
    const { graph } = this.#vault;
    if (this.#dirty === null) {
      this.#dirty = new Set();
      for (const entry of graph.entries({ under: this.root, includeHidden: true })) this.#read(entry.path);
      this.#renamed.clear();
    } else if (this.#dirty.size + this.#renamed.size > 0) {
      const paths = this.#dirty;
      this.#dirty = new Set();
      for (const path of paths) this.#read(path);
      for (const path of this.#renamed)
        for (const { from } of graph.backlinks(path)) {
          const stored = paths.has(from) ? undefined : this.#byPath.get(from);
          if (stored?.kind === 'entity') this.#groups.get(stored.groupId)?.rename(stored, path);
        }
      this.#renamed.clear();
    } else return;
    for (const group of this.#groups.values()) group.settle();
    this.#version += 1;
  }

  group(id: string): KnowledgeGroup | null {
    return this.#groups.get(id) ?? null;
  }

  groups(): readonly KnowledgeGroup[] {
    return [...this.#groups.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  at(path: string): Stored | null {
    return this.#byPath.get(path) ?? null;
  }

  /** Returns all notes by path, including copies. */
  all(): readonly Stored[] {
    return [...this.#byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Returns whether this note is served under its uuid; of copies only the original is. */
  isServed(stored: Stored): boolean {
    const group = this.#groups.get(stored.groupId);
    return (stored.kind === 'entity' ? group?.entity(stored.uuid) : group?.episode(stored.uuid))?.path === stored.path;
  }

  /** Returns the episodes that are not settled. */
  pending(): readonly StoredEpisode[] {
    return [...this.#pending.values()];
  }

  byReceipt(receipt: string): readonly StoredEpisode[] {
    return this.#receipts.get(receipt).flatMap((path) => {
      const stored = this.#byPath.get(path);
      return stored?.kind === 'episode' ? [stored] : [];
    });
  }

  /** Returns the present text and extraction of an episode; null if its note is gone. */
  contentOf({ path }: StoredEpisode): EpisodeContent | null {
    const onDisk = this.#vault.notes.readUnstable(path);
    return onDisk === null ? null : readEpisodeContent(bodyOf(onDisk.note));
  }

  /** Returns the target of a fact; null if it is unresolved. */
  targetOf({ linkpath }: Pick<StoredFact, 'linkpath'>, from: string): FactTarget | null {
    const { graph, history } = this.#vault;
    const found = graph.resolve({ linkpath, from });
    const path = found.kind === 'note' ? found.path : history.findMovedNote(linkpath);
    if (path === null) return null;
    const stored = this.#byPath.get(path);
    if (stored?.kind === 'entity') return { uuid: stored.uuid, name: stored.name, path };
    if (stored?.kind === 'episode') return { uuid: stored.uuid, name: stored.name ?? baseName(path), path };
    const entry = graph.get(path);
    return entry === null ? null : { uuid: entry.id, name: entry.title, path };
  }

  #mark(changes: readonly GraphChange[]): void {
    for (const { before, after } of changes) {
      // A moved note is no longer at its previous path.
      for (const entry of [before, after]) if (entry?.path.startsWith(`${this.root}/`) === true) this.#dirty?.add(entry.path);
      if (after !== null && before?.title !== after.title && this.#dirty !== null) this.#renamed.add(after.path);
    }
  }

  #read(path: string): void {
    const { graph, notes } = this.#vault;
    const place = placeOf(path, this.root);
    const onDisk = place === null || graph.get(path) === null ? null : notes.readUnstable(path);
    const before = this.#byPath.get(path);
    this.#drop(path);
    if (place === null || onDisk === null) return;
    const { note, modifiedMs } = onDisk;
    const type = note.type ?? place.kind;
    if (type === 'entity') this.#put(readEntityNote(note, { groupId: place.groupId, modifiedMs }), before);
    else if (type === 'episode') this.#put(readEpisodeNote(note, { groupId: place.groupId, modifiedMs }), before);
  }

  #put(stored: Stored, before: Stored | undefined): void {
    // Facts that lead to an entity are found by what it says of itself.
    if (describeEntity(before) !== describeEntity(stored)) this.#renamed.add(stored.path);
    this.#byPath.set(stored.path, stored);
    const group = this.#groups.get(stored.groupId) ?? new Group(stored.groupId, this.#groupContext);
    this.#groups.set(stored.groupId, group);
    group.put(stored);
    if (stored.kind !== 'episode' || stored.ingest === null) return;
    if (!isSettled(stored.ingest)) this.#pending.set(stored.path, stored);
    for (const receipt of stored.ingest.receipts) this.#receipts.put(receipt, stored.path);
  }

  #drop(path: string): void {
    const stored = this.#byPath.get(path);
    if (stored === undefined) return;
    this.#byPath.delete(path);
    this.#groups.get(stored.groupId)?.drop(stored);
    this.#pending.delete(path);
    if (stored.kind === 'episode') for (const receipt of stored.ingest?.receipts ?? []) this.#receipts.drop(receipt, path);
  }
}

/** Returns the knowledge index of a vault, created on first use. */
export function knowledgeOf(vault: Vault): KnowledgeIndex {
  return vault.derived(createKnowledgeIndex);
}

function createKnowledgeIndex(vault: Vault): KnowledgeIndex {
  return new KnowledgeIndex(vault);
}

/** Returns the group of a path, and the kind of a note there that does not state its type. */
function placeOf(path: string, root: string): { readonly groupId: string; readonly kind: 'entity' | 'episode' | null } | null {
  if (!path.startsWith(`${root}/`)) return null;
  const [groupId, folder, ...rest] = path.slice(root.length + 1).split('/');
  if (groupId === undefined || folder === undefined) return null;
  const kind = rest.length === 0 ? null : folder === 'entities' ? 'entity' : folder === 'episodes' ? 'episode' : null;
  return { groupId, kind };
}
