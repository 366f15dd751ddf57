import { createHash } from 'node:crypto';
import { RouxError } from '../../errors.ts';
import { readFolders } from '../../folder-globs.ts';
import type { FolderScope } from '../../folder-globs.ts';
import { createSemanticSearch } from '../../graph/semantic/semantic-search.ts';
import { openSearch } from '../../graph/search/open-search.ts';
import type { NotePath } from '../../note/path.ts';
import { Derived } from '../derived.ts';
import type { WriteMeta } from '../plan/plan.ts';
import type { Vault } from '../vault.ts';
import { VAULT_IS_GONE, VAULT_IS_SHRUNK } from '../warnings.ts';
import { openScopeGraph } from './scope-graph.ts';
import { scopeEmbeddings } from './scope-embeddings.ts';
import { openScopePast } from './scope-past.ts';
import { inScope } from './scope-settings.ts';
import { checkWrite, needsWholeVault, planInWhole } from './scope-writes.ts';

/**
 * A vault as the bearer of a token sees it who may see some folders (V-04): what lies outside does not exist, nor does it count or change
 * what is found; writes end at the same border. `folders`: as `readFolders` takes them. One view for each list of folders, made on first
 * use and gone with the vault; it keeps a graph and a search index of what is inside.
 */
export function scopeVault(vault: Vault, folders: readonly string[]): Vault {
  return vault.derived(openScopes).of(folders);
}

function openScopes(vault: Vault): { of(folders: readonly string[]): Vault; close(): Promise<void> } {
  const open = new Map<string, Vault>();
  return {
    of(given) {
      const folders = readFolders(given);
      const key = JSON.stringify(folders.patterns);
      const scope = open.get(key) ?? openScope(vault, folders, createHash('sha256').update(key).digest('hex').slice(0, 16));
      open.set(key, scope);
      return scope;
    },
    async close() {
      await Promise.all([...open.values()].map((scope) => scope.close()));
      open.clear();
    },
  };
}

/** `name`: of this view among those of the vault; it is in no answer. */
function openScope(whole: Vault, folders: FolderScope, name: string): Vault {
  const scoped = openScopeGraph(whole, folders);
  const { graph } = scoped;
  const ready = whole.ready.then(() => scoped.fill());
  // Whoever asks something waits for it, and is told.
  ready.catch(() => undefined);
  const meaning = scopeEmbeddings(whole.embeddings, { graph, name });
  const readText = (path: NotePath): string | null => (folders.has(path) ? whole.peek(path) : null);
  const words = openSearch({ graph, readText, log: whole.ports.log, isStartedOnDemand: true });
  graph.onChange((changes) => words.follow(changes));
  const derived = new Derived();

  // Others may have used the same key: theirs are other ones.
  const keyOf = (key: string): string => `${key} of ${name}`;
  const metaOf = ({ basedOn: _basedOn, ...meta }: WriteMeta): WriteMeta => ({
    ...meta,
    ...(meta.idempotencyKey === undefined ? {} : { idempotencyKey: keyOf(meta.idempotencyKey) }),
    check: (files) => checkWrite(whole, folders, meta.operation, files),
  });
  const { past, mustBeAt } = openScopePast(whole, { graph, folders, metaOf });
  const ofWhole = (what: string) => async (): Promise<never> => {
    throw needsWholeVault(what);
  };

  const scope: Vault = {
    ...past,
    graph,
    ready,
    // What it shows is there once all of the vault is.
    reading: () => null,
    readAhead: async () => false,
    embeddings: meaning,
    search: createSemanticSearch({ graph, readText, keywordSearch: words, embeddings: meaning }),
    root: whole.root,
    get config() {
      return whole.config;
    },
    ports: whole.ports,
    isShared: whole.isShared,
    // What is told of the vault as a whole names files anywhere in it.
    warnings: () => whole.warnings().filter((warning) => warning === VAULT_IS_GONE || warning === VAULT_IS_SHRUNK),
    reports: [],
    held: () => whole.held(),
    alerts: () => whole.alerts(),
    acceptLosses: ofWhole('Accepting that notes are gone'),
    read: async (path) => (folders.has(path) ? whole.read(path) : null),
    async *readInChunks(path) {
      if (folders.has(path)) yield* whole.readInChunks(path);
    },
    glance: (path) => (folders.has(path) ? whole.glance(path) : null),
    peek: readText,
    configure: (config) => whole.configure(config),
    linkStyle: () => whole.linkStyle(),
    obsidian: (file) => inScope(file, whole.obsidian(file), folders),
    readAttachment: (path) => (folders.has(path) ? whole.readAttachment(path) : null),
    isHidden: (path) => whole.isHidden(path),
    timesOf: (path) => (folders.has(path) ? whole.timesOf(path) : null),
    refresh: (depth) => whole.refresh(depth),
    writesEnded: () => whole.writesEnded(),
    async write(meta, makePlan) {
      const { basedOn } = meta;
      const done = await inOwnWords(() =>
        whole.write(metaOf(meta), async () => {
          mustBeAt(basedOn);
          return planInWhole(whole.graph, folders, await makePlan(graph));
        }),
      );
      if (done.isReplay === true && basedOn !== undefined) basedOn.isChecked = true;
      return done;
    },
    told: {
      find: (key, payload) => {
        try {
          return whole.told.find(keyOf(key), payload);
        } catch (error) {
          throw withoutName(error);
        }
      },
      keep: (key, payload, answer) => whole.told.keep(keyOf(key), payload, answer),
    },
    // It is for all notes, and made anew in a moment for some.
    kept: { load: () => null, save: async () => undefined },
    carryOut: ofWhole('Ending an unfinished write'),
    review: ofWhole('Reviewing what agents changed'),
    acceptReview: ofWhole('Accepting what agents changed'),
    sizes() {
      throw needsWholeVault('Telling the sizes of history and trash');
    },
    movedTo(linkpath) {
      const path = whole.movedTo(linkpath);
      return path !== null && folders.has(path) ? path : null;
    },
    originalOf: (id, paths) => whole.originalOf(id, paths),
    checkRecords: ofWhole('Checking what roux keeps of its writes'),
    repairRecords: ofWhole('Repairing what roux keeps of its writes'),
    verify: ofWhole('Looking for what is wrong in a vault'),
    onChange: (listener) =>
      whole.onChange((paths) => {
        const inside = paths.filter((path) => folders.has(path));
        if (inside.length > 0) listener(inside);
      }),
    derived: (make) => derived.get(make, scope),
    async close() {
      await derived.close();
      await words.close();
    },
  };
  return scope;

  async function inOwnWords<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw withoutName(error);
    }
  }

  /** An error in which a key of the caller's is called as the caller calls it, and nothing outside is named. */
  function withoutName(error: unknown): unknown {
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
