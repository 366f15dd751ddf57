import { EventEmitter } from 'node:events';
import { join, relative, sep } from 'node:path';
import { openGraph } from '../graph/open-graph.ts';
import { openSearch } from '../graph/search/open-search.ts';
import { isoNow } from '../ports.ts';
import { createGitActivity } from '../store/folder/git.ts';
import { holdWhileRunning } from '../store/folder/hold-while-running.ts';
import { openNodeFileSystem } from '../store/folder/node-file-system.ts';
import { nameProcess, thisProcess } from '../store/folder/process-identity.ts';
import { findRoot, requireReadable } from '../store/folder/root.ts';
import { openFolderWatch } from '../store/folder/watch.ts';
import type { OpenWatch } from '../store/folder/watch.ts';
import { openFolderStore } from '../store/open-folder-store.ts';
import type { BlockedPeriod } from '../watchdog/at-work.ts';
import { openAttachmentTexts } from './attachments/open-texts.ts';
import { createAcceptedDeletions } from './cache/accepted-deletions.ts';
import { CacheSaver } from './cache/cache-saver.ts';
import { cacheProgram, createCache } from './cache/cache.ts';
import { createWarmStart } from './cache/warm-start.ts';
import { noEmbedder } from './embeddings/embedders.ts';
import { openEmbeddings } from './embeddings/open-embeddings.ts';
import { InitialScan } from './initial-scan.ts';
import { Originals } from './history/originals.ts';
import { TextKeeper } from './cache/text-keeper.ts';
import { WriteCounts } from './history/write-counts.ts';
import { Repairs } from './links/repair.ts';
import { UnsettledLinks } from './links/unsettled-links.ts';
import type { UnsettledLink } from './links/unsettled-links.ts';
import { ExternalEdits } from './plan/external-edits.ts';
import { reapplyChanges } from './plan/note-text.ts';
import { openWriter } from './plan/write.ts';
import type { WriterOptions } from './plan/writer.ts';
import { createReads, isWritable, readText, savedAt, textOf } from './read-files.ts';
import { createVaultSettings } from './settings.ts';
import { openSharing } from './sharing/open-sharing.ts';
import { NotesAhead } from './sync/first/read-ahead.ts';
import { loadHeldNotes } from './sync/held-notes.ts';
import { openRefresh } from './sync/refresh.ts';
import { openRootCheck } from './sync/root-check.ts';
import { Sync } from './sync/sync.ts';
import { defaultPace, Watching } from './sync/watching.ts';
import type { VaultOptions } from './vault-options.ts';
import { createWarnings } from './warnings.ts';

/** The parts of an open vault. */
export type VaultParts = ReturnType<typeof makeParts>;

/** What a part has to tell parts that are made after it. */
interface EarlyEvents {
  /** The folder of the vault disappeared, or is there again. */
  readonly rootGone: [];
  readonly rootBack: [];
  /** Something happened to a file, by its path, or to an unknown one in a folder, by the folder's path. */
  readonly fileEvent: [path: string];
  /** A write moved the targets of these links, which must be rewritten once their notes are saved. */
  readonly unsettled: [links: readonly UnsettledLink[]];
}

/**
 * Makes the parts of a vault, each from those above it, in the order in which a note passes through them: from the folder to the answer,
 * then from a plan to the folder. No note is read yet, and no part follows what happens in another one until they are connected.
 */
export function makeParts(options: VaultOptions) {
  const disk = makeDisk(options);
  const reading = makeReading(options, disk);
  const following = makeFollowing(options, { ...disk, ...reading });
  const writing = makeWriting(options, { ...disk, ...reading, ...following });
  /** Called when notes or attachments changed. */
  const listeners = new Set<(paths: readonly string[]) => void>();
  const { isFollowing = true } = options;
  const ports = { process: nameProcess(disk.self), ...options.ports };
  return { ports, isFollowing, listeners, ...disk, ...reading, ...following, ...writing };
}

/** The folder and its store: paths and bytes. */
function makeDisk({ config, ports, openFileSystem = openNodeFileSystem, share = null, watchMainThread, ...options }: VaultOptions) {
  const root = findRoot(options.root);
  const warnings = createWarnings();
  const files = openFileSystem(root);
  requireReadable(files, root);
  const reader = holdWhileRunning(files);
  const self = thisProcess();
  const git = createGitActivity(root, () => files.now());
  const folder = openFolderStore({
    files,
    ports,
    self,
    git,
    reapply: reapplyChanges,
    isShared: share !== null,
    isReadOnly: config.readOnly,
    isSynced: config.durability === 'full',
    trashDays: config.trashDays,
  });
  const canPersist = !config.readOnly && isWritable(files);
  let lastStall: BlockedPeriod | null = null;
  watchMainThread?.(canPersist, (held) => warnings.report((lastStall = held).message));
  return {
    root,
    warnings,
    files,
    reader,
    self,
    git,
    folder,
    canPersist,
    lastStall: () => lastStall,
    events: new EventEmitter<EarlyEvents>(),
  };
}

type Disk = ReturnType<typeof makeDisk>;

