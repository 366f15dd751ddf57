import { startProcess, startThread } from './minilm-host.ts';
import type { MiniLmHost, MiniLmListener } from './minilm-host.ts';
import type { MiniLmAsk, MiniLmFiles } from './messages.ts';
import { MAX_TOKENS } from './model.ts';

/** Texts, and after how many tokens each is truncated. */
type Texts = Pick<MiniLmAsk, 'texts' | 'maxTokens'>;

interface Waiting extends Texts {
  resolve(vectors: readonly Float32Array[]): void;
  reject(error: Error): void;
}

/** The model in its own thread or process, which runs only while it is in use, since it takes about 200 MB. */
export interface MiniLmThread {
  /** Resolves when the model is loaded and its files are verified. */
  loaded(): Promise<void>;
  embed(texts: Texts, signal?: AbortSignal): Promise<readonly Float32Array[]>;
  /** The CPU time that its process has told of so far, in milliseconds; 0 for a thread. */
  readonly cpuMs: number;
  close(): Promise<void>;
}

/** The thread ends after this time without a request. Loading the model again takes a third of a second. */
const IDLE_MS = 120_000;

/** Creates the model, which is started on first use. It keeps the process alive only while a request is pending. */
export function openMiniLmThread(files: MiniLmFiles = {}): MiniLmThread {
  const waiting = new Map<number, Waiting>();
  let host: MiniLmHost | null = null;
  let lastId = 0;
  let idle: NodeJS.Timeout | null = null;
  let cpuMs = 0;
  let isClosed = false;
  /** Whether ONNX Runtime crashed its process, so that it is not used again. */
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
        else {
          cpuMs += reply.cpuMs;
          one?.resolve(reply.vectors);
        }
      },
      onEnd(error) {
        if (host !== started) return;
        host = null;
        if (isProcess && !isClosed) {
          // Sends the pending requests to the WebAssembly.
          isBroken = true;
          for (const [id, { texts, maxTokens }] of waiting) (host ??= start()).post({ id, texts, maxTokens });
          host?.keepAlive(true);
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
    started.keepAlive(false);
    idle = setTimeout(() => {
      if (host !== started || waiting.size > 0) return;
      host = null;
      void started.end();
    }, IDLE_MS).unref();
  }

  function ask({ texts, maxTokens }: Texts): Promise<readonly Float32Array[]> {
    if (isClosed) return Promise.reject(new Error('The embedder is closed.'));
    if (idle !== null) clearTimeout(idle);
    const asked = (host ??= start());
    asked.keepAlive(true);
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { texts, maxTokens, resolve, reject });
      asked.post({ id, texts, maxTokens });
    });
  }

  return {
    loaded: async () => void (await ask({ texts: [], maxTokens: MAX_TOKENS })),
    async embed(texts, signal) {
      signal?.throwIfAborted();
      return ask(texts);
    },
    get cpuMs() {
      return cpuMs;
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
