import type { Vault } from '../../../vault/vault.ts';
import { readEntityNote } from './entity-note.ts';
import { bodyOf, readEpisodeContent, readEpisodeNote } from './episode-note.ts';
import { NameIndex } from './name-index.ts';
import { Group } from './knowledge-group.ts';
import type { GroupContext, KnowledgeGroup } from './knowledge-group.ts';
import { isSettled } from './shapes.ts';
import type { EpisodeContent, Stored, StoredEpisode, StoredFact } from './shapes.ts';

/** Index of the knowledge graph's notes; each is read once and again when it changes. */
export interface KnowledgeIndex {
  /** Folder of all groups, relative to the vault. */
  readonly root: string;
  /** Brings the index up to date with the graph. */
  refresh(): void;
  /** Increases with every change. */
  readonly version: number;
  group(id: string): KnowledgeGroup | null;
  groups(): readonly KnowledgeGroup[];
  at(path: string): Stored | null;
  /** Returns all notes by path, including copies. */
  all(): readonly Stored[];
  /** Returns whether this note is served under its uuid; of copies only the original is. */
  isServed(stored: Stored): boolean;
  /** Returns the episodes that are not settled. */
  pending(): readonly StoredEpisode[];
  byReceipt(receipt: string): readonly StoredEpisode[];
  /** Returns the present text and extraction of an episode; null if its note is gone. */
  contentOf(episode: StoredEpisode): EpisodeContent | null;
  /** Returns the uuid (or id) and name of a fact's target; null if it is unresolved. */
  targetOf(
    fact: Pick<StoredFact, 'linkpath'>,
    from: string,
  ): { readonly uuid: string; readonly name: string; readonly path: string } | null;
}

/** Creates the index of the notes below the root folder. Notes that people edit or write count too. */
function createKnowledgeIndex(vault: Vault): KnowledgeIndex {
  const { root } = vault.settings.config.knowledge;
  const byPath = new Map<string, Stored>();
  const groups = new Map<string, Group>();
  const pending = new Map<string, StoredEpisode>();
  const receipts = new NameIndex();
  let dirty: Set<string> | null = null;
  let version = 0;
  /** New or renamed notes: facts that lead to them are indexed by their names. */
  const renamed = new Set<string>();
  // Follows the graph itself; a later event of the vault could be behind it.
  vault.graph.onChange((changes) => {
    for (const { before, after } of changes) {
      // A moved note is no longer at its previous path.
      for (const entry of [before, after]) if (entry?.path.startsWith(`${root}/`) === true) dirty?.add(entry.path);
      if (after !== null && before?.title !== after.title && dirty !== null) renamed.add(after.path);
    }
  });

  const drop = (path: string): void => {
    const stored = byPath.get(path);
    if (stored === undefined) return;
    byPath.delete(path);
    groups.get(stored.groupId)?.drop(stored);
    pending.delete(path);
    if (stored.kind === 'episode') for (const receipt of stored.ingest?.receipts ?? []) receipts.drop(receipt, path);
  };
  const put = (stored: Stored): void => {
    drop(stored.path);
    byPath.set(stored.path, stored);
    const group = groups.get(stored.groupId) ?? new Group(stored.groupId, context);
    groups.set(stored.groupId, group);
    group.put(stored);
    if (stored.kind !== 'episode' || stored.ingest === null) return;
    if (!isSettled(stored.ingest)) pending.set(stored.path, stored);
    for (const receipt of stored.ingest.receipts) receipts.put(receipt, stored.path);
  };
  const read = (path: string): void => {
    const place = placeOf(path, root);
    const onDisk = place === null || vault.graph.get(path) === null ? null : vault.notes.readUnstable(path);
    if (place === null || onDisk === null) return drop(path);
    const { note, modifiedMs } = onDisk;
    const type = note.type ?? place.kind;
    if (type === 'entity') put(readEntityNote(note, { groupId: place.groupId, modifiedMs }));
    else if (type === 'episode') put(readEpisodeNote(note, { groupId: place.groupId, modifiedMs }));
    else drop(path);
  };
  const refresh = (): void => {
    if (dirty === null) {
      dirty = new Set();
      for (const entry of vault.graph.entries({ under: root, includeHidden: true })) read(entry.path);
    } else if (dirty.size + renamed.size > 0) {
      const paths = dirty;
      dirty = new Set();
      for (const path of paths) read(path);
      for (const path of renamed)
        for (const { from } of vault.graph.backlinks(path)) {
          const stored = paths.has(from) ? undefined : byPath.get(from);
          if (stored?.kind === 'entity') groups.get(stored.groupId)?.rename(stored, path);
        }
      renamed.clear();
    } else return;
    for (const group of groups.values()) group.settle();
    version += 1;
  };
  const targetOf: KnowledgeIndex['targetOf'] = ({ linkpath }, from) => {
    const found = vault.graph.resolve({ linkpath, from });
    const path = found.kind === 'note' ? found.path : vault.history.findMovedNote(linkpath);
    if (path === null) return null;
    const stored = byPath.get(path);
    if (stored?.kind === 'entity') return { uuid: stored.uuid, name: stored.name, path };
    const entry = vault.graph.get(path);
    return entry === null ? null : { uuid: entry.id, name: entry.title, path };
  };
  const context: GroupContext = {
    at: (path) => byPath.get(path),
    original: (uuid, paths) => vault.history.findOriginal(uuid, paths),
    vectors: vault.search.embeddings.collection('facts'),
    target: targetOf,
  };
  return {
    root,
    refresh,
    get version() {
      return version;
    },
    group: (id) => groups.get(id) ?? null,
    groups: () => [...groups.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    at: (path) => byPath.get(path) ?? null,
    all: () => [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    isServed: (stored) => {
      const group = groups.get(stored.groupId);
      return (stored.kind === 'entity' ? group?.entity(stored.uuid) : group?.episode(stored.uuid))?.path === stored.path;
    },
    pending: () => [...pending.values()],
    byReceipt: (receipt) =>
      receipts.get(receipt).flatMap((path) => {
        const stored = byPath.get(path);
        return stored?.kind === 'episode' ? [stored] : [];
      }),
    contentOf: ({ path }) => {
      const onDisk = vault.notes.readUnstable(path);
      return onDisk === null ? null : readEpisodeContent(bodyOf(onDisk.note));
    },
    targetOf,
  };
}

/** Returns the group of a path, and the kind of a note there that does not state its type. */
function placeOf(path: string, root: string): { readonly groupId: string; readonly kind: 'entity' | 'episode' | null } | null {
  if (!path.startsWith(`${root}/`)) return null;
  const [groupId, folder, ...rest] = path.slice(root.length + 1).split('/');
  if (groupId === undefined || folder === undefined) return null;
  const kind = rest.length === 0 ? null : folder === 'entities' ? 'entity' : folder === 'episodes' ? 'episode' : null;
  return { groupId, kind };
}

/** Returns the knowledge index of a vault, created on first use. */
export function knowledgeOf(vault: Vault): KnowledgeIndex {
  return vault.derived(createKnowledgeIndex);
}
