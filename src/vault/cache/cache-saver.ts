import { errorMessage } from '../../errors.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Log } from '../../ports.ts';
import { createSlice } from '../../store/slices.ts';
import type { Sync } from '../sync/sync.ts';
import type { Cache } from './cache.ts';

/** Saves the cache when the vault is idle, and on close. */
export interface CacheSaver {
  /** Marks the cache as outdated. */
  mark(): void;
  /** Saves what is not saved yet. Called once. */
  close(): Promise<void>;
}

/** Time without changes before the cache is saved. A vault that is never idle is saved on close. */
const IDLE_MS = 5_000;
/** Longest time that closing waits for the save. */
const MAX_CLOSE_MS = 3_000;
const SLICE_MS = 8;

/** Creates a saver of a cache. Nothing is saved until something was marked. */
export function openCacheSaver(options: {
  cache: Cache;
  graph: Graph;
  sync: Sync;
  search: { readonly state: 'building' | 'ready' | 'off'; save(): Promise<void> };
  log: Log;
  /** Whether the stored cache is still needed, to find edits that are not recorded yet. */
  isHeldBack: () => boolean;
}): CacheSaver {
  const { cache, graph, sync, search, log, isHeldBack } = options;
  let isNotesDue = false;
  let isSearchDue = false;
  let timer: NodeJS.Timeout | null = null;
  let saving: Promise<void> = Promise.resolve();
  let isFailed = false;

  const soon = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      saving = save();
    }, IDLE_MS);
    timer.unref();
  };

  const save = async (): Promise<void> => {
    if (isFailed || isHeldBack()) return;
    // The first scan is incomplete: half of a vault is not worth saving.
    if (sync.reading() !== null) return soon();
    try {
      if (isNotesDue) {
        isNotesDue = false;
        if (!(await cache.save({ graph, inventory: sync.inventory, racy: sync.racy }, createSlice(SLICE_MS)))) mark();
      }
      if (isSearchDue && search.state === 'ready') {
        isSearchDue = false;
        await search.save();
      } else if (isSearchDue && search.state === 'building') soon();
    } catch (error) {
      // Without a cache only the next start is slower.
      isFailed = true;
      log.info(`The cache cannot be saved: ${errorMessage(error)}`);
    }
  };

  const mark = (): void => {
    isNotesDue = true;
    isSearchDue = true;
    soon();
  };

  return {
    mark,
    async close() {
      if (timer !== null) clearTimeout(timer);
      await saving;
      await Promise.race([save(), new Promise((resolve) => setTimeout(resolve, MAX_CLOSE_MS).unref())]);
      if (timer !== null) clearTimeout(timer);
    },
  };
}
