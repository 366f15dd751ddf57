import { Worker } from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';

/** The threads that Node is starting. */
const starting = new Set<Worker>();
let waiting: (() => void)[] = [];

/**
 * Calls `change` as soon as no thread is starting, after those that wait already. V8's flags may be set only then: with other flags than the
 * default ones V8 does not take what Node has compiled of itself, and starting a thread costs a third more.
 */
export function whenThreadsRun(change: () => void): void {
  waiting.push(change);
  callWaiting();
}

function callWaiting(): void {
  if (starting.size > 0) return;
  const ready = waiting;
  waiting = [];
  for (const change of ready) change();
}

/**
 * Starts a thread with a script that lies beside the one at `url`. `script`: its name as the build makes it. When run from TypeScript, the
 * thread registers tsx first: threads do not inherit loaders.
 */
export function startWorker(url: string, script: string, options: WorkerOptions = {}): Worker {
  const worker = createWorker(url, script, options);
  starting.add(worker);
  const end = (): void => {
    if (starting.delete(worker)) callWaiting();
  };
  worker.once('online', end);
  worker.once('exit', end);
  return worker;
}

function createWorker(url: string, script: string, options: WorkerOptions): Worker {
  if (!url.endsWith('.ts')) return new Worker(new URL(script, url), { execArgv: [], ...options });
  const source = new URL(script.replace(/\.c?js$/, '.ts'), url).href;
  const loader = import.meta.resolve('tsx/esm/api');
  const start = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(source)}); })`;
  return new Worker(start, { execArgv: [], ...options, eval: true });
}
