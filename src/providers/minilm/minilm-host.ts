import { fork } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWorker } from '../../start-worker.ts';
import type { MiniLmAsk, MiniLmFiles, MiniLmReply } from './messages.ts';

/** The thread or process that runs the model. */
export interface MiniLmHost {
  post(ask: MiniLmAsk): void;
  /** Sets whether it keeps this process alive. */
  keepAlive(isAwaited: boolean): void;
  end(): Promise<void>;
}

/** Receives answers and failures. */
export interface MiniLmListener {
  readonly onReply: (reply: MiniLmReply) => void;
  /** Called when it ends by itself. */
  readonly onEnd: (error: Error) => void;
}

const isTypeScript = import.meta.url.endsWith('.ts');
const script = new URL(`./minilm-worker.${isTypeScript ? 'ts' : 'js'}`, import.meta.url);

/** Starts a thread, for WebAssembly. */
export function startThread(files: MiniLmFiles, { onReply, onEnd }: MiniLmListener): MiniLmHost {
  const worker = startWorker(import.meta.url, 'minilm-worker.js', { workerData: files });
  worker.unref();
  worker.on('error', onEnd);
  worker.on('exit', (status) => onEnd(new Error(`The thread that embeds ended with status ${status}.`)));
  worker.on('message', onReply);
  return {
    post: (ask) => worker.postMessage(ask),
    keepAlive: (isAwaited) => (isAwaited ? worker.ref() : worker.unref()),
    end: async () => void (await worker.terminate()),
  };
}

/** Starts a process, since a crash in native code ends its whole process. It ends with this one. */
export function startProcess(files: MiniLmFiles, { onReply, onEnd }: MiniLmListener): MiniLmHost {
  const file = fileURLToPath(script);
  const child = fork(file, [JSON.stringify(files)], {
    // Not the vault, from which nothing may be loaded.
    cwd: dirname(file),
    execArgv: isTypeScript ? ['--import', import.meta.resolve('tsx')] : [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.on('error', onEnd);
  child.on('exit', (status, signal) => onEnd(new Error(`The process that embeds ended with ${signal ?? `status ${status}`}.`)));
  child.on('message', (reply) => onReply(reply as MiniLmReply));
  const keepAlive = (isAwaited: boolean): void => {
    const held = [child, ...(child.channel == null ? [] : [child.channel])];
    for (const one of held)
      if (isAwaited) one.ref();
      else one.unref();
  };
  keepAlive(false);
  return {
    post: (ask) => void child.send(ask),
    keepAlive,
    end: async () => {
      if (child.connected) child.disconnect();
    },
  };
}
