import type { Worker } from 'node:worker_threads';
import { systemCode } from '../../../errors.ts';
import { startWorker } from '../../../start-worker.ts';
import type { PdfFailure, PdfReply } from './messages.ts';

/** The text of a PDF, or why there is none. */
export type PdfText =
  | {
      readonly kind: 'read';
      readonly pages: readonly string[];
      /** Whether pages or text were left out, because of a limit or because reading got stuck. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'failed'; readonly why: PdfFailure };

/** Reads PDFs one after another in a thread of its own, which is ended when a document takes too much time or memory. */
export interface PdfThread {
  /** Takes the bytes over: they are empty afterwards. Rejects only when the thread is closed. */
  read(bytes: Uint8Array<ArrayBuffer>): Promise<PdfText>;
  close(): void;
}

/** How a thread is started, and its limits; only tests change them. */
export interface PdfThreadOptions {
  readonly startWorker?: () => Worker;
  readonly maxSilentMs?: number;
  readonly maxGrowthBytes?: number;
}

/** Time without another page after which a document counts as stuck. A busy machine at low priority needs a part of it. */
const MAX_SILENT_MS = 60_000;
/** Time after which an idle thread is ended, which frees its memory. */
const IDLE_MS = 10_000;
const MAX_HEAP_MB = 512;
/** How much the process may grow while a document is read: decompressed data is not in the heap of the thread. */
const MAX_GROWTH_BYTES = 1024 * 1024 * 1024;
const MEMORY_CHECK_MS = 200;

/** A document that is being read. */
interface Job {
  readonly pages: string[];
  readonly memory: NodeJS.Timeout;
  silence: NodeJS.Timeout | undefined;
  resolve(text: PdfText): void;
  reject(error: Error): void;
}

/** Creates a reader. Its thread starts with the first document, and does not keep the process alive. Asked for one document at a time. */
export function openPdfThread(options: PdfThreadOptions = {}): PdfThread {
  const { startWorker: startPdf = startPdfWorker, maxSilentMs = MAX_SILENT_MS, maxGrowthBytes = MAX_GROWTH_BYTES } = options;
  let worker: Worker | null = null;
  let job: Job | null = null;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): Worker {
    const started = startPdf();
    started.unref();
    started.on('message', takeReply);
    started.on('error', (error) => stop(systemCode(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crashed'));
    started.on('exit', () => stop('crashed'));
    return started;
  }

  function endWorker(): void {
    clearTimeout(idle);
    const ended = worker;
    worker = null;
    ended?.removeAllListeners();
    // A terminated worker may still emit errors.
    ended?.on('error', () => undefined);
    void ended?.terminate();
  }

  function takeJob(): Job | null {
    const taken = job;
    job = null;
    clearTimeout(taken?.silence);
    clearInterval(taken?.memory);
    return taken;
  }

  /** Ends the thread, and with it the document that is being read: its pages so far are returned. */
  function stop(why: PdfFailure): void {
    endWorker();
    const stopped = takeJob();
    stopped?.resolve(stopped.pages.length === 0 ? { kind: 'failed', why } : { kind: 'read', pages: stopped.pages, isCut: true });
  }

  function takeReply(reply: PdfReply): void {
    if (reply.kind === 'pages') {
      job?.pages.push(...reply.pages);
      return watch();
    }
    const done = takeJob();
    idle = setTimeout(endWorker, IDLE_MS).unref();
    done?.resolve(reply.kind === 'end' ? { kind: 'read', pages: done.pages, isCut: reply.isCut } : reply);
  }

  function watch(): void {
    if (job === null) return;
    clearTimeout(job.silence);
    job.silence = setTimeout(() => stop('slow'), maxSilentMs).unref();
  }

  function watchMemory(): NodeJS.Timeout {
    const before = process.memoryUsage.rss();
    return setInterval(() => process.memoryUsage.rss() - before > maxGrowthBytes && stop('memory'), MEMORY_CHECK_MS).unref();
  }

  return {
    read(bytes) {
      if (isClosed) return Promise.reject(new Error('The vault was closed.'));
      clearTimeout(idle);
      const asked = (worker ??= start());
      return new Promise((resolve, reject) => {
        job = { pages: [], memory: watchMemory(), silence: undefined, resolve, reject };
        watch();
        asked.postMessage(bytes, [bytes.buffer]);
      });
    },
    close() {
      isClosed = true;
      endWorker();
      takeJob()?.reject(new Error('The vault was closed.'));
    },
  };
}

/** Starts the worker, without the environment and the output of this process. */
function startPdfWorker(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
  return drained(startWorker(import.meta.url, 'pdf-worker.js', { env: {}, stdout: true, stderr: true, resourceLimits }));
}

/** Discards what the thread prints: stdout belongs to the protocol. */
function drained(worker: Worker): Worker {
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}
