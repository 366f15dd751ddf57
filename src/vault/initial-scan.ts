import { setImmediate } from 'node:timers/promises';
import { errorMessage } from '../errors.ts';
import type { Graph } from '../graph/graph.ts';
import type { GraphChange } from '../graph/view.ts';
import type { FolderStore } from '../store/folder-store.ts';
import type { Cache } from './cache/cache.ts';
import type { WarmStart } from './cache/warm-start.ts';
import type { Sync } from './sync/sync.ts';
import type { VaultOptions } from './vault-options.ts';
import type { Warnings } from './warnings.ts';

/** The parts of a vault that the first scan needs. */
interface Parts {
  readonly store: Pick<FolderStore, 'recover'>;
  readonly warnings: Pick<Warnings, 'set'>;
  readonly cache: Pick<Cache, 'load'> | null;
  readonly warmStart: Pick<WarmStart, 'run'>;
  readonly sync: Pick<Sync, 'fill' | 'reconcile'>;
  readonly graph: Graph;
  readonly onHeavyWork?: VaultOptions['onHeavyWork'];
}

/** Follows the changes that people and programs make. */
interface ScanListener {
  /** Notes changed, during the scan (`isOpening`) or later. Not called for notes that are merely new to this process. */
  onChanges(changes: readonly GraphChange[], how: { readonly isOpening: boolean }): void;
  /** The scan is done. */
  onEnd(): void;
}

/** The first scan of a vault: fills the graph from the cache, then reads what changed since. */
export class InitialScan {
  /** Resolves when the graph is complete; rejects when the folder cannot be read. */
  readonly ready: Promise<void>;
  readonly #parts: Parts;
  #begin!: (scan: Promise<void>) => void;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.ready = new Promise((resolve) => (this.#begin = resolve));
  }

  start(listener: ScanListener): void {
    this.#begin(this.#run(listener));
  }

  async #run(listener: ScanListener): Promise<void> {
    const { store, warnings, cache, warmStart, sync, graph, onHeavyWork } = this.#parts;
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
    const followAll = (): void => void graph.onChange((changes) => listener.onChanges(changes, { isOpening }));
    if (isWarm) followAll();
    else onHeavyWork?.('first reading', true);
    try {
      await sync.reconcile();
    } finally {
      if (!isWarm) onHeavyWork?.('first reading', false);
    }
    isOpening = false;
    if (!isWarm) followAll();
    listener.onEnd();
  }
}
