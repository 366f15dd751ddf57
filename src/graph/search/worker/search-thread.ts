import { startWorker } from '../../../start-worker.ts';
import type { RankedHits, SearchDocument, TermQuery } from '../inverted/text-index.ts';
import type { SearchHost, StoredNotes } from './search-host.ts';

/** Messages to the thread. */
export type SearchAsk =
  | { readonly op: 'put'; readonly documents: readonly SearchDocument[] }
  | { readonly op: 'remove'; readonly keys: readonly number[] }
  | { readonly op: 'rank'; readonly query: TermQuery }
  | { readonly op: 'save'; readonly notes: Uint8Array[] }
  /** `room`: memory of the piece before. */
  | { readonly op: 'piece'; readonly room: Uint8Array }
  | { readonly op: 'load'; readonly bytes: Uint8Array };

/** Messages from the thread. */
export type SearchReply = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string });

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  /** Whether a caller waits for the answer, so that the process must stay alive. */
  readonly isAwaited: boolean;
}

/** Starts a text index in its own thread, which does not keep the process alive. */
export function openSearchThread(): SearchHost {
  const worker = startWorker(import.meta.url, 'search-worker.js');
  worker.unref();
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let ended: Error | null = null;

  function keepAlive(): void {
    if ([...waiting.values()].some(({ isAwaited }) => isAwaited)) worker.ref();
    else worker.unref();
  }

  function end(error: Error): void {
    ended ??= error;
    for (const one of waiting.values()) one.reject(ended);
    waiting.clear();
  }

  worker.on('error', end);
  worker.on('exit', (status) => end(new Error(`The search thread ended with status ${status}.`)));
  worker.on('message', (reply: SearchReply) => {
    const one = waiting.get(reply.id);
    waiting.delete(reply.id);
    keepAlive();
    if ('error' in reply) one?.reject(new Error(reply.error));
    else one?.resolve(reply.value);
  });

  /** `given`: what the thread takes over, without a copy. */
  function ask<T>(message: SearchAsk, isAwaited: boolean, given: readonly ArrayBuffer[] = []): Promise<T> {
    if (ended !== null) return Promise.reject(ended);
    lastId += 1;
    worker.postMessage({ ...message, id: lastId }, given);
    return answerTo<T>(lastId, isAwaited);
  }

  /** Separate from `ask`, so that the closures, which live long in V8's Map, do not hold the message with the texts of notes. */
  function answerTo<T>(id: number, isAwaited: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      waiting.set(id, { resolve: (value) => resolve(value as T), reject, isAwaited });
      keepAlive();
    });
  }

  return {
    put: (documents) => ask<void>({ op: 'put', documents }, false),
    remove: (keys) => ask<void>({ op: 'remove', keys }, false),
    rank: (query) => ask<RankedHits>({ op: 'rank', query }, true),
    save: async function* (notes) {
      let piece = await ask<Uint8Array | boolean>({ op: 'save', notes }, true, notes.flatMap(ownBuffer));
      while (typeof piece !== 'boolean') {
        yield piece;
        // There and back: what is received is only freed by a collection, for which the main thread may have no other reason.
        const room = new Uint8Array(piece.buffer);
        piece = await ask<Uint8Array | boolean>({ op: 'piece', room }, true, ownBuffer(room));
      }
      return piece;
    },
    load: (bytes) => ask<StoredNotes | null>({ op: 'load', bytes }, false, ownBuffer(bytes)),
    close: async () => {
      end(new Error('The search index is closed.'));
      await worker.terminate();
    },
  };
}

/** Returns the buffer of bytes that have one of their own, so that the thread can take it over. */
function ownBuffer({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
