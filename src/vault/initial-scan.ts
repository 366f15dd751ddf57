import { setImmediate } from 'node:timers/promises';
import { errorMessage } from '../errors.ts';
import type { Graph } from '../graph/graph.ts';
import type { FolderStore } from '../store/folder-store.ts';
import type { Cache } from './cache/cache.ts';
import type { WarmStart } from './cache/warm-start.ts';
import type { Repairs } from './links/repair.ts';
import type { Writer } from './plan/writer.ts';
import type { Sync } from './sync/sync.ts';
import type { Warnings } from './warnings.ts';

/** The parts of a vault that the first scan needs. */
interface Parts {
  readonly store: Pick<FolderStore, 'recover'>;
  readonly warnings: Pick<Warnings, 'set'>;
  readonly cache: Pick<Cache, 'load'> | null;
  readonly warmStart: Pick<WarmStart, 'run'>;
  readonly sync: Pick<Sync, 'fill' | 'reconcile'>;
  readonly graph: Graph;
  readonly writer: Pick<Writer, 'follow'>;
  readonly repairs: Pick<Repairs, 'follow' | 'start'>;
  /** Whether the vault is still open and follows changes. */
  readonly shouldFollow: () => boolean;
}

/** Fills the graph from the cache and then reads what changed since. From then on edits from outside are recorded and links repaired. */
export async function runInitialScan({
  store,
  warnings,
  cache,
  warmStart,
  sync,
  graph,
  writer,
  repairs,
  shouldFollow,
}: Parts): Promise<void> {
  await setImmediate();
  try {
    await store.recover();
  } catch (error) {
    // Recovery is tried again before the first write; reading continues.
    warnings.set('recovery', `An unfinished write could not be ended yet:  ${errorMessage(error)}`);
  }
  if (cache !== null) await warmStart.run(() => sync.fill((isHidden) => cache.load(isHidden)));
  // What differs from the cache was edited from outside. Without a cache every note is merely new to this process.
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
  if (shouldFollow()) repairs.start();
}
