import { Worker } from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';

/**
 * Starts a thread with a script that lies beside the one at `url`. `script`: its name as the build makes it. When run from TypeScript, the
 * thread registers tsx first: threads do not inherit loaders.
 */
export function startWorker(url: string, script: string, options: WorkerOptions = {}): Worker {
  if (!url.endsWith('.ts')) return new Worker(new URL(script, url), { execArgv: [], ...options });
  const source = new URL(script.replace(/\.c?js$/, '.ts'), url).href;
  const loader = import.meta.resolve('tsx/esm/api');
  const start = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(source)}); })`;
  return new Worker(start, { execArgv: [], ...options, eval: true });
}
