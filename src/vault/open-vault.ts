import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { nodeDisk } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import { nodeFileSystem } from '../disk/file-system.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { openFolderWatch } from '../disk/watch.ts';
import type { OpenWatch } from '../disk/watch.ts';
import { errorMessage } from '../errors.ts';
import { openGraph } from '../graph/open-graph.ts';
import { openSearch } from '../graph/search/open-search.ts';
import { isNotePath } from '../note/path.ts';
import type { Ports } from '../ports.ts';
import { openCache } from './cache/cache.ts';
import { openKeeping } from './cache/save-cache.ts';
import { findDrift, listJournal } from './examine.ts';
import { openGitActivity } from './git-activity.ts';
import { openHiddenRules } from './ignore.ts';
import { readFormerPlaces } from './links/former-places.ts';
import { linkStyleOf } from './links/link-style.ts';
import { openRepairs } from './links/repair.ts';
import { openLogbook } from './logbook.ts';
import { findRoot, isWritable, readObsidianSettings, readText, savedAt, textOf } from './root.ts';
import { defaultPace, openFollowing } from './sync/following.ts';
import type { Pace } from './sync/following.ts';
import type { Counters } from './sync/put-notes.ts';
import { readStable } from './sync/read-stable.ts';
import { openSync } from './sync/sync.ts';
import type { Vault } from './vault.ts';
import { describeSkipped, describeTwins, openWarnings } from './warnings.ts';
import { homeFiles, openWriter } from './writer.ts';

/** What a vault is opened with. */
export interface VaultOptions {
  readonly root: string;
  readonly config: Config;
  readonly ports: Ports;
  /** False: read once and do not watch, for one-shot commands. */
  readonly isFollowing?: boolean;
  readonly disk?: Disk;
  /** The disk of the write path. */
  readonly files?: FileSystem;
  readonly openWatch?: OpenWatch;
  readonly pace?: Partial<Pace>;
  /** False: neither use nor save what is kept for the next start. */
  readonly isCaching?: boolean;
}

/** So many milliseconds belong to the calls that waited for the graph. */
const FIRST_ANSWERS = 50;

/** A vault with the counts that tests of cost look at. */
export interface CountedVault extends Vault {
  readonly counters: Readonly<Counters>;
}

/**
 * Open a folder of notes. Returns at once; the first scan runs in slices, and `ready` tells when the graph is complete.
 * Throws `VAULT_NOT_FOUND` for what is no readable folder.
 */
