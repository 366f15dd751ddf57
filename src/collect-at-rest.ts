import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often it is looked, in milliseconds, and the CPU time of a process that has been at rest since the last look. */
const LOOK_MS = 5_000;
const REST_MS = 40;
/** CPU time that leaves enough behind, and so many times what collecting cost. */
const MIN_WORK_MS = 1_000;
const WORK_FOR_COST = 20;

/**
 * Has V8 give back what this thread's work has left behind, whenever the process has come to rest after a good deal of it. By itself V8
 * keeps that until it needs the room, which a server that has opened its vault may never do. Does not keep the process alive.
 */
export function collectAtRest(cpuMs: () => number = processCpu, collect: () => void = openCollector()): void {
  let [collected, last, least] = [0, cpuMs(), MIN_WORK_MS];
  const look = (): void => {
    const now = cpuMs();
    const isAtRest = now - last < REST_MS;
    last = now;
    if (!isAtRest || now - collected < least) return;
    collect();
    collected = last = cpuMs();
    least = Math.max(MIN_WORK_MS, (collected - now) * WORK_FOR_COST);
  };
  setInterval(look, LOOK_MS).unref();
}

/** CPU time of all threads so far. */
function processCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** V8's own collection, which Node offers on its command line only. The second one finds free what the first one moved, and gives it back. */
function openCollector(): () => void {
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
