import type { SyncSession } from './sync-session.ts';

/** Pulls what others commit while a session waits for the lock of the vault, so that little is left to pull under it. */
export interface Prefetch {
  /** Starts pulling on notices. The returned function ends it; it may be called twice. */
  start(session: Pick<SyncSession, 'pull'>): () => Promise<void>;
  /** Takes a notice while the folder is `behind` by some commits. Returns false if no session waits. */
  onNotice(behind: number): boolean;
}

/** Pulling costs the same for one commit as for three; fewer are pulled under the lock just as fast. */
const MIN_COMMITS = 3;

/** Creates a prefetch that is idle. */
export function createPrefetch(): Prefetch {
  let pullIfWorthwhile: ((behind: number) => void) | null = null;
  return {
    start(session) {
      let isWaiting = true;
      let pulling: Promise<unknown> = Promise.resolve();
      pullIfWorthwhile = (behind) => {
        if (behind < MIN_COMMITS) return;
        // A pull that fails is repeated under the lock.
        pulling = pulling.then(() => (isWaiting ? session.pull().catch(() => undefined) : undefined));
      };
      return async () => {
        isWaiting = false;
        pullIfWorthwhile = null;
        await pulling;
      };
    },
    onNotice(behind) {
      pullIfWorthwhile?.(behind);
      return pullIfWorthwhile !== null;
    },
  };
}
