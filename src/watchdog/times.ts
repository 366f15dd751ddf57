import { openSync, readSync } from 'node:fs';

/** Times of the main thread, which other threads of the process read alike. In milliseconds. */
export interface Times {
  /** By a clock that only goes forward. */
  readonly at: number;
  /** The time that counts against the main thread. */
  readonly own: number;
}

/**
 * Returns the current times. Time that the main thread waited for a CPU does not count; where that is unknown, the CPU time of all threads
 * is used.
 */
export function timesNow(): Times {
  const at = clockMs();
  const waited = waitedMs();
  if (waited !== null) return { at, own: at - waited };
  const { user, system } = process.cpuUsage();
  return { at, own: (user + system) / 1000 };
}

/** Returns the time by the clock of `Times`; `performance.now()` begins anew in each thread. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Stays open, since it is read every second. */
let schedule: number | null = null;
const read = Buffer.alloc(64);

/** Returns how long the main thread has waited for a CPU, in milliseconds; null if the system does not report it. */
function waitedMs(): number | null {
  try {
    schedule ??= openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const waited = Number(read.toString('latin1', 0, readSync(schedule, read, { position: 0 })).split(' ')[1]);
    return Number.isFinite(waited) ? waited / 1e6 : null;
  } catch {
    return null;
  }
}
