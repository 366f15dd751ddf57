import { createHash } from 'node:crypto';
import { readFolders } from '../../folder-globs.ts';
import type { FolderScope } from '../../folder-globs.ts';
import { HopSearch } from '../../graph/hops/hop-search.ts';
import { openSearch } from '../../graph/search/open-search.ts';
import type { NotePath } from '../../note/path.ts';
import { Derived } from '../derived.ts';
import type { Health, Notes, Vault } from '../vault.ts';
import { VAULT_IS_GONE, VAULT_IS_SHRUNK } from '../warnings.ts';
import { createScopeGraph } from './scope-graph.ts';
import { scopeEmbeddings } from './scope-embeddings.ts';
import { ScopeVersion, scopeHistory } from './scope-history.ts';
import { scopeSettings } from './scope-settings.ts';
import { scopeWrites } from './scope-writes.ts';
import { needsWholeVault, refused } from './scope.ts';
import type { Scope } from './scope.ts';

/**
 * Returns the view of a vault for a token limited to some folders (V-04): nothing outside exists, counts or affects results, and writes are
 * limited alike. `folders`: as `readFolders` takes them. There is one view per list of folders, created on first use and closed with the
 * vault; it has its own graph and search index.
 */
export function scopeVault(vault: Vault, folders: readonly string[]): Vault {
  return vault.derived(createScopes).of(folders);
}

function createScopes(vault: Vault): { of(folders: readonly string[]): Vault; close(): Promise<void> } {
  const open = new Map<string, Vault>();
  return {
    of(given) {
      const folders = readFolders(given);
      const key = JSON.stringify(folders.patterns);
      const scope = open.get(key) ?? createScope(vault, folders, createHash('sha256').update(key).digest('hex').slice(0, 16));
      open.set(key, scope);
      return scope;
    },
    async close() {
      await Promise.all([...open.values()].map((scope) => scope.close()));
      open.clear();
    },
  };
}

/** `name`: as in `Scope`. */
function createScope(whole: Vault, folders: FolderScope, name: string): Vault {
  const scoped = createScopeGraph(whole, folders);
  const { graph } = scoped;
  const scope: Scope = { whole, folders, graph, name };
  const ready = whole.health.ready.then(() => scoped.fill());
  // Callers await `ready` and get the error.
  ready.catch(() => undefined);
  const notes = scopeNotes(whole.notes, folders);
  const readText = (path: NotePath): string | null => notes.readTextUnstable(path);
  const embeddings = scopeEmbeddings(whole.search.embeddings, { graph, name });
  const keywordSearch = openSearch({ graph, readText, log: whole.ports.log, isStartedOnDemand: true });
  graph.onChange((changes) => keywordSearch.follow(changes));
  const version = new ScopeVersion(graph);
  const derived = new Derived();
  const vault: Vault = {
    ports: whole.ports,
    notes,
    graph,
    search: Object.assign(new HopSearch({ graph, readText, keywordSearch, embeddings }), {
      attachments: whole.search.attachments.limitTo((path) => folders.has(path)),
      findsUnread: () => false,
    }),
    writes: scopeWrites(scope, version),
    history: {
      ...scopeHistory(scope, version),
      review: refused('Reviewing what agents changed'),
      acceptReview: refused('Accepting what agents changed'),
      findMovedNote(linkpath) {
        const path = whole.history.findMovedNote(linkpath);
        return path !== null && folders.has(path) ? path : null;
      },
      loadOriginals: () => whole.history.loadOriginals(),
      findOriginal: (id, paths) => whole.history.findOriginal(id, paths),
    },
    settings: scopeSettings(whole.settings, folders),
    health: scopeHealth(whole.health, ready),
    code: {
      place: () => ({ kind: 'barred', folder: '', reason: 'this token is for some folders of the vault' }),
      // Where the vault is in it says something of what is outside.
      fromTop: (path) => (/^(?:\/|\.\.?(?:\/|$))/.test(path) ? null : path),
      stamp: () => '',
      hasCommits: () => false,
      files: refused('Reading the repository around a vault'),
      withHistory: refused('Reading the repository around a vault'),
    },
    refresh: (depth) => whole.refresh(depth),
    // The cache covers all notes; for some notes rebuilding is fast.
    cache: {
      load: () => null,
      save: async () => undefined,
      loadDerived: () => null,
      saveLater: () => undefined,
      exportVectors: refused('Exporting vectors'),
      importVectors: refused('Importing vectors'),
    },
    derived: (make) => derived.get(make, vault),
    async close() {
      await derived.close();
      await keywordSearch.close();
    },
  };
  return vault;
}

function scopeNotes(whole: Notes, folders: FolderScope): Notes {
  return {
    read: async (path) => (folders.has(path) ? whole.read(path) : null),
    refresh: async (path) => folders.has(path) && whole.refresh(path),
    async *readInChunks(path) {
      if (folders.has(path)) yield* whole.readInChunks(path);
    },
    readUnstable: (path) => (folders.has(path) ? whole.readUnstable(path) : null),
    readTextUnstable: (path) => (folders.has(path) ? whole.readTextUnstable(path) : null),
    readBytes: (path) => (folders.has(path) ? whole.readBytes(path) : null),
    readAttachment: (path) => (folders.has(path) ? whole.readAttachment(path) : null),
    timesOf: (path) => (folders.has(path) ? whole.timesOf(path) : null),
    isFolder: (path) => folders.has(path) && whole.isFolder(path),
    realPath(path) {
      const real = folders.has(path) ? whole.realPath(path) : null;
      return real !== null && folders.has(real) ? real : null;
    },
    createPlaceFinder: () => () => false,
    readAhead: async () => false,
    onChange: (listener) =>
      whole.onChange((paths) => {
        const inside = paths.filter((path) => folders.has(path));
        if (inside.length > 0) listener(inside);
      }),
  };
}

function scopeHealth(whole: Health, ready: Promise<void>): Health {
  return {
    ready,
    // The view fills only after the whole vault is ready.
    readingProgress: () => null,
    // Other warnings may name files outside.
    warnings: () => whole.warnings().filter((warning) => warning === VAULT_IS_GONE || warning === VAULT_IS_SHRUNK),
    reports: [],
    alerts: () => whole.alerts(),
    lastStall: () => whole.lastStall(),
    acceptDeletions: refused('Accepting that notes are gone'),
    sizes() {
      throw needsWholeVault('Showing the sizes of history and trash');
    },
    verify: refused('Checking a vault for problems'),
    checkRecords: refused("Checking roux's records"),
    repairRecords: refused("Repairing roux's records"),
  };
}
