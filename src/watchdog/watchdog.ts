import { Worker } from 'node:worker_threads';
import { beat, workMemory } from './at-work.ts';
import type { Held } from './at-work.ts';

/** What the thread of the watchdog is started with. */
export interface Watched {
  readonly memory: SharedArrayBuffer;
  readonly root: string;
  /** Whether a note that holds the main thread may be remembered in the vault. */
  readonly isKeeping: boolean;
}

/** What held the main thread, with a sentence that may name a note. */
export interface HeldThread extends Held {
  readonly message: string;
}

/** How often the main thread says that it goes on, in milliseconds. */
export const BEAT_MS = 500;

let isStarted = false;

/**
 * Starts a thread that sees to it that the process ends within 2 s when it is asked to, and that names what holds the main thread, on
 * stderr and to `onHeld` when the main thread goes on. Once a process; it does not keep the process alive.
 */
export function startWatchdog(watched: Omit<Watched, 'memory'>, onHeld: (held: HeldThread) => void): void {
  if (isStarted) return;
  isStarted = true;
  const workerData: Watched = { ...watched, memory: workMemory };
  const worker = startWorker(workerData);
  worker.on('message', onHeld);
  // Without it the process goes on as well as before.
  worker.on('error', () => undefined);
  worker.unref();
  setInterval(beat, BEAT_MS).unref();
}

/** Threads do not inherit a loader: run as TypeScript, this code has the thread register tsx first. */
function startWorker(workerData: Watched): Worker {
  const options = { workerData, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 } };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./watchdog-worker.js', import.meta.url), options);
  const [loader, script] = [import.meta.resolve('tsx/esm/api'), new URL('./watchdog-worker.ts', import.meta.url).href];
  const start = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(script)}); })`;
  return new Worker(start, { ...options, eval: true });
}
