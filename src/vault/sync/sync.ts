import { setTimeout } from 'node:timers/promises';
import type { Graph } from '../../graph/graph.ts';
import { linkKey } from '../../graph/links/resolve.ts';
import { splitPath } from '../../note/path.ts';
import type { FileReader } from '../../store/folder/file-system.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import { compareFolders, differencesOf } from './compare-folders.ts';
import type { Compared, Differences, OwnBytes } from './compare-folders.ts';
import type { HeldNote } from './held-notes.ts';
import { openInventory } from './inventory.ts';
import type { Inventory } from './inventory.ts';
import { putNotes } from './put-notes.ts';
import type { Counters, Sink } from './put-notes.ts';
import { openShrinking } from './shrinking.ts';
import { createSlice, runInSlices } from '../../store/slices.ts';

/** The way from the disk into the graph: the only caller of `graph.put`, for changes from whichever side. */
export interface Sync {
  readonly inventory: Inventory;
  /** Notes read so soon after they were written that a second write could hide behind equal times. */
  readonly racy: ReadonlySet<string>;
  readonly counters: Counters;
  /** Notes that could not be read, with the reason. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** How far the first reading is; null once it is done. */
  reading(): Reading | null;
  /** Notes that the first reading has yet to come to, among those whose file names have one of these keys. */
  unread(keys: ReadonlySet<string>): Generator<void, readonly string[]>;
  /** More than half of the notes vanished within seconds; nothing may be written until they are back. */
  readonly isShrunk: boolean;
  /** Something of this folder changed; `name` is what, where it is known. */
  mark(folder: string, name: string | null): void;
  readonly hasMarks: boolean;
  /** From these paths roux itself took the notes away, here or in another process: that they vanished is no loss. */
  excuse(paths: readonly string[]): void;
  /** Look at everything that was marked. */
  flush(): Promise<void>;
  /** Compare the whole vault. */
  reconcile(): Promise<void>;
  /** What is known of folders by their inodes no longer holds. */
  forgetFolders(): void;
  /** What is known of the bytes of these notes no longer holds: the next look reads them again. */
  forget(paths: readonly string[]): void;
  /**
   * Bring these paths up to date at once.
   */
  look(paths: readonly string[], options?: LookOptions): void;
  /** Whether these are the bytes that roux itself last wrote there. */
  isOwn(path: string, hash: string): boolean;
  /** Who is told from now on; one listener. */
  listen(listener: SyncListener): void;
  /** Take notes over from the cache; the next reconcile finds what changed since. */
  fill(load: (isHidden: (path: string) => boolean) => Generator<void, Snapshot | null>): Promise<void>;
}

/** How a look at single paths is meant. */
export interface LookOptions {
  /** Nobody is in the middle of saving them. */
  readonly isWhole?: boolean;
  /** roux wrote or removed them, so they are whole, and what is gone is no loss. */
  readonly isOwn?: boolean;
  /** The bytes that roux wrote. */
  readonly own?: ReadonlyMap<string, OwnBytes>;
  /** Reads them through folders that are open already. */
  readonly files?: FileReader | undefined;
}

/** How far the first reading of the notes is. */
export interface Reading {
  readonly read: number;
  /** Null: the folders are still being listed, or what the last start kept is taken over. */
  readonly total: number | null;
}

/** What the sync tells its owner. */
export interface SyncListener {
  onChanged(paths: readonly string[]): void;
  onFolders(folders: { readonly gone: ReadonlySet<string>; readonly fresh: ReadonlySet<string> }): void;
  /** Files were caught in the middle of a save, or too young to be sure of; look again after so many milliseconds. */
  onBeingSaved(milliseconds: number): void;
}

/** Longest time without yielding. */
const SLICE_MS = 8;
/** Delay before a file that was read during a save is compared again, and the limit of such retries. */
const SAVE_RETRY_MS = 60;
const MAX_WAITS = 20;
/** Names checked in one step, which takes less than a millisecond. */
const NAMES_PER_STEP = 500;
/** Own writes that are remembered. */
const MAX_OWN_WRITES = 1_000;

