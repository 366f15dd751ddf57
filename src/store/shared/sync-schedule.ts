/** How long things take, in milliseconds. */
export interface SyncIntervals {
  /** From an edit to its way into the store: editors save twice. */
  readonly push: number;
  /** Between looks at the store, should a notice be lost. */
  readonly poll: number;
  /** Between questions whether something that it keeps for a time is to end. */
  readonly upkeep: number;
}

export const DEFAULT_INTERVALS: SyncIntervals = { push: 400, poll: 5_000, upkeep: 600_000 };

/** When a folder and its store are brought together. One time is ended before the next begins. */
export interface SyncSchedule {
  /** From now on it goes by itself; resolves after the first time. */
  start(): Promise<void>;
  /** Somebody may have committed: looks at the store at once, if it is news by then. */
  onNotice(): void;
  /** Looks at the store in so many milliseconds at most. */
  syncWithin(milliseconds: number): void;
  /** Gives what is edited here, a moment after the last edit; where something is edited all the time, all the same. */
  onEdit(): void;
  /** Nothing was heard that has not been looked at. */
  readonly isUpToDate: boolean;
  /** Nothing begins any more; resolves when what has begun is ended. */
  stop(): Promise<void>;
}

/** So many times the pause after an edit is the longest that edits wait for the next ones. */
const MAX_PUSHES = 5;

/** What is to be done, and when there is nothing to do. */
export interface SyncTarget {
  /** Brings them together, and does not reject; without `isPushing` it leaves what is edited here for later. */
  readonly sync: (how: { readonly isPushing: boolean }) => Promise<void>;
  /** Whether what was heard is news: a machine hears of its own commits too. */
  readonly isBehind: () => boolean;
}

export function openSyncSchedule(pace: Pick<SyncIntervals, 'push' | 'poll'>, { sync: meet, isBehind: isNews }: SyncTarget): SyncSchedule {
  /** By `performance.now()`; `edited`: since when an edit waits. */
  const due = { news: Infinity, look: Infinity, push: Infinity, edited: Infinity };
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  let isStarted = false;
  let isStopped = false;

  function wake(): void {
    if (isStopped || isRunning) return;
    clearTimeout(timer);
    const next = Math.min(due.news, due.look, due.push);
    if (next === Infinity) return;
    timer = setTimeout(beat, Math.max(0, next - performance.now()));
    timer.unref();
  }

  function beat(): void {
    const now = performance.now() + 1;
    due.news = Infinity;
    if (due.look > now && due.push > now && !isNews()) return wake();
    isRunning = true;
    // News is no reason to hurry an editor.
    const isPushing = due.push === Infinity || due.push <= now;
    due.look = Infinity;
    if (isPushing) due.push = due.edited = Infinity;
    running = running
      .then(() => meet({ isPushing }))
      .then(() => {
        isRunning = false;
        if (isStarted) rhythm.syncWithin(pace.poll);
        else wake();
      });
  }

  const rhythm: SyncSchedule = {
    async start() {
      isStarted = true;
      running = running.then(() => meet({ isPushing: true }));
      await running;
      rhythm.syncWithin(pace.poll);
    },
    onNotice() {
      due.news = performance.now();
      wake();
    },
    syncWithin(milliseconds) {
      due.look = Math.min(due.look, performance.now() + milliseconds);
      wake();
    },
    onEdit() {
      if (!isStarted) return;
      const now = performance.now();
      due.edited = Math.min(due.edited, now);
      due.push = Math.min(now + pace.push, due.edited + MAX_PUSHES * pace.push);
      wake();
    },
    get isUpToDate() {
      return isStarted && !isRunning && due.look > performance.now() && !isNews();
    },
    async stop() {
      isStopped = true;
      isStarted = false;
      clearTimeout(timer);
      await running;
    },
  };
  return rhythm;
}
