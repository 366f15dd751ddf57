import { createHash } from 'node:crypto';
import { RouxError } from '../../errors.ts';
import { readFolders } from '../../folder-globs.ts';
import type { FolderScope } from '../../folder-globs.ts';
import { createSemanticSearch } from '../../graph/semantic/semantic-search.ts';
import { openSearch } from '../../graph/search/open-search.ts';
import type { NotePath } from '../../note/path.ts';
import { Derived } from '../derived.ts';
import type { WriteMeta } from '../plan/plan.ts';
import type { Health, Notes, Vault, Writes } from '../vault.ts';
import { VAULT_IS_GONE, VAULT_IS_SHRUNK } from '../warnings.ts';
import { createScopeGraph } from './scope-graph.ts';
import { scopeEmbeddings } from './scope-embeddings.ts';
import { createScopeHistory } from './scope-history.ts';
import { scopeSettings } from './scope-settings.ts';
import { checkWrite, needsWholeVault, adaptPlanToVault } from './scope-writes.ts';

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

/** `name` identifies the view within the vault; it appears in no answer. */
function createScope(whole: Vault, folders: FolderScope, name: string): Vault {
  const scoped = createScopeGraph(whole, folders);
  const { graph } = scoped;
  const ready = whole.health.ready.then(() => scoped.fill());
  // Callers await `ready` and get the error.
  ready.catch(() => undefined);
  const embeddings = scopeEmbeddings(whole.search.embeddings, { graph, name });
  const readText = (path: NotePath): string | null => (folders.has(path) ? whole.notes.readTextUnstable(path) : null);
  const keywordSearch = openSearch({ graph, readText, log: whole.ports.log, isStartedOnDemand: true });
  graph.onChange((changes) => keywordSearch.follow(changes));
  const derived = new Derived();

  // Keys of other callers must not match.
  const keyOf = (key: string): string => `${key} of ${name}`;
  const metaOf = ({ basedOn: _basedOn, ...meta }: WriteMeta): WriteMeta => ({
    ...meta,
    ...(meta.idempotencyKey === undefined ? {} : { idempotencyKey: keyOf(meta.idempotencyKey) }),
    check: (files) => checkWrite(whole, folders, meta.operation, files),
  });
  const { history, undoing, mustBeAt } = createScopeHistory(whole, { graph, folders, metaOf });
  const ofWhole = (what: string) => async (): Promise<never> => {
    throw needsWholeVault(what);
  };

  const notes: Notes = {
    read: async (path) => (folders.has(path) ? whole.notes.read(path) : null),
    refresh: async (path) => folders.has(path) && whole.notes.refresh(path),
    async *readInChunks(path) {
      if (folders.has(path)) yield* whole.notes.readInChunks(path);
    },
    readUnstable: (path) => (folders.has(path) ? whole.notes.readUnstable(path) : null),
    readTextUnstable: readText,
    readAttachment: (path) => (folders.has(path) ? whole.notes.readAttachment(path) : null),
    timesOf: (path) => (folders.has(path) ? whole.notes.timesOf(path) : null),
    readAhead: async () => false,
    onChange: (listener) =>
      whole.notes.onChange((paths) => {
        const inside = paths.filter((path) => folders.has(path));
        if (inside.length > 0) listener(inside);
      }),
  };
  const writes: Writes = {
    async write(meta, makePlan) {
      const { basedOn } = meta;
      const done = await withCallerErrors(() =>
        whole.writes.write(metaOf(meta), async () => {
          mustBeAt(basedOn);
          return adaptPlanToVault(whole.graph, folders, await makePlan(graph));
        }),
      );
      if (done.isReplay === true && basedOn !== undefined) basedOn.isChecked = true;
      return done;
    },
    ...undoing,
    completeWrite: ofWhole('Ending an unfinished write'),
    waitForWrites: () => whole.writes.waitForWrites(),
    replayCache: {
      find: (key, payload) => {
        try {
          return whole.writes.replayCache.find(keyOf(key), payload);
        } catch (error) {
          throw toCallerError(error);
        }
      },
      save: (key, payload, answer) => whole.writes.replayCache.save(keyOf(key), payload, answer),
    },
    stopWriting() {
      throw needsWholeVault('Ending the writes of a vault');
    },
  };
  const health: Health = {
    ready,
    // The view fills only after the whole vault is ready.
    readingProgress: () => null,
    // Other warnings may name files outside.
    warnings: () => whole.health.warnings().filter((warning) => warning === VAULT_IS_GONE || warning === VAULT_IS_SHRUNK),
    reports: [],
    alerts: () => whole.health.alerts(),
    lastStall: () => whole.health.lastStall(),
    acceptDeletions: ofWhole('Accepting that notes are gone'),
    sizes() {
      throw needsWholeVault('Telling the sizes of history and trash');
    },
    verify: ofWhole('Looking for what is wrong in a vault'),
    checkRecords: ofWhole('Checking what roux keeps of its writes'),
    repairRecords: ofWhole('Repairing what roux keeps of its writes'),
  };
  const scope: Vault = {
    ports: whole.ports,
    notes,
    graph,
    search: createSemanticSearch({ graph, readText, keywordSearch, embeddings }),
    writes,
    history: {
      ...history,
      review: ofWhole('Reviewing what agents changed'),
      acceptReview: ofWhole('Accepting what agents changed'),
      findMovedNote(linkpath) {
        const path = whole.history.findMovedNote(linkpath);
        return path !== null && folders.has(path) ? path : null;
      },
      findOriginal: (id, paths) => whole.history.findOriginal(id, paths),
    },
    settings: scopeSettings(whole.settings, folders),
    health,
    refresh: (depth) => whole.refresh(depth),
    // The cache covers all notes; for some notes rebuilding is fast.
    cacheFiles: { load: () => null, save: async () => undefined },
    derived: (make) => derived.get(make, scope),
    async close() {
      await derived.close();
      await keywordSearch.close();
    },
  };
  return scope;

  async function withCallerErrors<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw toCallerError(error);
    }
  }

  /** Restores the caller's idempotency key in an error, and removes names from outside. */
  function toCallerError(error: unknown): unknown {
    if (!(error instanceof RouxError)) return error;
    const { code, message, details, retryable } = error;
    if (code === 'NODE_EXISTS' && [details?.['path'], details?.['existing']].some((path) => typeof path === 'string' && !folders.has(path)))
      return new RouxError('NODE_EXISTS', 'There is something of this name already, in other letters. Choose another name.');
    const suffix = ` of ${name}`;
    const key = details?.['idempotency_key'];
    if (typeof key !== 'string') return error;
    return new RouxError(
      code,
      message.replaceAll(suffix, ''),
      { ...details, idempotency_key: key.replace(suffix, '') },
      { cause: error, retryable },
    );
  }
}
