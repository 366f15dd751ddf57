import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The interval of checks, and the CPU time in one interval below which the process counts as idle. */
const CHECK_MS = 5_000;
const MAX_IDLE_CPU_MS = 40;
/** The CPU time since the last collection that makes another one worthwhile, also as a multiple of what that one cost. */
const MIN_WORK_MS = 1_000;
const MIN_WORK_PER_COST = 20;

/**
 * Runs V8's garbage collector when the process becomes idle after much work. V8 itself waits until it needs the memory, which may never
 * happen in a server that has finished opening its vault. Does not keep the process alive.
 */
export function collectWhenIdle(cpuMs: () => number = processCpu, collect: () => void = createCollector()): void {
  let [collected, last, least] = [0, cpuMs(), MIN_WORK_MS];
  const look = (): void => {
    const now = cpuMs();
    const isAtRest = now - last < MAX_IDLE_CPU_MS;
    last = now;
    if (!isAtRest || now - collected < least) return;
    collect();
    collected = last = cpuMs();
    least = Math.max(MIN_WORK_MS, (collected - now) * MIN_WORK_PER_COST);
  };
  setInterval(look, CHECK_MS).unref();
}

/** Returns the CPU time of all threads so far, in milliseconds. */
function processCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Returns a function that runs a full collection, which Node offers only as a command-line flag. The second pass releases the pages that
 * the first one emptied.
 */
function createCollector(): () => void {
  let collect: unknown;
  return () => {
    setFlagsFromString('--expose-gc');
    collect ??= runInNewContext('gc');
    if (typeof collect !== 'function') return;
    setFlagsFromString('--compact-on-every-full-gc');
    collect();
    collect();
    setFlagsFromString('--no-compact-on-every-full-gc');
  };
}
