import type { Entered, HeldStore } from '../transaction/transact.ts';
import type { SharedVault } from './shared-vault.ts';
import type { WorkingCopy } from './working-copy.ts';

/** What others commit while this machine waits for the vault's row is brought in then: what is left to be brought in under it is little. */
export interface Prefetch {
  /** Begins, with the writer lock of this machine. What it gives ends it, once or again, and gives the paths that were written. */
  start(held: HeldStore, at: { readonly shared: SharedVault; readonly now: Entered }): () => Promise<readonly string[]>;
  /** Somebody has committed, and the folder is so many commits behind. False: nobody waits. */
  onNotice(behind: number): boolean;
}

/** So many are put in place at once: each time costs as much as one commit does, and fewer are soon brought in under the row. */
const AT_ONCE = 3;

/** Into this copy. */
export function createPrefetch(copy: Pick<WorkingCopy, 'pull'>): Prefetch {
  let onNews: ((behind: number) => void) | null = null;
  return {
    start(held, { shared, now }) {
      const paths: string[] = [];
      let isWaiting = true;
      let pulling: Promise<void> = Promise.resolve();
      onNews = (behind) => {
        if (behind < AT_ONCE) return;
        pulling = pulling.then(async () => {
          // What fails is tried again under the row.
          if (isWaiting) paths.push(...(await copy.pull(held, now, shared, shared).catch(() => [])));
        });
      };
      return async () => {
        isWaiting = false;
        onNews = null;
        await pulling;
        return paths;
      };
    },
    onNotice(behind) {
      onNews?.(behind);
      return onNews !== null;
    },
  };
}
