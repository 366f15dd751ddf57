import type { BlockedPeriod } from '../watchdog/at-work.ts';
import { setTimeout } from 'node:timers/promises';
import { errorMessage } from '../errors.ts';
import { createSemanticSearch } from '../graph/semantic/semantic-search.ts';
import { openGraph } from '../graph/open-graph.ts';
import { openSearch } from '../graph/search/open-search.ts';
import { isNotePath } from '../note/path.ts';
import { isoNow } from '../ports.ts';
import { createGitActivity } from '../store/folder/git.ts';
import { holdWhileRunning } from '../store/folder/hold-while-running.ts';
import { openNodeFileSystem } from '../store/folder/node-file-system.ts';
import { thisProcess } from '../store/folder/process-identity.ts';
import { findRoot, requireReadable } from '../store/folder/root.ts';
import { openFolderWatch } from '../store/folder/watch.ts';
import { pathsLeftBy } from '../store/records/feed.ts';
import { createAcceptedDeletions } from './cache/accepted-deletions.ts';
import { openCacheSaver } from './cache/cache-saver.ts';
import { createCache } from './cache/cache.ts';
import { createWarmStart } from './cache/warm-start.ts';
import { Derived } from './derived.ts';
import { listMovedNotes } from './links/moved-notes.ts';
import { createOriginalFinder } from './history/originals.ts';
import { openRepairs } from './links/repair.ts';
import { UnsettledLinks } from './links/unsettled-links.ts';
import { noEmbedder, openEmbeddings } from './embeddings/open-embeddings.ts';
import { openExternalEdits } from './plan/external-edits.ts';
import { createEventHistory, sizesOf } from './history/vault-history.ts';
import { openWriter } from './plan/write.ts';
import { createWrites } from './plan/writer.ts';
import { runInitialScan } from './initial-scan.ts';
import { isWritable, createReads, readText, savedAt, textOf } from './read-files.ts';
import { createVaultSettings, updateHidden } from './settings.ts';
import { openStore } from './sharing/open-store.ts';
import { loadHeldNotes } from './sync/held-notes.ts';
import type { Counters } from './sync/put-notes.ts';
import { readAhead } from './sync/read-ahead.ts';
import { readNoteNow, refreshNote } from './sync/read-note-now.ts';
import { openRefresh } from './sync/refresh.ts';
import { openRootCheck } from './sync/root-check.ts';
import { openSync } from './sync/sync.ts';
import { defaultPace, openWatching } from './sync/watching.ts';
import type { VaultOptions } from './vault-options.ts';
import type { Vault } from './vault.ts';
import { findDrift, listLeftovers } from './verify.ts';
import { VAULT_IS_GONE, listAlerts, listUnreadable, listVaultWarnings, createWarnings } from './warnings.ts';

export type { VaultOptions } from './vault-options.ts';

/** Delay before following starts, so that calls that waited for the graph are answered first. */
const FIRST_ANSWERS_MS = 50;

/** A vault with the counters that cost tests read. */
export interface CountedVault extends Vault {
  readonly counters: Readonly<Counters>;
}

/**
 * Opens a folder of notes. Builds the parts in the order in which a note passes through them: from the folder to the answer, then from a
 * plan to the folder. Returns at once; `ready` resolves when the first scan is done. Throws `VAULT_NOT_FOUND` for anything but a readable
 * folder.
 */
