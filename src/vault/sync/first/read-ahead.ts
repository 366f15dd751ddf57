import { setImmediate } from 'node:timers/promises';
import { linkKey, foldersAbove, isNotePath, joinPath, toNotePath } from '../../../note/path.ts';
import type { Graph } from '../../../graph/graph.ts';
import { splitLinkText } from '../../../note/markdown/link-text.ts';
import type { UnreadNotes } from '../../../graph/search/search.ts';
import { hasReservedName, INDEX } from '../../../note/okf/reserved.ts';
import type { NotePath } from '../../../note/path.ts';
import { isSameState } from '../../../store/folder/file-system.ts';
import type { FileReader } from '../../../store/folder/file-system.ts';
import { createSlice, runInSlices } from '../../../store/slices.ts';
import { changedFolders, stateOf } from '../compare-folders.ts';
import type { HeldNote } from '../held-notes.ts';
import { followLink, listFolder } from '../list-folder.ts';
import { readForIndex } from '../read-note.ts';
import type { Sync } from '../sync.ts';

/** Longer than others, since the first scan rests during a search. */
const SEARCH_SLICE_MS = 15;

type Look = Parameters<UnreadNotes['each']>[0];

/** Linked notes that are read along with a note, so that its links resolve as they will once all are read. */
const MAX_ALONG = 100;

/** Reads a note and those that it links to before their turn; false if no note has this path. */
export async function readAhead(from: {
  readonly graph: Graph;
  readonly sync: Pick<Sync, 'inventory' | 'look'> & { readonly firstScan: Pick<Sync['firstScan'], 'findUnread'> };
  readonly path: string;
}): Promise<boolean> {
  const { graph, sync, path } = from;
  const notePath = toNotePath(path);
  if (notePath === null) return false;
  if (sync.inventory.note(notePath) === null) sync.look([notePath]);
  if (graph.get(notePath) === null) return false;
  const keys = new Set(graph.linkTexts(notePath).map(({ link }) => linkKey(splitLinkText(link).linkpath)));
  const along = (await runInSlices(createSlice(), sync.firstScan.findUnread(keys))).slice(0, MAX_ALONG);
  for (const other of along) {
    sync.look([other]);
    await setImmediate();
  }
  // A later query for links would otherwise resolve all pending links at once.
  await runInSlices(createSlice(), graph.resolvePending());
  return true;
}

interface Options {
  readonly files: FileReader;
  readonly graph: Graph;
  readonly sync: Pick<Sync, 'inventory' | 'look' | 'firstScan' | 'racy'>;
  readonly isHidden: (path: string) => boolean;
  readonly held: ReadonlyMap<string, HeldNote>;
}

/** The notes of a vault that the first scan has yet to read, for a search that does not wait for it. */
export class NotesAhead implements UnreadNotes {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  each(look: Look): Promise<void> {
    return runInSlices(createSlice(SEARCH_SLICE_MS), this.#eachInSteps([...this.#options.sync.firstScan.unread()], look));
  }

  async read(paths: readonly NotePath[]): Promise<void> {
    for (const path of paths) {
      this.#look(path);
      await setImmediate();
    }
  }

  pauseDuring<T>(work: () => Promise<T>): Promise<T> {
    return this.#options.sync.firstScan.pauseDuring(async () => {
      await runInSlices(createSlice(SEARCH_SLICE_MS), this.#findNew());
      await runInSlices(createSlice(SEARCH_SLICE_MS), this.#readSaved());
      return work();
    });
  }

  /** Finds notes that were made or moved since their folders were listed. */
  *#findNew(): Generator<void, void> {
    const { files, sync } = this.#options;
    const folders = [...changedFolders({ files, inventory: sync.inventory })];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const found = listFolder(files, folder);
      yield;
      if (found.kind !== 'folder') continue;
      const paths = (names: readonly string[]): readonly string[] => names.map((name) => joinPath(folder ?? '', name));
      for (const path of paths(found.notes)) sync.firstScan.add(path, {});
      for (const path of paths(found.links)) {
        const link = isNotePath(path) ? followLink(files, path) : null;
        if (link?.kind === 'file') sync.firstScan.add(path, { linkedTo: link.path });
      }
      folders.push(...paths(found.folders).filter((path) => !sync.inventory.folders.has(path)));
    }
  }

  *#eachInSteps(unread: readonly (readonly [path: string, linkedTo: string | undefined])[], look: Look): Generator<void> {
    const { files, held } = this.#options;
    for (const [name, linkedTo] of unread) {
      const path = toNotePath(name);
      // What cannot be read is none of the graph either, and the scan reports it.
      const link = path === null || linkedTo === undefined ? null : followLink(files, path);
      const found = path === null || link?.kind === 'skipped' ? null : readForIndex(files, link?.path ?? path, held);
      if (path !== null && found !== null)
        look(path, found.bytes, { indexed: found.indexed, size: found.size, isHidden: () => this.#isHidden(path) });
      yield;
    }
  }

  /** Reads notes again that were saved, moved or removed since they were read. */
  *#readSaved(): Generator<void, void> {
    const { files, sync } = this.#options;
    for (const [folder, { notes }] of sync.inventory.folders) {
      for (const [name, { stamp, linkedTo }] of notes) {
        const path = joinPath(folder, name);
        const state = stateOf(files, linkedTo ?? path);
        if (state === null || sync.racy.has(path) || !isSameState(stamp, state)) sync.look([path]);
        yield;
      }
    }
  }

  #isHidden(path: NotePath): boolean {
    const { graph, isHidden } = this.#options;
    if (isHidden(path)) return true;
    if (!hasReservedName(path)) return false;
    // Only these tell whether it belongs to a bundle.
    for (const folder of ['', ...foldersAbove(path)]) this.#look(joinPath(folder, INDEX));
    return graph.bundles.isReserved(path);
  }

  #look(path: string): void {
    const { sync } = this.#options;
    if (sync.inventory.note(path) === null) sync.look([path]);
  }
}
