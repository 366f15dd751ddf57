import { errorMessage } from '../../errors.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Log } from '../../ports.ts';
import { createSlice, runInSlices } from '../../store/slices.ts';
import type { Sync } from '../sync/sync.ts';
import type { Cache } from './cache.ts';

interface CacheSaverOptions {
  readonly cache: Cache;
  readonly graph: Graph;
  readonly sync: Sync;
  readonly search: { readonly state: 'building' | 'ready' | 'off'; save(): Promise<boolean> };
  readonly log: Log;
  /** Returns whether the stored cache is still needed, to find edits that are not recorded yet. */
  readonly isHeldBack: () => boolean;
}

/** Packs what is to be saved, in steps. Returns null if it changed meanwhile. */
export type Pack = () => Generator<void, readonly Uint8Array[] | null>;

/** Time without changes before the cache is saved. A vault that is never idle is saved on close. */
const IDLE_MS = 5_000;
/** Time before the next save after one that failed: at first, and at most, as it doubles each time. */
const MIN_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 60 * 60_000;
/** Longest time that closing waits for the save. */
const MAX_CLOSE_MS = 3_000;

/** Saves the cache when the vault is idle, and on close, if something was marked. */
export class CacheSaver {
  readonly #options: CacheSaverOptions;
  #isNotesDue = false;
  #isSearchDue = false;
  /** What operations want saved, by name. */
  readonly #due = new Map<string, Pack>();
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();
  /** Grows with each save in a row that failed; 0 after one that did not. */
  #pauseMs = 0;
  /** The next save begins no earlier, on the clock of `performance.now`. */
  #notBefore = 0;
  #isClosed = false;

  constructor(options: CacheSaverOptions) {
    this.#options = options;
  }

  /** Marks the cache as outdated. */
  mark(): void {
    this.#isNotesDue = true;
    this.#isSearchDue = true;
    this.#saveLater();
  }

  /** Saves something else with the cache. */
  saveLater(name: string, pack: Pack): void {
    this.#due.set(name, pack);
    this.#saveLater();
  }

  /** Saves what is not saved yet. Called once. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const saved = this.#saving.then(() => (performance.now() < this.#notBefore ? undefined : this.#save()));
    // Keeps the process alive. The thread of the index does not while it takes in notes, so that the program would end before the save.
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([saved, new Promise((resolve) => (timer = setTimeout(resolve, MAX_CLOSE_MS)))]);
    clearTimeout(timer);
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #saveLater(): void {
    clearTimeout(this.#timer);
    const wait = Math.max(IDLE_MS, this.#notBefore - performance.now());
    this.#timer = setTimeout(() => {
      this.#saving = this.#saving.then(() => this.#save());
    }, wait).unref();
  }

  async #save(): Promise<void> {
    const { cache, graph, sync, search, log, isHeldBack } = this.#options;
    if (this.#isClosed) return;
    // The first scan is incomplete: half of a vault is not worth saving.
    if (sync.firstScan.progress() !== null) return this.#saveLater();
    try {
      // What operations save names the hash of each note, so it hides no edit.
      if (isHeldBack()) return await this.#saveDue();
      if (this.#isNotesDue) {
        this.#isNotesDue = false;
        if (!(await cache.save({ graph, inventory: sync.inventory, racy: sync.racy }, createSlice()))) this.mark();
      }
      if (this.#isSearchDue && search.state === 'ready') {
        this.#isSearchDue = false;
        if (!(await search.save())) this.#isSearchDue = true;
      }
      if (this.#isSearchDue && search.state !== 'off') this.#saveLater();
      await this.#saveDue();
      this.#pauseMs = 0;
    } catch (error) {
      // Without a cache only the next start is slower. The disk may be full, or never let anybody write.
      if (this.#pauseMs === 0) log.info(`The cache cannot be saved: ${errorMessage(error)}`);
      this.#pauseMs = Math.min(Math.max(MIN_PAUSE_MS, 2 * this.#pauseMs), MAX_PAUSE_MS);
      this.#notBefore = performance.now() + this.#pauseMs;
      this.mark();
    }
  }

  async #saveDue(): Promise<void> {
    for (const [name, pack] of this.#due) {
      const blocks = await runInSlices(createSlice(), pack());
      if (blocks === null) {
        this.#saveLater();
        continue;
      }
      await this.#options.cache.derived.save(name, blocks);
      if (this.#due.get(name) === pack) this.#due.delete(name);
    }
  }
}