export function openVault(options: VaultOptions): CountedVault {
  const { config, ports, program, isFollowing = true, openWatch = openFolderWatch, share = null } = options;
  const root = findRoot(options.root);
  const warnings = createWarnings();

  // Folder, store: paths and bytes.
  const files = (options.openFileSystem ?? openNodeFileSystem)(root);
  requireReadable(files, root);
  const reader = holdWhileRunning(files);
  const self = thisProcess();
  const git = createGitActivity(root, () => files.now());
  const isWhole = (): boolean => !sync.isShrunk && rootCheck.look() !== 'gone';
  const { store, sharing } = openStore({ files, root, ports, config, self, git, warnings, share, isWhole });

  const canPersist = !config.readOnly && isWritable(files);
  let heldThread: BlockedPeriod | null = null;
  options.watchMainThread?.(canPersist, (held) => warnings.report((heldThread = held).message));

  const held = loadHeldNotes(store.cache);
  // Bytes to notes, notes to the graph, the graph to answers.
  const settings = createVaultSettings(config, files, warnings, isFollowing ? ports.log : null);
  const graph = openGraph();
  const losses = createAcceptedDeletions(store.cache);
  const unsettled = new UnsettledLinks(() => files.now());
  const sync = openSync({
    files: reader,
    graph,
    isHidden: settings.isHidden,
    held,
    isMeant: (since) => git.hasMovedSince(since) || losses.isAccepted(since),
    onSaved: (path, before, after) => unsettled.noticeSave(path, before, after),
  });
  const warmStart = createWarmStart(graph, options.onWarmStart);
  const cache = program === undefined ? null : createCache(store.cache, program);
  const search = openSearch({
    graph,
    log: ports.log,
    readText: (path) => readText(reader, path),
    ...(cache === null ? {} : { snapshot: cache.search, isStartedOnDemand: isFollowing }),
  });
  const rootCheck = openRootCheck(files, {
    onGone: () => warnings.set('root', VAULT_IS_GONE),
    // Watches and known folder states are invalid after the folder was gone.
    onBack() {
      warnings.clear('root');
      sync.forgetFolders();
      watching.compareAll();
    },
  });
  const pace = { ...defaultPace, ...options.pace };
  const watching = openWatching({
    files,
    root,
    git,
    sync,
    rootCheck,
    warnings,
    openWatch: sharing?.wrapWatch(openWatch) ?? openWatch,
    pace,
    onUnheard: (folder) => sharing?.touched(folder),
    onFailure: (message) => ports.log.error(`Following ${root} failed: ${message}`),
  });
  const isTold = (): boolean => !isFollowing || watching.isStarted;
  const { catchUp, refresh } = openRefresh({ ready: () => ready, isTold, sync, store, rootCheck });

  // Plans to transactions of the store.
  const external = openExternalEdits(ports, graph);
  const index: Parameters<typeof openWriter>[0]['index'] = (paths, how = { isOwn: true }) => {
    sync.look(paths, how);
    if (sync.hasMarks) watching.soon();
  };
  const writer = openWriter({
    store,
    ports,
    config,
    graph,
    external,
    catchUp,
    index,
    sync,
    settings,
    rootCheck,
    unsettled,
    onUnsettled: (links) => repairs.followLater(links),
    isRecording: isFollowing,
  });
  const reads = createReads(reader, graph);
  const repairs = openRepairs({
    mode: config.repairExternalRenames,
    isReadOnly: config.readOnly,
    git,
    graph,
    contextOf: (current) => ({
      graph: current,
      readText: (path) => textOf(reads.readAttachment(path)),
      style: settings.linkStyle(),
      at: isoNow(ports.clock),
    }),
    write: (makePlan) => writer.write({ operation: 'repair', agent: settings.config.agent ?? 'roux' }, makePlan),
    savedAt: (path) => savedAt(reader, path),
    now: () => files.now(),
    pause: pace.repair,
    report: (from, message) => (message === null ? warnings.clear(`moved ${from}`) : warnings.set(`moved ${from}`, message)),
    onFailure: (message) => ports.log.warn(`Links that a rename broke could not be repaired: ${message}`),
  });
  const saved = canPersist ? cache : null;
  const embeddings = openEmbeddings({
    choice: options.embedding ?? noEmbedder,
    graph,
    readText: (path) => readText(reader, path),
    ready: () => ready,
    files: store.cache,
    self,
    ports,
    canEmbed: isFollowing && canPersist,
  });
  const saver = saved && openCacheSaver({ cache: saved, graph, sync, search, log: ports.log, isHeldBack: writer.hasUnrecordedEdits });

  const listeners = new Set<(paths: readonly string[]) => void>();
  graph.onChange((changes) => {
    search.follow(changes);
    embeddings.applyChanges(changes);
  });
  cache?.onMissing(() => saver?.mark());
  sync.listen({
    onChanged(paths) {
      if (paths.some(isNotePath)) saver?.mark();
      for (const listener of listeners) listener(paths);
    },
    onFolders: (folders) => watching.follow(folders),
    onBeingSaved: (milliseconds) => watching.soon(milliseconds),
  });
  store.listen({
    onEvents(events) {
      external.applyEvents(events);
      repairs.applyEvents(events);
      sync.excuse(events.flatMap(pathsLeftBy));
    },
    onChanged: (paths) => index(paths),
    onReport: (message) => warnings.report(message),
  });

  let isClosed = false;
  const shouldFollow = (): boolean => isFollowing && !isClosed;
  const ready = runInitialScan({ store, warnings, cache, warmStart, sync, graph, writer, repairs, shouldFollow });
  const followed = ready.then(async () => {
    if (!isFollowing) return warmStart.end();
    // Changes during this delay are found by the comparison that watching starts with.
    await setTimeout(FIRST_ANSWERS_MS);
    warmStart.end();
    if (!isClosed) await watching.start();
    if (!isClosed) sharing?.follow();
    if (!isClosed) search.start();
    if (!isClosed) embeddings.start();
  });
  followed.catch((error: unknown) => ports.log.error(`Following ${root} failed: ${errorMessage(error)}`));
  const { isHidden } = settings;
  const andFollow = <T>(found: T): T => {
    if (sync.hasMarks) watching.soon();
    return found;
  };
  const derived = new Derived();
  let hidingUpdate = Promise.resolve();
  const vault: CountedVault = {
    ports,
    graph,
    counters: sync.counters,
    notes: {
      read: async (path) => andFollow(await readNoteNow({ files: reader, sync, path })),
      refresh: async (path) => andFollow(await refreshNote({ files: reader, sync, path })),
      ...reads,
      readAhead: (path) => readAhead({ graph, sync, path }),
      onChange: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
    },
    search: createSemanticSearch({ graph, readText: (path) => readText(reader, path), keywordSearch: search, embeddings }),
    writes: createWrites(store, writer),
    history: {
      ...createEventHistory({ root, graph, store, writer, refresh: () => refresh('changed'), now: () => ports.clock.now() }),
      movedNotes: () => ready.then(() => listMovedNotes(store.records.events, repairs.pathHistory, graph)),
      findMovedNote: (linkpath) => repairs.findMovedNote(linkpath),
      findOriginal: createOriginalFinder(store.records.events),
    },
    settings: {
      root,
      isShared: sharing !== null,
      get config() {
        return settings.config;
      },
      configure(next) {
        if (settings.apply(next)) hidingUpdate = hidingUpdate.then(() => ready).then(() => updateHidden({ graph, sync, isHidden }));
        return hidingUpdate;
      },
      linkStyle: settings.linkStyle,
      obsidian: settings.obsidian,
      isHidden,
    },
    health: {
      ready,
      readingProgress: () => sync.reading(),
      reports: warnings.reports,
      lastStall: () => heldThread,
      warnings: () => listVaultWarnings({ warnings, sync, graph }),
      alerts: () => ready.then(() => listAlerts({ rootCheck, sync, sharing })),
      acceptDeletions: () => losses.accept(files.now()),
      sizes: () => sizesOf(store),
      async verify({ rebuild }) {
        await ready;
        const drift = rebuild ? await findDrift({ files: reader, graph, isHidden, held, catchUp: () => refresh('strict') }) : [];
        return { ...listLeftovers(store), drift, unreadable: listUnreadable(sync) };
      },
      checkRecords: () => store.check(),
      repairRecords: () => store.repair(),
    },
    refresh(depth) {
      embeddings.noteCall();
      return refresh(depth);
    },
    cacheFiles: saved === null ? { load: (kind) => store.cache.load(kind), save: async () => undefined } : store.cache,
    derived: (make) => derived.get(make, vault),
    async close() {
      isClosed = true;
      await repairs.stop();
      await writer.close();
      await store.close();
      await ready.catch(() => undefined);
      await watching.stop();
      await embeddings.close();
      await followed.catch(() => undefined);
      await saver?.close();
      await search.close();
      await derived.close();
      listeners.clear();
    },
  };
  return vault;
}
