import { setImmediate } from 'node:timers/promises';
import { errorMessage } from '../errors.ts';
import type { Graph } from '../graph/graph.ts';
import type { FolderStore } from '../store/open-folder-store.ts';
import type { Cache } from './cache/cache.ts';
import type { TakingOver } from './cache/taking-over.ts';
import type { Repairs } from './links/repair.ts';
import type { Writer } from './plan/writer.ts';
import type { Sync } from './sync/sync.ts';
import type { Warnings } from './warnings.ts';

/** The parts of a vault that its first reading needs. */
interface Parts {
  readonly store: Pick<FolderStore, 'recover'>;
  readonly warnings: Pick<Warnings, 'set'>;
  readonly cache: Pick<Cache, 'load'> | null;
  readonly takingOver: Pick<TakingOver, 'run'>;
  readonly sync: Pick<Sync, 'fill' | 'reconcile'>;
  readonly graph: Graph;
  readonly writer: Pick<Writer, 'follow'>;
  readonly repairs: Pick<Repairs, 'follow' | 'start'>;
  /** Whether the vault is open still and what changes in it is followed. */
  readonly isToFollow: () => boolean;
}

/** Reads a vault for the first time: what the cache kept, then what changed since; from then on edits from outside are recorded and repaired. */
export async function readFirst({ store, warnings, cache, takingOver, sync, graph, writer, repairs, isToFollow }: Parts): Promise<void> {
  await setImmediate();
  try {
    await store.recover();
  } catch (error) {
    // What cannot be recovered now is tried again before the first write; reading goes on.
    warnings.set('recovery', `An unfinished write could not be ended yet: ${errorMessage(error)}`);
  }
  if (cache !== null) await takingOver.run(() => sync.fill((isHidden) => cache.load(isHidden)));
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
  if (isToFollow()) repairs.start();
}
