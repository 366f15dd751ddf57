import { setTimeout } from 'node:timers/promises';
import type { Graph } from '../../graph/graph.ts';
import { joinPath, splitPath } from '../../note/path.ts';
import type { FileReader } from '../../store/folder/file-system.ts';
import { createSlice, runInSlices } from '../../store/slices.ts';
import type { Slice } from '../../store/slices.ts';
import type { StoredSnapshot } from '../cache/snapshot.ts';
import { changedFolders, compareFolders, differencesOf } from './compare-folders.ts';
import type { Compared, Differences, OwnBytes } from './compare-folders.ts';
import { FirstScan } from './first/first-scan.ts';
import type { HeldNote } from './held-notes.ts';
import { openInventory } from './inventory.ts';
import type { Inventory } from './inventory.ts';
import { putNotes } from './put-notes.ts';
import type { Counters, PutResult, Sink } from './put-notes.ts';
import { RecentWrites } from './recent-writes.ts';
import { openShrinking } from './shrinking.ts';
import type { Shrinking } from './shrinking.ts';

interface SyncOptions {
  readonly files: FileReader;
  readonly graph: Graph;
  readonly isHidden: (path: string) => boolean;
  /** Returns whether somebody intended what happened since this time, so that it is no loss. */
  readonly isMeant: (since: number) => boolean;
  readonly onSaved?: Sink['onSaved'];
  /** Notes that are not read, by the hash of their bytes. */
  readonly held?: ReadonlyMap<string, HeldNote>;
}

/** How single paths are compared. */
export interface LookOptions {
  /** Nobody is in the middle of saving them. */
  readonly isWhole?: boolean;
  /** roux wrote or removed them, so they are whole, and what is gone is no loss. */
  readonly isOwn?: boolean;
  /** The bytes that roux wrote. */
  readonly own?: ReadonlyMap<string, OwnBytes>;
  /** Reads them through folders that are already open. */
  readonly files?: FileReader | undefined;
}

/** Receives what the sync found. */
export interface SyncListener {
  onChanged(paths: readonly string[]): void;
  /** A folder is about to be listed that was not known. */
  onListing?(folder: string): void;
  onFolders(folders: { readonly gone: ReadonlySet<string>; readonly fresh: ReadonlySet<string> }): void;
  /** Files were read during a save, or are too young to be sure of; compare them again after this time. */
  onBeingSaved(milliseconds: number): void;
}

/** Folders to compare, each with the names that changed in it; null if these are unknown. */
type Marks = ReadonlyMap<string, ReadonlySet<string> | null>;

/** Delay before a file that was read during a save is compared again, and the limit of such retries. */
const SAVE_RETRY_MS = 60;
const MAX_WAITS = 20;
/** Delay before a file is compared again whose time stamp may hide another save. */
const RACY_RETRY_MS = 1_000;
/** Own writes that are remembered. */
const MAX_OWN_WRITES = 1_000;

/** Brings the graph to the state of the folder: the only caller of `graph.put`, for changes from whichever side. */
export class Sync {
  readonly inventory: Inventory = openInventory();
  readonly counters: Counters = { filesRead: 0, notesParsed: 0 };
  readonly recentWrites = new RecentWrites();
  /** Notes that could not be read, with the reason. */
  readonly unreadable: ReadonlyMap<string, string>;
  readonly #compared: Compared;
  readonly #sink: Sink;
  readonly #shrinking: Shrinking;
  readonly firstScan = new FirstScan(this.inventory, this.counters);
  readonly #ownWrites = new Map<string, string>();
  #marks = new Map<string, Set<string> | null>();
  #queue: Promise<void> = Promise.resolve();
  #listener: Partial<SyncListener> = {};

