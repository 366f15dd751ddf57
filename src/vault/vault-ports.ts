import { isDeepStrictEqual } from 'node:util';
import { findRepository } from '../git/repository.ts';
import { HopSearch } from '../graph/hops/hop-search.ts';
import { openAttachments } from './attachments/attachments.ts';
import { revOf } from '../note/frontmatter/property-value.ts';
import { CREATED_KEYS } from '../note/frontmatter/reserved-keys.ts';
import type { Properties } from '../note/note.ts';
import type { CountOf } from './history/write-counts.ts';
import { createEventHistory, sizesOf } from './history/vault-history.ts';
import { listMovedNotes } from './links/moved-notes.ts';
import { readText } from './read-files.ts';
import { updateHidden } from './settings.ts';
import { readAhead } from './sync/first/read-ahead.ts';
import { readNoteNow, refreshNote } from './sync/read-note-now.ts';
import type { VaultParts } from './vault-parts.ts';
import type { Health, History, Notes, Settings, VaultSearch, Writes } from './vault.ts';
import { findDrift, listLeftovers } from './verify.ts';
import { listAlerts, listUnreadable, listVaultWarnings } from './warnings.ts';

/** Creates the port through which notes are read. */
export function createNotes({ reader, sync, graph, watching, counts, reads, listeners, embeddings }: VaultParts): Notes {
  const andFollow = <T>(found: T): T => {
    if (sync.hasMarks) watching.soon();
    return found;
  };
  /** Returns what counts the changes of a note of which, as far as is known, the history tells something. */
  const findCount = async (path: string): Promise<CountOf | null> =>
    isToldByHistory(graph.get(path)?.properties ?? {}) ? await counts.find(path) : null;
  return {
    async read(path) {
      const countOf = await findCount(path);
      const found = andFollow(await readNoteNow({ files: reader, sync, path }));
      if (found !== null) embeddings.want(found.note.path);
      if (found === null || !isToldByHistory(found.note.frontmatter.data)) return found;
      const count = countOf ?? (await counts.find(path));
      const rev = found.rev ?? count(found.isPartial ? null : found.hash);
      // A file that was replaced was made just now, and the note was not.
      return { ...found, rev, createdMs: Math.min(found.createdMs, counts.sinceOf(path) ?? Infinity) };
    },
    refresh: async (path) => andFollow(await refreshNote({ files: reader, sync, path })),
    ...reads,
    readAhead: (path) => readAhead({ graph, sync, path }),
    onChange: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
  };
}

/** Returns whether the frontmatter of a note leaves its `rev` or the time of its creation to the history. */
function isToldByHistory(data: Properties): boolean {
  return revOf(data) === null || CREATED_KEYS.every((key) => data[key] === undefined);
}

/** Creates the port of search. */
export function createSearch({ reader, graph, sync, search, embeddings, attachmentTexts }: VaultParts): VaultSearch {
  const notes = new HopSearch({ graph, readText: (path) => readText(reader, path), keywordSearch: search, embeddings });
  return Object.assign(notes, {
    attachments: openAttachments(attachmentTexts),
    findsUnread: () => sync.firstScan.knowsUnread,
  });
}

/** Creates the port of what happened to the vault. */
export function createHistory({ root, graph, store, writer, counts, repairs, originals, refresh, scan, ports }: VaultParts): History {
  const { events } = store.records;
  return {
    ...createEventHistory({ root, graph, store, writer, counts, refresh: () => refresh('changed'), now: () => ports.clock.now() }),
    movedNotes: () => scan.ready.then(() => listMovedNotes(events, repairs.pathHistory, graph)),
    findMovedNote: (linkpath) => repairs.findMovedNote(linkpath),
    loadOriginals: async () => {
      if (graph.facets.hasSharedIds()) await originals.load();
    },
    findOriginal: (id, paths) => originals.find(id, paths),
  };
}

/** Creates the port of the settings. */
export function createSettings({ root, sharing, settings, scan, graph, sync, attachmentTexts }: VaultParts): Settings {
  const { isHidden, linkStyle, obsidian } = settings;
  let hidingUpdate = Promise.resolve();
  return {
    root,
    isShared: sharing !== null,
    isInRepository: () => findRepository(root).kind !== 'none',
    get config() {
      return settings.config;
    },
    configure(next) {
      const bundles = settings.bundles();
      if (settings.apply(next)) {
        const hiding = { graph, sync, isHidden: (path: string) => isHidden(path) || graph.bundles.isReserved(path) };
        hidingUpdate = hidingUpdate.then(() => scan.ready).then(() => updateHidden(hiding));
        attachmentTexts.rehide();
      }
      if (!isDeepStrictEqual(bundles, settings.bundles())) graph.nameBundles(settings.bundles());
      return hidingUpdate;
    },
    linkStyle,
    obsidian,
    isHidden: (path) => isHidden(path) || graph.bundles.isReserved(path),
  };
}

/** Creates the port of what is wrong with the vault. */
export function createHealth(parts: VaultParts): Health {
  const { reader: files, graph, held, losses, refresh, store, sync, warnings, lastStall } = parts;
  const { ready } = parts.scan;
  return {
    ready,
    readingProgress: () => sync.firstScan.progress(),
    reports: warnings.reports,
    lastStall,
    warnings: () => listVaultWarnings(parts),
    alerts: () => ready.then(() => listAlerts(parts)),
    acceptDeletions: () => losses.accept(parts.files.now()),
    sizes: () => sizesOf(store),
    async verify({ rebuild }) {
      await ready;
      const { isHidden } = parts.settings;
      const drift = rebuild ? await findDrift({ files, graph, isHidden, held, catchUp: () => refresh('strict') }) : [];
      return { ...listLeftovers(store), drift, unreadable: listUnreadable(sync) };
    },
    checkRecords: () => store.upkeep.check(),
    repairRecords: () => store.upkeep.repair(),
  };
}

/** Creates the port through which a vault is changed. */
export function createWrites({ store, writer }: VaultParts): Writes {
  return {
    write: (meta, makePlan) => writer.write(meta, makePlan),
    undo: (meta, query) => writer.undo(meta, query),
    restore: (meta, reference) => writer.restore(meta, reference),
    completeWrite: (meta, id) => writer.completeWrite(meta, id),
    trash: () => store.records.trash.list(),
    waitForWrites: () => store.waitForWrites(),
    replayCache: store.replayCache,
    stopWriting: () => writer.stop(),
  };
}
