import { setImmediate } from 'node:timers/promises';
import type { FolderStore } from '../../store/folder-store.ts';
import type { RootCheck } from './root-check.ts';
import type { Sync } from './sync.ts';

/**
 * What is compared with the disk. `strict`: everything. `changed`: what events marked; everything where events do not report all changes.
 * `marked`: what events marked and folders whose names changed since they were listed. That is enough for a call that came before the first
 * comparison of everything.
 */
export type Depth = 'marked' | 'changed' | 'strict';

/** Updates the graph from disk before an answer or a write. */
export interface Refresh {
  /** Rejects if the folder cannot be read. */
  readonly catchUp: (depth: Depth) => Promise<void>;
  /** Also applies writes of other processes; if the folder is missing, answers come from the earlier state. */
  readonly refresh: (depth: Depth) => Promise<void>;
}

/** How a vault comes up to date. */
export function openRefresh(vault: {
  readonly ready: () => Promise<void>;
  /** Whether events report all changes. */
  readonly isTold: () => boolean;
  readonly sync: Sync;
  readonly store: Pick<FolderStore, 'externalChanges'>;
  readonly rootCheck: Pick<RootCheck, 'look'>;
}): Refresh {
  const { ready, isTold, sync, store, rootCheck } = vault;
  const catchUp = async (depth: Depth): Promise<void> => {
    await ready();
    if (depth === 'strict' || (depth === 'changed' && !isTold())) return sync.reconcile();
    if (depth === 'marked' && !isTold()) sync.markChanged();
    await waitForKernelEvents();
    return sync.flush();
  };
  return {
    catchUp,
    async refresh(depth) {
      try {
        await catchUp(depth);
        if (depth === 'strict') return;
        // Acknowledged writes of other roux processes are in the history before the kernel reports them. They are no saves under way.
        const news = store.externalChanges();
        if (news === null) return await sync.reconcile();
        if (news.length > 0) sync.look(news, { isWhole: true });
      } catch (error) {
        // Answers are from the earlier state, with a warning.
        if (rootCheck.look() !== 'gone') throw error;
      }
    },
  };
}

/** Resolves when the kernel has delivered pending events. Polls between two immediates: the first may run before that. */
export async function waitForKernelEvents(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