  constructor({ files, graph, isHidden, isMeant, onSaved, held = new Map<string, HeldNote>() }: SyncOptions) {
    const unreadable = new Map<string, string>();
    this.unreadable = unreadable;
    const onListing = (folder: string): void => this.#listener.onListing?.(folder);
    this.#compared = { files, inventory: this.inventory, racy: new Set(), onListing };
    this.#shrinking = openShrinking(files, isMeant);
    this.#sink = {
      graph,
      isHidden,
      unreadable,
      held,
      counters: this.counters,
      onSaved,
      // What vanished before the start is no loss.
      onVanishing: (paths) => {
        if (this.firstScan.isDone) this.#shrinking.lose(paths, graph.size);
      },
    };
  }

  /** Notes read so soon after they were written that a second write could hide behind equal times. */
  get racy(): ReadonlySet<string> {
    return this.#compared.racy;
  }

  /** More than half of the notes vanished within seconds; nothing may be written until they are back. */
  get isShrunk(): boolean {
    return this.#shrinking.isShrunk;
  }

  get hasMarks(): boolean {
    return this.#marks.size > 0;
  }

  /** Marks a folder as changed; `name` is what changed in it, null if unknown. */
  mark(folder: string, name: string | null): void {
    const names = this.#marks.get(folder);
    if (name === null || names === null) this.#marks.set(folder, null);
    else if (names === undefined) this.#marks.set(folder, new Set([name]));
    else names.add(name);
  }

  /** Marks folders whose names changed since they were listed: a note that was moved before it was read is not known yet. */
  markChanged(): void {
    for (const folder of changedFolders(this.#compared)) this.mark(folder, null);
  }

  /** Excludes notes that roux removed or moved, here or in another process, from the alarm about vanished notes. */
  excuse(paths: readonly string[]): void {
    this.#shrinking.excuse(paths);
  }

  /** Compares what was marked. */
  flush(): Promise<void> {
    return this.#enqueue(async () => {
      const marks = [...this.#takeMarks()];
      const named = new Map(marks.filter(([, names]) => names !== null));
      const whole = new Map(marks.filter(([, names]) => names === null));
      // Names come first: among hundreds of changes nobody waits for whole folders to be compared.
      for (const some of [named, whole]) if (some.size > 0) await this.#compare(some, false);
    });
  }

  /** Compares the whole vault. */
  reconcile(): Promise<void> {
    return this.#enqueue(async () => {
      this.#takeMarks();
      this.firstScan.look();
      let unsettled = await this.#compare(new Map([['', null]]), true);
      this.firstScan.end();
      // The caller must not see half of a save.
      for (let wait = 0; unsettled > 0 && wait < MAX_WAITS; wait++) {
        await setTimeout(SAVE_RETRY_MS);
        unsettled = await this.#compare(this.#takeMarks(), false);
      }
    });
  }

  /** Discards what is known of the bytes of these notes: the next comparison reads them again. */
  forget(paths: readonly string[]): void {
    for (const path of paths) {
      const known = this.inventory.note(path);
      if (known === null) continue;
      const { stamp, ownId, linkedTo } = known;
      this.inventory.setNote(path, { stamp, hash: '', ownId, ...(linkedTo === undefined ? {} : { linkedTo }) });
    }
  }

  /** Discards what is known of folders by their inodes. */
  forgetFolders(): void {
    for (const seen of this.inventory.folders.values()) seen.identity = '';
  }

  /** Brings these paths up to date at once. */
  look(paths: readonly string[], { isOwn = false, isWhole = isOwn, own, files = this.#compared.files }: LookOptions = {}): void {
    const { inventory } = this;
    if (own !== undefined) this.recentWrites.keep(own);
    const compared: Compared = { ...this.#compared, files };
    const made = new Set(isOwn ? paths.filter((path) => inventory.note(path) === null) : []);
    const differences = differencesOf(compared, paths, { isCertain: isWhole, own });
    if (isOwn) {
      const isGone = (path: string): boolean =>
        differences.gone.has(path) || (inventory.note(path) === null && !differences.fresh.has(path));
      this.excuse(paths.filter(isGone));
    }
    const steps = putNotes(compared, this.#sink, differences, { begin: () => undefined, isOver: () => false });
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    for (const path of paths) {
      this.#markNewFolders(path);
      const hash = inventory.note(path)?.hash;
      if (isOwn && hash !== undefined) this.#ownWrites.set(path, hash);
      else this.#ownWrites.delete(path);
    }
    this.#markOtherNames(made);
    // Only the newest matter: older files are recognised by their age.
    for (const path of this.#ownWrites.keys()) if (this.#ownWrites.size > MAX_OWN_WRITES) this.#ownWrites.delete(path);
    this.#report(differences, step.value);
  }

  /** Whether these are the bytes that roux itself last wrote there. */
  isOwn(path: string, hash: string): boolean {
    return this.#ownWrites.get(path) === hash;
  }

  /** Sets the listener; there is one. */
  listen(listener: SyncListener): void {
    this.#listener = listener;
  }

  /** Fills the graph from the cache; the next reconcile finds what changed since. */
  fill(load: (isHidden: (path: string) => boolean) => Generator<void, StoredSnapshot | null>): Promise<void> {
    return runInSlices(createSlice(), this.#fillInSteps(load));
  }

  *#fillInSteps(load: Parameters<Sync['fill']>[0]): Generator<void, void> {
    const { graph, isHidden } = this.#sink;
    const stored = yield* load(isHidden);
    if (stored === null) return;
    this.firstScan.startFromCache();
    yield* graph.unpack(stored.graph);
    for (const note of stored.notes) this.inventory.setNote(note.path, note);
    for (const path of stored.graph.attachments) this.inventory.setAttachment(path);
  }

  #takeMarks(): Marks {
    const marks = this.#marks;
    this.#marks = new Map();
    return marks;
  }

  /** A folder that no comparison has seen is not watched yet: the one above must be compared. */
  #markNewFolders(path: string): void {
    let [folder, name] = splitPath(path);
    while (folder !== '' && (this.inventory.folders.get(folder)?.identity ?? '') === '') {
      [folder, name] = splitPath(folder);
      this.mark(folder, name);
    }
  }

  /** On a disk that lists names in another form, notes that roux just made may be known by those already: a listing tells. */
  #markOtherNames(made: ReadonlySet<string>): void {
    const inodes = new Set([...made].map((path) => this.inventory.note(path)?.stamp.ino));
    for (const folder of new Set([...made].map((path) => splitPath(path)[0]))) {
      for (const [name, { stamp }] of this.inventory.folders.get(folder)?.notes ?? [])
        if (inodes.has(stamp.ino) && !made.has(joinPath(folder, name))) this.mark(folder, null);
    }
  }

  /** Runs one comparison after the other: two at once would find the same changes twice. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    const next = this.#queue.then(work);
    this.#queue = next.catch(() => undefined);
    return next;
  }

  /** Returns how many notes were read during a save. */
  #compare(folders: Marks, isDeep: boolean): Promise<number> {
    const slice = createSlice();
    return runInSlices(slice, this.#compareInSteps(folders, isDeep, slice), () => this.firstScan.rest());
  }

  *#compareInSteps(folders: Marks, isDeep: boolean, slice: Slice): Generator<void, number> {
    const { graph } = this.#sink;
    const differences = yield* compareFolders(this.#compared, folders, isDeep);
    this.firstScan.begin(differences.fresh);
    const result = yield* putNotes(this.#compared, this.#sink, differences, slice);
    yield* graph.resolvePending();
    this.#shrinking.end(graph.size);
    this.#report(differences, result);
    return result.beingSaved.size;
  }

  #report({ newFolders, goneFolders }: Differences, { changed, beingSaved }: PutResult): void {
    for (const path of [...beingSaved, ...this.racy]) this.mark(...splitPath(path));
    if (beingSaved.size > 0) this.#listener.onBeingSaved?.(SAVE_RETRY_MS);
    else if (this.racy.size > 0) this.#listener.onBeingSaved?.(RACY_RETRY_MS);
    if (newFolders.size + goneFolders.size > 0) this.#listener.onFolders?.({ gone: goneFolders, fresh: newFolders });
    if (changed.size > 0) this.#listener.onChanged?.([...changed]);
  }
}
