/** Intervals in milliseconds. */
export interface SyncIntervals {
  /** From an edit to its push: editors often save twice. */
  readonly push: number;
  /** Between syncs without a notice, which may be lost. */
  readonly poll: number;
  /** Between checks whether the store has to be pruned. */
  readonly upkeep: number;
}

export const DEFAULT_INTERVALS: SyncIntervals = { push: 400, poll: 5_000, upkeep: 600_000 };

/** Decides when a folder and its store are synced. Syncs do not overlap. */
export interface SyncSchedule {
  /** Syncs now and from then on by schedule; resolves after the first sync. */
  start(): Promise<void>;
  /** Syncs at once if the folder is behind: another machine may have committed. */
  onNotice(): void;
  /** Syncs after at most this time. */
  syncWithin(milliseconds: number): void;
  /** Pushes a moment after the last edit, and now and then during edits that do not stop. */
  onEdit(): void;
  /** Whether every notice was followed by a sync. */
  readonly isUpToDate: boolean;
  /** Starts no more syncs; resolves when the running one has ended. */
  stop(): Promise<void>;
}

/** Edits wait for further edits at most this many times `push`. */
const MAX_PUSHES = 5;

/** What the schedule runs. */
export interface SyncTarget {
  /** Syncs, and does not reject. Without `isPushing`, local changes are not pushed. */
  readonly sync: (how: { readonly isPushing: boolean }) => Promise<void>;
  /** Whether the store has commits that the folder has not. Notices come for the commits of this machine too. */
  readonly isBehind: () => boolean;
}

/** Creates a schedule that is not started. */
export function openSyncSchedule(intervals: Pick<SyncIntervals, 'push' | 'poll'>, { sync, isBehind }: SyncTarget): SyncSchedule {
  /** Times of `performance.now()`. `edited`: when the first waiting edit was made. */
  const due = { notice: Infinity, sync: Infinity, push: Infinity, edited: Infinity };
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  let isStarted = false;
  let isStopped = false;

  function setTimer(): void {
    if (isStopped || isRunning) return;
    clearTimeout(timer);
    const next = Math.min(due.notice, due.sync, due.push);
    if (next === Infinity) return;
    timer = setTimeout(run, Math.max(0, next - performance.now()));
    timer.unref();
  }

  function run(): void {
    const now = performance.now() + 1;
    due.notice = Infinity;
    if (due.sync > now && due.push > now && !isBehind()) return setTimer();
    isRunning = true;
    // A notice does not make edits wait less for further edits.
    const isPushing = due.push === Infinity || due.push <= now;
    due.sync = Infinity;
    if (isPushing) due.push = due.edited = Infinity;
    running = running
      .then(() => sync({ isPushing }))
      .then(() => {
        isRunning = false;
        if (isStarted) syncWithin(intervals.poll);
        else setTimer();
      });
  }

  function syncWithin(milliseconds: number): void {
    due.sync = Math.min(due.sync, performance.now() + milliseconds);
    setTimer();
  }

  return {
    async start() {
      isStarted = true;
      running = running.then(() => sync({ isPushing: true }));
      await running;
      syncWithin(intervals.poll);
    },
    onNotice() {
      due.notice = performance.now();
      setTimer();
    },
    syncWithin,
    onEdit() {
      if (!isStarted) return;
      const now = performance.now();
      due.edited = Math.min(due.edited, now);
      due.push = Math.min(now + intervals.push, due.edited + MAX_PUSHES * intervals.push);
      setTimer();
    },
    get isUpToDate() {
      return isStarted && !isRunning && due.sync > performance.now() && !isBehind();
    },
    async stop() {
      isStopped = true;
      isStarted = false;
      clearTimeout(timer);
      await running;
    },
  };
}
