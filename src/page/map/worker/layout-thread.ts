import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../../start-worker.ts';
import type { Layout, LayoutAsk, Places } from '../../layout/layout.ts';

/** A message to the thread. */
export type LayoutJob = LayoutAsk & { readonly id: number };

/** A message from the thread: progress, then the result. */
export type LayoutReply = { readonly id: number } & (
  { readonly done: number; readonly places: Places } | { readonly layout: Layout } | { readonly error: string }
);

/** Computes layouts in a background thread. */
export interface LayoutThread {
  /** Resolves with the layout; calls `onStep` with the progress a few times a second. Rejects when the thread ends first. */
  layOut(ask: LayoutAsk, onStep?: (done: number, places: Places) => void): Promise<Layout>;
  close(): void;
}

/** Idle time after which the thread ends, which frees its memory. */
const IDLE_MS = 60_000;

interface Waiting {
  readonly onStep: ((done: number, places: Places) => void) | undefined;
  resolve(layout: Layout): void;
  reject(error: Error): void;
}

/** Creates a low-priority thread on demand. It does not keep the process alive. */
export function openLayoutThread(): LayoutThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | null = null;
  let lastId = 0;
  let isClosed = false;

  function start(): Worker {
    const started = startWorker(import.meta.url, 'layout-worker.js');
    started.unref();
    const end = (error: Error): void => {
      if (worker !== started) return;
      worker = null;
      for (const one of waiting.values()) one.reject(error);
      waiting.clear();
    };
    started.on('error', end);
    started.on('exit', (status) => end(new Error(`The thread of the layout ended with status ${status}.`)));
    started.on('message', (reply: LayoutReply) => {
      const one = waiting.get(reply.id);
      if ('places' in reply) return one?.onStep?.(reply.done, reply.places);
      waiting.delete(reply.id);
      if (waiting.size === 0) idle = setTimeout(stop, IDLE_MS).unref();
      if ('error' in reply) one?.reject(new Error(reply.error));
      else one?.resolve(reply.layout);
    });
    return started;
  }

  function stop(): void {
    const ended = worker;
    worker = null;
    void ended?.terminate();
  }

  return {
    layOut(ask, onStep) {
      if (isClosed) return Promise.reject(new Error('The vault is closed.'));
      if (idle !== null) clearTimeout(idle);
      worker ??= start();
      lastId += 1;
      const job: LayoutJob = { ...ask, id: lastId };
      const asked = worker;
      return new Promise((resolve, reject) => {
        waiting.set(job.id, { onStep, resolve, reject });
        asked.postMessage(job);
      });
    },
    close() {
      isClosed = true;
      if (idle !== null) clearTimeout(idle);
      for (const one of waiting.values()) one.reject(new Error('The vault is closed.'));
      waiting.clear();
      stop();
    },
  };
}
