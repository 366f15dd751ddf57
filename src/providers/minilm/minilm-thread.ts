import { startProcess, startThread } from './minilm-host.ts';
import type { MiniLmHost, MiniLmListener } from './minilm-host.ts';
import type { MiniLmFiles } from './messages.ts';

interface Waiting {
  readonly texts: readonly string[];
  resolve(vectors: readonly Float32Array[]): void;
  reject(error: Error): void;
}

/** The model in a thread or a process of its own, which is there only as long as it is used: it takes some 200 MB. */
export interface MiniLmThread {
  /** Resolves when the model is loaded and its files are what they should be. */
  loaded(): Promise<void>;
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** After so long without a text the thread ends. The next one loads the model again, in a third of a second. */
const IDLE_MS = 120_000;

/** The model at work, started when it is first needed. It alone never keeps the process alive; somebody who waits for it does. */
export function openMiniLmThread(files: MiniLmFiles = {}): MiniLmThread {
  const waiting = new Map<number, Waiting>();
  let host: MiniLmHost | null = null;
  let lastId = 0;
  let idle: NodeJS.Timeout | null = null;
  let isClosed = false;
  /** ONNX Runtime took its process along: not again. */
  let isBroken = false;

  function start(): MiniLmHost {
    const { onnx, ...others } = files;
    const isProcess = onnx !== undefined && !isBroken;
    const listener: MiniLmListener = {
      onReply(reply) {
        const one = waiting.get(reply.id);
        waiting.delete(reply.id);
        if (waiting.size === 0) rest(started);
        if ('error' in reply) one?.reject(new Error(reply.error));
        else one?.resolve(reply.vectors);
      },
      onEnd(error) {
        if (host !== started) return;
        host = null;
        if (isProcess && !isClosed) {
          // What was asked of it is asked of the other engine.
          isBroken = true;
          for (const [id, { texts }] of waiting) (host ??= start()).post({ id, texts });
          host?.keep(true);
          return;
        }
        for (const one of waiting.values()) one.reject(error);
        waiting.clear();
      },
    };
    const started = isProcess ? startProcess(files, listener) : startThread(others, listener);
    return started;
  }

  function rest(started: MiniLmHost): void {
    started.keep(false);
    idle = setTimeout(() => {
      if (host !== started || waiting.size > 0) return;
      host = null;
      void started.end();
    }, IDLE_MS).unref();
  }

  function ask(texts: readonly string[]): Promise<readonly Float32Array[]> {
    if (isClosed) return Promise.reject(new Error('The embedder is closed.'));
    if (idle !== null) clearTimeout(idle);
    const asked = (host ??= start());
    asked.keep(true);
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { texts, resolve, reject });
      asked.post({ id, texts });
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
      const ended = host;
      host = null;
      for (const one of waiting.values()) one.reject(new Error('The embedder is closed.'));
      waiting.clear();
      await ended?.end();
    },
  };
}
