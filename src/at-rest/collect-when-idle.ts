import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { every } from './every.ts';

/** The interval of checks, and the CPU time in one interval below which the process counts as idle. */
const CHECK_MS = 5_000;
const MAX_IDLE_CPU_MS = 40;
/**
 * The work since the last collection that makes another one worthwhile, in CPU time, also as a multiple of what that one cost. What a process
 * at rest does is no work, however long it lasts.
 */
const MIN_WORK_MS = 500;
const MIN_WORK_PER_COST = 20;
/**
 * The second pass, an interval later, releases the pages that the first one emptied, and the space in which objects were made: V8 shrinks
 * that where hardly any were made in the last seconds.
 */
const PASSES = 2;
/** With more in use, V8 may always mark bit by bit: to mark it all at once would take more than a tenth of a second on a slow machine. */
const MAX_UNMARKED_BYTES = 64_000_000;

/** V8's garbage collector. */
export interface Collector {
  /** Runs a full collection. */
  collect(): void;
  /** Sets whether V8 may mark bit by bit, as it does for a collection of its own when it finds a process at rest. */
  setMarking(isAllowed: boolean): void;
}

/**
 * Runs V8's garbage collector when the process becomes idle after much work. V8 itself waits until it needs the memory, which may never
 * happen in a server that has finished opening its vault, or for a minute or two; then it would find nothing more, so it is kept from that
 * until there is work again. Does not keep the process alive.
 */
export function collectWhenIdle(cpuMs: () => number = processCpu, collector: Collector = createCollector()): void {
  let [last, worked, least] = [0, 0, MIN_WORK_MS];
  let left = 0;
  let hasCollected = false;
  const look = (): void => {
    const now = cpuMs();
    const isAtRest = now - last < MAX_IDLE_CPU_MS;
    if (!isAtRest) worked += now - last;
    last = now;
    if (isAtRest && worked >= least) left = PASSES;
    if (isAtRest && left > 0) {
      left -= 1;
      hasCollected = true;
      collector.collect();
      last = cpuMs();
      worked = 0;
      least = Math.max(MIN_WORK_MS, (last - now) * PASSES * MIN_WORK_PER_COST);
    }
    collector.setMarking(!isAtRest || !hasCollected);
  };
  every(CHECK_MS, look);
}

/** Returns the CPU time of all threads so far, in milliseconds. */
function processCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Returns V8's collector; undefined if another thread, which does the same, has set the flag back in the meantime. It is set back because
 * code that is cached on disk is used only with the flags with which it was cached.
 */
function exposeCollector(): unknown {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return collect;
}

/** Node offers both only as flags of its command line. */
function createCollector(): Collector {
  let collect: unknown;
  let isMarking = true;
  return {
    collect() {
      collect ??= exposeCollector();
      if (typeof collect !== 'function') return;
      setFlagsFromString('--compact-on-every-full-gc');
      collect();
      setFlagsFromString('--no-compact-on-every-full-gc');
    },
    setMarking(isAllowed) {
      // A flag is of all threads.
      if (!isMainThread || isAllowed === isMarking) return;
      isMarking = isAllowed || getHeapStatistics().used_heap_size > MAX_UNMARKED_BYTES;
      setFlagsFromString(isMarking ? '--incremental-marking' : '--no-incremental-marking');
    },
  };
}
