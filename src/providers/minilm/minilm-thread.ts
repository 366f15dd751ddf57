import { Worker } from 'node:worker_threads';
import type { ModelFiles } from './model.ts';

/** What the thread is started with. */
export interface MiniLmFiles {
  /** Files other than those of the package. */
  readonly model?: ModelFiles;
  /** Where ONNX Runtime is. */
  readonly onnx?: string;
}

/** What the thread is asked; without texts only to be ready. */
export interface MiniLmAsk {
  readonly id: number;
  readonly texts: readonly string[];
}

/** What the thread answers. */
export type MiniLmReply = { readonly id: number } & ({ readonly vectors: readonly Float32Array[] } | { readonly error: string });

interface Waiting {
  resolve(vectors: readonly Float32Array[]): void;
  reject(error: Error): void;
}

/** The model in a thread, which is there only as long as it is used: it takes some 300 MB. */
export interface MiniLmThread {
  /** Resolves when the model is loaded and its files are what they should be. */
  loaded(): Promise<void>;
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** After so long without a text the thread ends. The next one loads the model again, in a third of a second. */
const IDLE_MS = 120_000;

/** Threads do not inherit a loader: run as TypeScript, this code has the thread register tsx first. */
function startWorker(workerData: MiniLmFiles): Worker {
  const options = { execArgv: [], workerData };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./minilm-worker.js', import.meta.url), options);
  const [loader, script] = [import.meta.resolve('tsx/esm/api'), new URL('./minilm-worker.ts', import.meta.url).href];
  const start = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(script)}); })`;
  return new Worker(start, { ...options, eval: true });
}

/** A thread that is started when it is first needed. It alone never keeps the process alive; somebody who waits for it does. */
export function openMiniLmThread(files: MiniLmFiles = {}): MiniLmThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let lastId = 0;
  let idle: NodeJS.Timeout | null = null;
  let isClosed = false;

  function start(): Worker {
    const started = startWorker(files);
    started.unref();
    const end = (error: Error): void => {
      if (worker === started) worker = null;
      for (const one of waiting.values()) one.reject(error);
      waiting.clear();
    };
    started.on('error', end);
    started.on('exit', (status) => {
      if (worker === started) end(new Error(`The thread that embeds ended with status ${status}.`));
    });
    started.on('message', (reply: MiniLmReply) => {
      const one = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (waiting.size === 0) rest(started);
      if ('error' in reply) one?.reject(new Error(reply.error));
      else one?.resolve(reply.vectors);
    });
    return started;
  }

  function rest(started: Worker): void {
    started.unref();
    idle = setTimeout(() => {
      if (worker !== started || waiting.size > 0) return;
      worker = null;
      void started.terminate();
    }, IDLE_MS).unref();
  }

  function ask(texts: readonly string[]): Promise<readonly Float32Array[]> {
    if (isClosed) return Promise.reject(new Error('The embedder is closed.'));
    if (idle !== null) clearTimeout(idle);
    const asked = (worker ??= start());
    asked.ref();
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      asked.postMessage({ id, texts } satisfies MiniLmAsk);
    });
  }

  return {
    loaded: async () => void (await ask([])),
    async embed(texts, signal) {
      signal?.throwIfAborted();
      return ask(texts);
    },
    async close() {
      isClosed = true;
      if (idle !== null) clearTimeout(idle);
      const ended = worker;
      worker = null;
      for (const one of waiting.values()) one.reject(new Error('The embedder is closed.'));
      waiting.clear();
      await ended?.terminate();
    },
  };
}