/** A sync with nothing looked at yet. */
export function openSync(options: {
  files: FileReader;
  graph: Graph;
  isHidden: (path: string) => boolean;
  /** Whether somebody meant what happened since this time: then it is no loss. */
  isMeant: (since: number) => boolean;
  /** As a sink of notes has it. */
  onSaved?: Sink['onSaved'];
  /** Notes that are not read, by the hash of their bytes; none unless told otherwise. */
  held?: ReadonlyMap<string, HeldNote>;
}): Sync {
  const { files, graph, isHidden, isMeant, onSaved, held = new Map<string, HeldNote>() } = options;
  let listener: Partial<SyncListener> = {};
  const inventory = openInventory();
  const counters: Counters = { filesRead: 0, notesParsed: 0 };
  const unreadable = new Map<string, string>();
  const compared: Compared = { files, inventory, racy: new Set() };
  const shrinking = openShrinking(files, isMeant);
  let hasScanned = false;
  let first: { readonly paths: Differences['fresh']; readonly readBefore: number } | null = null;
  const sink = {
    graph,
    isHidden,
    unreadable,
    held,
    counters,
    ...(onSaved === undefined ? {} : { onSaved }),
    // What went before the start is no loss.
    onVanishing: (paths: readonly string[]) => {
      if (hasScanned) shrinking.lose(paths, graph.size);
    },
  };
  let marks = new Map<string, Set<string> | null>();
  const own = new Map<string, string>();
  let turn: Promise<void> = Promise.resolve();

  const mark = (folder: string, name: string | null): void => {
    const names = marks.get(folder);
    if (name === null || names === null) marks.set(folder, null);
    else if (names === undefined) marks.set(folder, new Set([name]));
    else names.add(name);
  };

  /** A folder that no comparison has seen is not watched yet: the one above must be looked at. */
  const markNewFolders = (path: string): void => {
    let [folder, name] = splitPath(path);
    while (folder !== '' && (inventory.folders.get(folder)?.identity ?? '') === '') {
      [folder, name] = splitPath(folder);
      mark(folder, name);
    }
  };

  const report = (differences: Differences, result: { changed: ReadonlySet<string>; beingSaved: ReadonlySet<string> }): void => {
    for (const path of [...result.beingSaved, ...compared.racy]) mark(...splitPath(path));
    if (result.beingSaved.size > 0) listener.onBeingSaved?.(SAVE_RETRY_MS);
    else if (compared.racy.size > 0) listener.onBeingSaved?.(1_000);
    if (differences.newFolders.size + differences.goneFolders.size > 0) {
      listener.onFolders?.({ gone: differences.goneFolders, fresh: differences.newFolders });
    }
    if (result.changed.size > 0) listener.onChanged?.([...result.changed]);
  };

  /** One comparison at a time: two at once would find the same changes twice. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const next = turn.then(work);
    turn = next.catch(() => undefined);
    return next;
  };

  /** Returns how many notes were caught in the middle of a save. */
  const follow = (folders: ReadonlyMap<string, ReadonlySet<string> | null>, isDeep: boolean): Promise<number> => {
    const slice = createSlice(SLICE_MS);
    return runInSlices(
      slice,
      (function* () {
        const differences = yield* compareFolders(compared, folders, isDeep);
        if (!hasScanned) first ??= { paths: differences.fresh, readBefore: counters.filesRead };
        const result = yield* putNotes(compared, sink, differences, slice);
        yield* graph.resolvePending();
        shrinking.end(graph.size);
        report(differences, result);
        return result.beingSaved.size;
      })(),
    );
  };

  return {
    inventory,
    racy: compared.racy,
    counters,
    unreadable,
    get isShrunk() {
      return shrinking.isShrunk;
    },
    get hasMarks() {
      return marks.size > 0;
    },
    reading() {
      if (hasScanned) return null;
      if (first === null) return { read: 0, total: null };
      const total = first.paths.size;
      return { read: Math.min(total, counters.filesRead - first.readBefore), total };
    },
    *unread(keys) {
      const found: string[] = [];
      let looked = 0;
      for (const path of first?.paths.keys() ?? []) {
        if (keys.has(linkKey(path)) && inventory.note(path) === null) found.push(path);
        if (++looked % NAMES_PER_STEP === 0) yield;
      }
      return found;
    },
    mark,
    excuse: (paths) => shrinking.excuse(paths),
    flush: () =>
      inTurn(async () => {
        const folders = marks;
        marks = new Map();
        const named = new Map([...folders].filter(([, names]) => names !== null));
        const whole = new Map([...folders].filter(([, names]) => names === null));
        // What was named is brought in first: among hundreds of changes nobody waits for whole folders to be compared.
        for (const some of [named, whole]) if (some.size > 0) await follow(some, false);
      }),
    reconcile: () =>
      inTurn(async () => {
        marks = new Map();
        let unsettled = await follow(new Map([['', null]]), true);
        hasScanned = true;
        first = null;
        // Whoever asked for everything is not told half of a save.
        for (let wait = 0; unsettled > 0 && wait < MAX_WAITS; wait++) {
          await setTimeout(SAVE_RETRY_MS);
          const folders = marks;
          marks = new Map();
          unsettled = await follow(folders, false);
        }
      }),
    forget(paths) {
      for (const path of paths) {
        const known = inventory.note(path);
        if (known !== null) inventory.setNote(path, { ...known, hash: '' });
      }
    },
    forgetFolders() {
      for (const seen of inventory.folders.values()) seen.identity = '';
    },
    fill: (load) =>
      runInSlices(
        createSlice(SLICE_MS),
        (function* () {
          const stored = yield* load(isHidden);
          if (stored === null) return;
          yield* graph.unpack(stored.graph);
          for (const [at, { path }] of stored.graph.entries.entries()) {
            const seen = stored.seen[at];
            if (seen !== undefined) inventory.setNote(path, seen);
          }
          for (const path of stored.graph.attachments) inventory.setAttachment(path);
        })(),
      ),
    isOwn: (path, hash) => own.get(path) === hash,
    listen(next) {
      listener = next;
    },
    look(paths, { isOwn = false, isWhole = isOwn, own: written, files: open = files } = {}) {
      const through: Compared = { ...compared, files: open };
      const differences = differencesOf(through, paths, { isCertain: isWhole, own: written });
      if (isOwn) {
        const isGone = (path: string): boolean =>
          differences.gone.has(path) || (inventory.note(path) === null && !differences.fresh.has(path));
        shrinking.excuse(paths.filter(isGone));
      }
      const steps = putNotes(through, sink, differences, { begin: () => undefined, isOver: () => false });
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      for (const path of paths) {
        markNewFolders(path);
        const hash = inventory.note(path)?.hash;
        if (isOwn && hash !== undefined) own.set(path, hash);
        else own.delete(path);
      }
      // Only the newest matter: older files are taken by their age.
      for (const path of own.keys()) if (own.size > MAX_OWN_WRITES) own.delete(path);
      report(differences, step.value);
    },
  };
}
