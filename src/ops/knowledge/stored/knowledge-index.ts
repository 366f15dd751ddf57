import { setImmediate } from 'node:timers/promises';
import { linkKey, baseName } from '../../../note/path.ts';
import type { GraphChange, NoteEntry } from '../../../graph/view.ts';
import type { Vault } from '../../../vault/vault.ts';
import { compareText } from '../../../note/text.ts';
import { loadKnowledge, packKnowledge, saveKnowledge } from './cached/knowledge-cache.ts';
import type { CachedNote, CachedTarget } from './cached/knowledge-cache.ts';
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

/** The share of the notes that must have changed for the cache to be saved again. The next start reads the others. */
const MIN_UNSAVED_SHARE = 0.01;

/**
 * Index of the notes below the root folder, whoever wrote them; a note is read once, and again only when it changes. What was read is cached
 * for the next start.
 */
export class KnowledgeIndex {
  /** Folder of all groups, relative to the vault. */
  readonly root: string;
  readonly #vault: Vault;
  readonly #groupContext: GroupContext;
  readonly #byPath = new Map<string, Stored>();
  /** All notes that were read, by path, also those that are neither entity nor episode. */
  readonly #notes = new Map<string, Omit<CachedNote, 'path' | 'stored'>>();
  /** Number of notes that were read since the cache was saved. */
  #unsaved = 0;
  readonly #groups = new Map<string, Group>();
  readonly #pending = new Map<string, StoredEpisode>();
  readonly #receipts = new NameIndex();
  /** Changed paths; null until the notes are read for the first time. */
  #dirty: Set<string> | null = null;
  /** Notes that are new, renamed or gone: facts whose links may mean them are indexed by their names. */
  readonly #renamed = new Set<string>();
  #version = 0;
  /** Whether the vectors of earlier starts are loaded. */
  #hasVectors = false;
  #isEmbedding = false;

  constructor(vault: Vault) {
    this.#vault = vault;
    this.root = vault.settings.config.knowledge.root;
    this.#groupContext = {
      at: (path) => this.#byPath.get(path),
      original: (uuid, paths) => vault.history.findOriginal(uuid, paths),
      vectors: vault.search.embeddings.collection('facts'),
      target: (fact, from) => this.targetOf(fact, from),
      onBuilt: () => this.#saveLater(),
    };
    // Follows the graph itself; a later event of the vault could be behind it.
    vault.graph.onChange((changes) => this.#mark(changes));
    void vault.search.embeddings.whenLoaded().then(() => {
      this.#hasVectors = true;
      return this.#embed();
    });
  }

  /** Increases with every change. */
  get version(): number {
    return this.#version;
  }

