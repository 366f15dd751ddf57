import type { FolderStore } from '../../store/folder-store.ts';
import type { RootCheck } from './root-check.ts';
import type { Sync } from './sync.ts';
import { kernelTold } from './watching.ts';

/** Brings the graph up to date with the disk before something is answered or written. */
export interface Refresh {
  /** `strict`: a full comparison; `changed`: only what events marked. Rejects where the folder cannot be read. */
  readonly catchUp: (depth: 'changed' | 'strict') => Promise<void>;
  /** The same with what other processes wrote; where the folder is gone, what was there before is answered from. */
  readonly refresh: (depth: 'changed' | 'strict') => Promise<void>;
}

/** How a vault comes up to date. */
export function openRefresh(vault: {
  readonly ready: () => Promise<void>;
  /** Events tell of changes. */
  readonly isTold: () => boolean;
  readonly sync: Sync;
  readonly store: Pick<FolderStore, 'externalChanges'>;
  readonly rootCheck: Pick<RootCheck, 'look'>;
}): Refresh {
  const { ready, isTold, sync, store, rootCheck } = vault;
  const catchUp = async (depth: 'changed' | 'strict'): Promise<void> => {
    await ready();
    if (depth === 'strict' || !isTold()) return sync.reconcile();
    await kernelTold();
    return sync.flush();
  };
  return {
    catchUp,
    async refresh(depth) {
      try {
        await catchUp(depth);
        if (depth === 'strict') return;
        // What other processes of roux acknowledged is in the history before the kernel has told of it.
        const news = store.externalChanges();
        if (news === null) return await sync.reconcile();
        if (news.length > 0) sync.look(news);
      } catch (error) {
        // Answers are of what was there before, and say so.
        if (rootCheck.look() !== 'gone') throw error;
      }
    },
  };
}
