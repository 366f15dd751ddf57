import { errorMessage } from '../../errors.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Log } from '../../ports.ts';
import { openSlice } from '../../store/slices.ts';
import type { Sync } from '../sync/sync.ts';
import type { Cache } from './cache.ts';

/** Saves the cache when it is quiet and at the end. */
export interface CacheSaver {
  /** Something is not in the cache yet. */
  mark(): void;
  /** Save what is not saved; called once, at the end. */
  close(): Promise<void>;
}

/** Quiet for so many milliseconds, then the cache is saved; a vault that is never quiet is saved at the end. */
const QUIET = 5_000;
/** A process that is asked to end has little time. */
const LAST_CHANCE = 3_000;
const SLICE = 8;

/** A saver of a cache; nothing is saved until something was marked. */
export function openCacheSaver(options: {
  cache: Cache;
  graph: Graph;
  sync: Sync;
  search: { readonly state: 'building' | 'ready' | 'off'; save(): Promise<void> };
  log: Log;
  /** What the cache last held is still wanted: what differs from it is yet to be recorded. */
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
    }, QUIET);
    timer.unref();
  };

  const save = async (): Promise<void> => {
    if (isFailed || isHeldBack()) return;
    // Notes that were asked for by name came before the others: half of a vault is not worth keeping.
    if (sync.reading() !== null) return soon();
    try {
      if (isNotesDue) {
        isNotesDue = false;
        if (!(await cache.save({ graph, inventory: sync.inventory, racy: sync.racy }, openSlice(SLICE)))) mark();
      }
      if (isSearchDue && search.state === 'ready') {
        isSearchDue = false;
        await search.save();
      } else if (isSearchDue && search.state === 'building') soon();
    } catch (error) {
      // Without a cache the next start is slower and nothing else.
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
      await Promise.race([save(), new Promise((resolve) => setTimeout(resolve, LAST_CHANCE).unref())]);
      if (timer !== null) clearTimeout(timer);
    },
  };
}