/** Bytes to notes, notes to the graph, the graph to answers. */
function makeReading({ config, ports, program, isFollowing = true, onHeavyWork }: VaultOptions, disk: Disk) {
  const { files, reader, folder, git, warnings } = disk;
  const held = loadHeldNotes(folder.cache);
  const settings = createVaultSettings(config, files, warnings, isFollowing ? ports.log : null);
  const graph = openGraph();
  graph.nameBundles(settings.bundles());
  const losses = createAcceptedDeletions(folder.cache);
  const unsettled = new UnsettledLinks(() => files.now());
  const sync = new Sync({
    files: reader,
    graph,
    isHidden: settings.isHidden,
    held,
    isMeant: (since) => git.hasMovedSince(since) || losses.isAccepted(since),
    onSaved: (path, before, after) => unsettled.noticeSave(path, before, after),
  });
  const warmStart = createWarmStart(graph, onHeavyWork);
  const cache = program === undefined ? null : createCache(folder.cache, () => cacheProgram(program, settings.config));
  const notesAhead = new NotesAhead({ files: reader, graph, sync, isHidden: settings.isHidden, held });
  const search = openSearch({
    graph,
    unread: () => (sync.firstScan.knowsUnread ? notesAhead : null),
    log: ports.log,
    readText: (path, hash) => (hash === undefined ? null : sync.recentWrites.textOf(hash)) ?? readText(reader, path),
    ...(cache === null ? {} : { snapshot: cache.search, isStartedOnDemand: isFollowing }),
  });
  return { held, settings, graph, losses, unsettled, sync, warmStart, cache, search };
}

/** What keeps the graph up to date with the folder and, where there is one, with the shared vault. */
function makeFollowing(
  { ports, isFollowing = true, openWatch = openFolderWatch, share = null, ...options }: VaultOptions,
  parts: Disk & ReturnType<typeof makeReading>,
) {
  const { root, files, folder, git, warnings, events, graph, sync, cache, warmStart } = parts;
  const rootCheck = openRootCheck(files, {
    onGone: () => void events.emit('rootGone'),
    onBack: () => void events.emit('rootBack'),
  });
  const sharing =
    share === null
      ? null
      : openSharing({
          folder,
          share,
          root,
          ports,
          mayPush: () => !sync.isShrunk && rootCheck.look() !== 'gone',
          onProblem: (message) => (message === null ? warnings.clear('store') : warnings.set('store', message)),
        });
  const store = sharing?.store ?? folder;
  const pace = { ...defaultPace, ...options.pace };
  const watching = new Watching({
    files,
    root,
    git,
    sync,
    rootCheck,
    warnings,
    openWatch: hearFiles(
      sharing?.wrapWatch(openWatch) ?? openWatch,
      (path) => void events.emit('fileEvent', relative(root, path).replaceAll(sep, '/')),
    ),
    pace,
    onUnheard: (path) => sharing?.touched(path),
    onFailure: (message) => ports.log.error(`Following ${root} failed: ${message}`),
  });
  const scan = new InitialScan({ store, warnings, cache, warmStart, sync, graph, onHeavyWork: options.onHeavyWork });
  const isTold = (): boolean => !isFollowing || watching.hearsAll;
  const { catchUp, refresh } = openRefresh({ ready: () => scan.ready, isTold, sync, store, rootCheck });
  return { rootCheck, sharing, store, pace, watching, scan, catchUp, refresh };
}

/** Wraps a watch to hear of files whose content is not compared: those that are no notes. */
function hearFiles(openWatch: OpenWatch, onEvent: (path: string) => void): OpenWatch {
  return (listener) =>
    openWatch({
      ...listener,
      onEvent(folder, name) {
        onEvent(name === null ? folder : join(folder, name));
        listener.onEvent(folder, name);
      },
    });
}

/** Plans to transactions of the store, and what is saved for the next start. */
function makeWriting(
  { root, config, ports, embedding = noEmbedder, isFollowing = true, pdfThread = {}, onHeavyWork }: VaultOptions,
  parts: Disk & ReturnType<typeof makeReading> & ReturnType<typeof makeFollowing>,
) {
  const { files, reader, git, self, canPersist, warnings, events, settings, graph, unsettled, sync, cache, search } = parts;
  const { store, sharing, rootCheck, pace, watching, scan, catchUp } = parts;
  const external = new ExternalEdits(ports, graph);
  const index: WriterOptions['index'] = (paths, how = { isOwn: true }) => {
    sync.look(paths, how);
    if (sync.hasMarks) watching.soon();
  };
  const counts = new WriteCounts(store.records.events, external);
  const writer = openWriter({
    store,
    ports,
    config,
    graph,
    external,
    counts,
    catchUp,
    index,
    sync,
    settings,
    rootCheck,
    unsettled,
    onHeavyWork,
    onUnsettled: (links) => void events.emit('unsettled', links),
    isRecording: isFollowing,
  });
  const reads = createReads({ root, files: reader, graph, counts });
  const originals = new Originals(store.records.events);
  const repairs = new Repairs({
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
  const embeddings = openEmbeddings({
    choice: embedding,
    graph,
    readText: (path) => readText(reader, path),
    ready: () => scan.ready,
    files: store.cache,
    self,
    ports,
    canEmbed: isFollowing,
    canSave: canPersist,
    shared: sharing?.vectors ?? null,
  });
  const attachmentTexts = openAttachmentTexts({
    files: reader,
    graph,
    cacheFiles: store.cache,
    self,
    ports,
    machine: embedding.machine,
    isFollowing,
    canPersist,
    thread: pdfThread,
    isHidden: settings.isHidden,
  });
  const textKeeper = new TextKeeper({
    texts: store.records.texts,
    graph,
    read: (path, how) => store.read(path, how),
    recentWrites: sync.recentWrites,
    log: ports.log,
    isOn: isFollowing && canPersist,
  });
  const saver =
    canPersist && cache !== null
      ? new CacheSaver({ cache, graph, sync, search, log: ports.log, isHeldBack: writer.hasUnrecordedEdits })
      : null;
  return { external, counts, index, writer, reads, repairs, originals, embeddings, attachmentTexts, textKeeper, saver };
}