  /** Brings the index up to date with the graph. */
  refresh(): void {
    if (this.#dirty === null) this.#readAll();
    else if (this.#dirty.size + this.#renamed.size > 0) {
      const paths = this.#dirty;
      this.#dirty = new Set();
      for (const path of paths) this.#read(path);
      this.#relinkRenamed();
    } else return;
    for (const group of this.#groups.values()) group.settle();
    this.#version += 1;
    void this.#embed();
    if (this.#unsaved > this.#notes.size * MIN_UNSAVED_SHARE) this.#saveLater();
  }

  /** Passes the texts of all groups to the vectors, a few at a time. */
  async #embed(): Promise<void> {
    if (!this.#hasVectors || this.#isEmbedding) return;
    this.#isEmbedding = true;
    for (const group of this.#groups.values()) for (const _ of group.texts.embed()) await setImmediate();
    this.#isEmbedding = false;
  }

  /** Takes what is cached, and reads the notes that differ from it. */
  #readAll(): void {
    const { graph } = this.#vault;
    this.#dirty = new Set();
    const cache = loadKnowledge(this.#vault, this.root);
    for (const { path, stored, ...note } of cache?.notes ?? []) {
      this.#notes.set(path, note);
      if (stored !== null) this.#add(stored).add(stored);
    }
    for (const [id, texts] of cache?.texts ?? []) this.#groups.get(id)?.restore(texts);
    const gone = new Set(this.#notes.keys());
    for (const entry of graph.entries({ under: this.root, includeHidden: true })) {
      gone.delete(entry.path);
      if (!isAsCached(entry, this.#notes.get(entry.path))) this.#read(entry.path);
    }
    for (const path of gone) this.#read(path);
    if (cache === null) this.#renamed.clear();
    this.#relinkRenamed();
    for (const [from, linkpath] of cache?.movedLinks((...link) => this.#resolve(...link)) ?? []) this.#relink(from, linkpath);
  }

  #relinkRenamed(): void {
    for (const path of this.#renamed) {
      const sources = new Set(this.#vault.graph.linksByKey(path).map(({ from }) => from));
      for (const from of sources) this.#relink(from, path);
    }
    this.#renamed.clear();
  }

  /** Marks the facts of a note whose links may mean a file for indexing. */
  #relink(from: string, file: string): void {
    const stored = this.#byPath.get(from);
    if (stored?.kind === 'entity') this.#groups.get(stored.groupId)?.relink(stored, linkKey(file));
  }

  #resolve(linkpath: string, from: string): CachedTarget | 'uncertain' | null {
    const target = this.targetOf({ linkpath }, from);
    if (target === null) return null;
    return this.#vault.graph.resolve({ linkpath, from }).kind === 'note' ? [target.path, target.name] : 'uncertain';
  }

  #saveLater(): void {
    saveKnowledge(this.#vault, () => this.#pack());
  }

  /** Packs the present state for the next start; null if it changes meanwhile. */
  *#pack(): Generator<void, readonly Uint8Array[] | null> {
    this.refresh();
    const { graph } = this.#vault;
    const [version, graphVersion] = [this.#version, graph.version];
    const paths = [...this.#notes.keys()].sort(compareText);
    const steps = packKnowledge({
      root: this.root,
      notes: paths.map((path) => ({ path, stored: this.#byPath.get(path) ?? null, ...this.#notes.get(path)! })),
      texts: [...this.#groups.values()].map(({ id, texts }) => ({ id, pack: () => texts.pack() })),
      resolve: (...link) => this.#resolve(...link),
    });
    for (;;) {
      const step = steps.next();
      if (this.#version !== version || graph.version !== graphVersion) return null;
      if (step.done === true) {
        this.#unsaved = 0;
        return step.value;
      }
      yield;
    }
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
      if (this.#dirty === null || (before?.title === after?.title && before?.path === after?.path)) continue;
      for (const entry of [before, after]) if (entry !== null) this.#renamed.add(entry.path);
    }
  }

  #read(path: string): void {
    const before = this.#byPath.get(path);
    this.#replace(path);
    // Facts that lead to a note are found by what it says of itself.
    if (describeTarget(before) !== describeTarget(this.#byPath.get(path))) this.#renamed.add(path);
  }

  #replace(path: string): void {
    const { graph, notes } = this.#vault;
    const place = placeOf(path, this.root);
    const onDisk = place === null || graph.get(path) === null ? null : notes.readUnstable(path);
    this.#drop(path);
    this.#notes.delete(path);
    this.#unsaved += 1;
    if (place === null || onDisk === null) return;
    const { note, hash, modifiedMs } = onDisk;
    this.#notes.set(path, { hash, modifiedMs, content: null });
    const type = note.type ?? place.kind;
    const read = type === 'entity' ? readEntityNote : type === 'episode' ? readEpisodeNote : null;
    const stored = read?.(note, { groupId: place.groupId, modifiedMs });
    if (stored !== undefined) this.#add(stored).put(stored);
  }

  /** Adds a note, and returns its group, which is still to be given it. */
  #add(stored: Stored): Group {
    this.#byPath.set(stored.path, stored);
    const group = this.#groups.get(stored.groupId) ?? new Group(stored.groupId, this.#groupContext);
    this.#groups.set(stored.groupId, group);
    if (stored.kind !== 'episode' || stored.ingest === null) return group;
    if (!isSettled(stored.ingest)) this.#pending.set(stored.path, stored);
    for (const receipt of stored.ingest.receipts) this.#receipts.put(receipt, stored.path);
    return group;
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

function describeTarget(stored: Stored | undefined): string {
  return `${stored?.kind}\n${stored?.name}\n${describeEntity(stored)}`;
}

/** Returns whether a note is what the cache has of it. */
function isAsCached({ hash, stamp }: NoteEntry, cached: Pick<CachedNote, 'hash' | 'modifiedMs'> | undefined): boolean {
  return cached?.hash === hash && BigInt(cached.modifiedMs) === stamp.mtimeNs / 1_000_000n;
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
