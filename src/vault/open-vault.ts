import { setTimeout } from 'node:timers/promises';
import { errorMessage } from '../errors.ts';
import { isNotePath } from '../note/path.ts';
import { pathsLeftBy } from '../store/records/feed.ts';
import { createCode } from './code/code.ts';
import { Derived } from './derived.ts';
import { createWrites, createHealth, createHistory, createNotes, createSearch, createSettings } from './vault-ports.ts';
import type { Counters } from './sync/put-notes.ts';
import type { VaultOptions } from './vault-options.ts';
import { makeParts } from './vault-parts.ts';
import type { VaultParts } from './vault-parts.ts';
import type { Vault } from './vault.ts';
import { VAULT_IS_GONE } from './warnings.ts';

export type { VaultOptions } from './vault-options.ts';

/** Delay before following starts, so that calls that waited for the graph are answered first. */
const FIRST_ANSWERS_MS = 50;

/** A vault with the counters that cost tests read. */
export interface CountedVault extends Vault {
  readonly counters: Readonly<Counters>;
}

/**
 * Opens a folder of notes: makes the parts, connects them, and starts to read. Returns at once; `ready` resolves when the first scan is
 * done. Throws `VAULT_NOT_FOUND` for anything but a readable folder.
 */
export function openVault(options: VaultOptions): CountedVault {
  const parts = makeParts(options);
  connect(parts);
  const running = new Running(parts);
  const { ports, graph, sync, store, embeddings, attachmentTexts, saver } = parts;
  const derived = new Derived();
  const vault: CountedVault = {
    ports,
    graph,
    counters: sync.counters,
    notes: createNotes(parts),
    search: createSearch(parts),
    writes: createWrites(parts),
    history: createHistory(parts),
    settings: createSettings(parts),
    health: createHealth(parts),
    code: createCode(parts.root),
    async refresh(depth) {
      embeddings.noteCall();
      attachmentTexts.noteCall();
      await parts.refresh(depth);
      await vault.history.loadOriginals();
    },
    cache: {
      load: (kind) => store.cache.load(kind),
      save: async (kind, bytes) => (saver === null ? undefined : store.cache.save(kind, bytes)),
      loadDerived: (name) => parts.cache?.derived.load(name) ?? null,
      saveLater: (name, pack) => saver?.saveLater(name, pack),
      exportVectors: () => embeddings.exportVectors(),
      importVectors: (bytes) => embeddings.importVectors(bytes),
    },
    derived: (make) => derived.get(make, vault),
    async close() {
      await running.close();
      await derived.close();
      parts.listeners.clear();
    },
  };
  return vault;
}

/** Connects the parts of a vault: what happens in one, and what others do then. */
function connect(parts: VaultParts): void {
  const {
    events,
    warnings,
    graph,
    sync,
    store,
    watching,
    external,
    index,
    repairs,
    originals,
    search,
    embeddings,
    attachmentTexts,
    textKeeper,
    cache,
    saver,
    listeners,
  } = parts;
  graph.onChange((changes) => {
    search.follow(changes);
    embeddings.applyChanges(changes);
    textKeeper.follow(changes);
  });
  cache?.onOutdated(() => saver?.mark());
  events.on('rootGone', () => warnings.set('root', VAULT_IS_GONE));
  events.on('rootBack', () => {
    warnings.clear('root');
    // Watches and known folder states are invalid after the folder was gone.
    sync.forgetFolders();
    watching.compareAll();
  });
  events.on('fileEvent', (path) => {
    attachmentTexts.follow([path]);
    // Their content is not compared, but the web page shows it.
    if (/\.(?:base|canvas)$/i.test(path) && graph.isAttachment(path)) for (const listener of listeners) listener([path]);
  });
  events.on('unsettled', (links) => repairs.followLater(links));
  sync.listen({
    onChanged(paths) {
      if (paths.some(isNotePath)) saver?.mark();
      attachmentTexts.follow(paths);
      for (const listener of listeners) listener(paths);
    },
    onListing: (folder) => watching.watchFirst(folder),
    onFolders: (folders) => watching.follow(folders),
    onBeingSaved: (milliseconds) => watching.soon(milliseconds),
  });
  store.listen({
    onEvents(recorded) {
      external.applyEvents(recorded);
      repairs.applyEvents(recorded);
      originals.applyEvents(recorded);
      sync.excuse(recorded.flatMap(pathsLeftBy));
    },
    onChanged: (paths) => index(paths),
    onReport: (message) => warnings.report(message),
  });
}

/** What runs in an open vault: the first scan, then following the disk, until it is closed. */
class Running {
  readonly #parts: VaultParts;
  readonly #following: Promise<void>;
  #isClosed = false;

  constructor(parts: VaultParts) {
    const { scan, writer, repairs, watching, isFollowing, ports, root } = parts;
    this.#parts = parts;
    if (isFollowing) watching.open();
    scan.start({
      onChanges(changes, how) {
        writer.follow(changes);
        repairs.follow(changes, how);
      },
      onEnd: () => {
        if (isFollowing && !this.#isClosed) repairs.start();
      },
    });
    this.#following = this.#follow();
    this.#following.catch((error: unknown) => ports.log.error(`Following ${root} failed: ${errorMessage(error)}`));
  }

  async #follow(): Promise<void> {
    const { scan, isFollowing, warmStart, watching, sharing, search, embeddings, attachmentTexts, textKeeper } = this.#parts;
    await scan.ready;
    if (!isFollowing) return warmStart.end();
    // Changes during this delay are heard of, or found by the comparison that watching starts with.
    await setTimeout(FIRST_ANSWERS_MS);
    warmStart.end();
    if (!this.#isClosed) await watching.start();
    if (!this.#isClosed) sharing?.follow();
    if (!this.#isClosed) search.start();
    if (!this.#isClosed) embeddings.start();
    if (!this.#isClosed) void attachmentTexts.start();
    if (!this.#isClosed) textKeeper.start();
  }

  /** Finishes writes, saves the cache and stops following. */
  async close(): Promise<void> {
    const { scan, repairs, writer, store, watching, embeddings, attachmentTexts, textKeeper, saver, search } = this.#parts;
    this.#isClosed = true;
    await repairs.stop();
    await writer.close();
    await store.close();
    await scan.ready.catch(() => undefined);
    await watching.stop();
    await embeddings.close();
    await attachmentTexts.close();
    await textKeeper.close();
    await this.#following.catch(() => undefined);
    await saver?.close();
    await search.close();
  }
}
