import type { Worker } from 'node:worker_threads';
import { errorMessage } from '../../errors.ts';
import { startWorker } from '../../start-worker.ts';
import type { RenderedNote, RenderJob } from '../job.ts';

/** The reply of the worker to a job. */
export type RenderReply = { readonly value: RenderedNote } | { readonly error: string };

/** Renders notes one after another in a worker thread, so that a slow note does not block the server. */
export interface RenderThread {
  /** Rejects if a note takes too much time or memory. The next job gets a new thread. */
  render(job: RenderJob): Promise<RenderedNote>;
  close(): void;
}

/** Time limits for a job, and for the first job of a thread, which includes the start of the thread. */
const MAX_MS = 5_000;
const LOADING_MS = 20_000;
/** Time after which an idle thread is ended. */
const IDLE_MS = 60_000;
const MAX_HEAP_MB = 512;

interface Waiting {
  readonly job: RenderJob;
  resolve(rendered: RenderedNote): void;
  reject(error: Error): void;
}

/** Creates a renderer. The thread starts with the first job, and does not keep the process alive while it is idle. */
export function openRenderThread(): RenderThread {
  const queue: Waiting[] = [];
  let current: Waiting | null = null;
  let worker: Worker | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isWarm = false;

  function end(error: Error): void {
    const failed = current;
    current = null;
    const ended = worker;
    worker = null;
    clearTimeout(timer);
    ended?.removeAllListeners();
    // A terminated worker may still emit errors.
    ended?.on('error', () => undefined);
    void ended?.terminate();
    failed?.reject(error);
    next();
  }

  function start(): Worker {
    const started = startWorker(import.meta.url, 'render-worker.js', { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
    isWarm = false;
    started.on('message', (reply: RenderReply) => {
      const done = current;
      current = null;
      isWarm = true;
      clearTimeout(timer);
      if ('error' in reply) done?.reject(new Error(reply.error));
      else done?.resolve(reply.value);
      next();
    });
    started.on('error', (error) => end(error instanceof Error ? error : new Error(errorMessage(error))));
    started.on('exit', (status) => end(new Error(`The rendering thread ended with status ${status}.`)));
    return started;
  }

  function next(): void {
    if (current !== null) return;
    current = queue.shift() ?? null;
    clearTimeout(timer);
    if (current === null) {
      worker?.unref();
      timer = setTimeout(() => worker !== null && end(new Error('idle')), IDLE_MS);
      timer.unref();
      return;
    }
    worker ??= start();
    worker.ref();
    timer = setTimeout(() => end(new Error('The note took too long to render.')), isWarm ? MAX_MS : LOADING_MS);
    worker.postMessage(current.job);
  }

  return {
    render: (job) =>
      new Promise((resolve, reject) => {
        queue.push({ job, resolve, reject });
        next();
      }),
    close() {
      for (const waiting of queue.splice(0)) waiting.reject(new Error('The vault was closed.'));
      end(new Error('The vault was closed.'));
      clearTimeout(timer);
    },
  };
}