export function openVault(options: VaultOptions): CountedVault {
  const { config, ports, disk = nodeDisk(), files = nodeFileSystem() } = options;
  const root = findRoot(disk, options.root);
  const graph = openGraph();
  const warnings = openWarnings();
  const hidden = openHiddenRules({ ignore: config.ignore, obsidianSettings: readObsidianSettings(disk, root) });
  for (const warning of hidden.warnings) warnings.set(warning, warning);

  const listeners = new Set<(paths: readonly string[]) => void>();
  const sync = openSync({
    disk,
    root,
    graph,
    isHidden: (path) => hidden.isHidden(path),
    listener: {
      onChanged: (paths) => {
        if (paths.some(isNotePath)) keeping?.mark();
        for (const listener of listeners) listener(paths);
      },
      onFolders: (folders) => following.follow(folders),
      onUnsettled: (milliseconds) => following.soon(milliseconds),
    },
  });
  const pace = { ...defaultPace, ...options.pace };
  const following = openFollowing({
    disk,
    root,
    sync,
    warnings,
    openWatch: options.openWatch ?? openFolderWatch,
    pace,
    onFailure: (message) => ports.log.error(`Following ${root} failed: ${message}`),
  });

  const isCaching = options.isCaching !== false;
  const maySave = isCaching && !config.readOnly && isWritable(disk, root);
  const cache = openCache({ disk, files, root, homeFiles, newId: () => ports.newId() });
  const loadIndex = async (): Promise<Uint8Array | null> => {
    const bytes = await cache.search.load();
    if (bytes === null) keeping?.mark();
    return bytes;
  };
  const search = openSearch({
    graph,
    log: ports.log,
    readText: (path) => readText(disk, `${root}/${path}`),
    ...(isCaching ? { snapshot: { load: loadIndex, save: (bytes) => cache.search.save(bytes) } } : {}),
  });
  graph.onChange((changes) => search.follow(changes));

  const refresh = async (depth: 'changed' | 'strict'): Promise<void> => {
    await ready;
    if (depth === 'strict') return sync.reconcile();
    // The kernel may know of changes that this process has not been told of yet.
    await setImmediate();
    return sync.flush();
  };
  const git = openGitActivity(disk, root);
  const writer = openWriter({
    root,
    files,
    ports,
    config,
    graph,
    catchUp: refresh,
    index(paths) {
      sync.look(paths, { isOwn: true });
      if (sync.hasMarks) following.soon();
    },
    isShrunk: () => sync.isShrunk,
    git,
  });

  const linkStyle = () => linkStyleOf(config, readObsidianSettings(disk, root));
  // A copy: the disk reads into a buffer that it uses again.
  const readAttachment = (path: string): Uint8Array | null =>
    graph.isAttachment(path) ? Uint8Array.from(disk.read(`${root}/${path}`, { follow: true })?.bytes ?? []) : null;
  const repairs = openRepairs({
    mode: config.readOnly && config.repairExternalRenames === 'fix' ? 'report' : config.repairExternalRenames,
    git,
    graph,
    contextOf: (current) => ({
      graph: current,
      readText: (path) => textOf(readAttachment(path)),
      style: linkStyle(),
      at: new Date(ports.clock.now()).toISOString(),
    }),
    write: (makePlan) => writer.write({ operation: 'repair', agent: config.agent ?? 'roux' }, makePlan),
    savedAt: (path) => savedAt(disk, `${root}/${path}`),
    now: () => disk.now(),
    pause: pace.repair,
    report: (from, message) => (message === null ? warnings.clear(`moved ${from}`) : warnings.set(`moved ${from}`, message)),
    onFailure: (message) => ports.log.warn(`Links that a rename broke could not be repaired: ${message}`),
  });

  const keeping = maySave ? openKeeping({ cache, graph, sync, search, log: ports.log }) : null;

  let isClosed = false;
  const scan = async (): Promise<void> => {
    await setImmediate();
    try {
      for (const report of await writer.recover()) {
        warnings.set(report, report);
        ports.log.warn(report);
      }
    } catch (error) {
      // What cannot be recovered now is tried again before the first write; reading goes on.
      warnings.set('recovery', `An unfinished write could not be ended yet: ${errorMessage(error)}`);
    }
    if (isCaching) await sync.fill((isHidden) => cache.load(isHidden));
    // What differs from the last run's cache was edited from outside; without one everything is merely new here.
    const isWarm = graph.size > 0;
    let isOpening = true;
    const followAll = (): void => {
      graph.onChange((changes) => {
        writer.follow(changes);
        repairs.follow(changes, { isOpening });
      });
    };
    if (isWarm) followAll();
    await sync.reconcile();
    isOpening = false;
    if (!isWarm) followAll();
    if (options.isFollowing !== false && !isClosed) repairs.start();
  };
  const ready = scan();
  const followed = ready.then(async () => {
    if (options.isFollowing === false) return;
    // Those who waited for the graph are answered first; what happens meanwhile is found by the comparison that watching begins with.
    await setTimeout(FIRST_ANSWERS);
    if (!isClosed) await following.start();
    if (!isClosed) search.start();
  });
  followed.catch((error: unknown) => ports.log.error(`Following ${root} failed: ${errorMessage(error)}`));

  return {
    root,
    config,
    ports,
    graph,
    ready,
    counters: sync.counters,
    search,
    warnings: () => [
      ...warnings.list(),
      ...(sync.isShrunk
        ? ['More than half of the notes vanished within seconds; nothing is written until they are back or the vault is opened anew.']
        : []),
      ...describeSkipped(sync.inventory, sync.unreadable),
      ...describeTwins(graph),
    ],
    read(path) {
      const found = readStable({ disk, root, sync, path });
      if (sync.hasMarks) following.soon();
      return found;
    },
    peek: (path) => readText(disk, `${root}/${path}`),
    linkStyle,
    readAttachment,
    refresh,
    write: (meta, makePlan) => writer.write(meta, makePlan),
    history: (query) => writer.history(query),
    undo: (meta, query) => writer.undo(meta, query),
    restore: (meta, reference) => writer.restore(meta, reference),
    trash: () => writer.trash(),
    async formerPlaces() {
      await ready;
      const places = await readFormerPlaces(openLogbook(files, `${root}/.roux`).events);
      for (const [from, to] of repairs.places.entries()) if (places.entries().get(from) !== to) places.move(from, to);
      const isFree = (path: string): boolean => graph.get(path) === null && !graph.isAttachment(path);
      return new Map([...places.entries()].filter(([from, to]) => isFree(from) && !isFree(to)));
    },
    async examine({ rebuild }) {
      await ready;
      const drift = rebuild
        ? await findDrift({ disk, root, graph, isHidden: (path) => hidden.isHidden(path), catchUp: () => refresh('strict') })
        : [];
      return { journal: listJournal(disk, root), setAside: await writer.setAsides.list(), drift };
    },
    forgetSetAside: (id) => writer.setAsides.forget(id),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      isClosed = true;
      await repairs.stop();
      await writer.close();
      await ready.catch(() => undefined);
      await following.stop();
      await followed.catch(() => undefined);
      await keeping?.close();
      await search.close();
      listeners.clear();
    },
  };
}
