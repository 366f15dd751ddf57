import { every } from '../at-rest/every.ts';
import { startWorker } from '../start-worker.ts';
import { HEARTBEAT_MS, recordHeartbeat, workMemory } from './at-work.ts';
import type { BlockedPeriod } from './at-work.ts';
import { timesNow } from './times.ts';

/** The parameters of the watchdog's thread. */
export interface Watched {
  readonly memory: SharedArrayBuffer;
  readonly root: string;
  /** Whether a note that blocks the main thread may be recorded in the vault. */
  readonly canRecord: boolean;
  /** The process that this one ends with, which it would notice on its main thread; null if there is none. */
  readonly parent: number | null;
}

/** What blocked the main thread, with a sentence that may name a note. */
export interface BlockReport extends BlockedPeriod {
  readonly message: string;
}

let isStarted = false;

/**
 * Starts a thread that ends the process within 2 s after a signal, and that reports what blocks the main thread: on stderr at once, and to
 * `onHeld` when the main thread continues. Starts once in a process, which it does not keep alive.
 */
export function startWatchdog(watched: Omit<Watched, 'memory'>, onHeld: (held: BlockReport) => void): void {
  if (isStarted) return;
  isStarted = true;
  const workerData: Watched = { ...watched, memory: workMemory };
  const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };
  const worker = startWorker(import.meta.url, 'watchdog-worker.cjs', { workerData, resourceLimits });
  worker.on('message', onHeld);
  // The process works without a watchdog.
  worker.on('error', () => undefined);
  worker.unref();
  every(HEARTBEAT_MS, () => recordHeartbeat(timesNow()));
}
