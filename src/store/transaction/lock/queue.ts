import { setTimeout } from 'node:timers/promises';
import { RouxError } from '../../../errors.ts';
import { toAbortReason } from '../../folder/system-error.ts';
import type { HeldLock } from './held-lock.ts';
import { LOCK_TIMEOUT_MS } from './lock.ts';
import type { WriterLock } from './lock.ts';

/** Runs the writes of this process one after the other, each under the vault's writer lock. */
export interface WriteQueue {
  /** Runs a task under the lock when its turn comes. */
  run<T>(task: Task<T>, options?: TurnOptions): Promise<T>;
  /** Rejects the tasks that have not started and aborts the signal of the running one. Later tasks are accepted. */
  refuseWaiting(reason: RouxError): void;
  /** Resolves when the queue is empty. Later tasks are rejected. */
  close(): Promise<void>;
}

/** How long a task waits for the lock at most. What passes while this process has the lock does not count. */
export interface TurnOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** `signal` is aborted when the caller gives up or waiting tasks are refused. A task obeys it as long as it has changed nothing. */
export type Task<T> = (lock: HeldLock, signal: AbortSignal) => Promise<T>;

interface Entry {
  readonly start: Task<void>;
  readonly fail: (error: unknown) => void;
  readonly options: TurnOptions;
  /** When it was added, in milliseconds of `performance.now()`. */
  readonly since: number;
}

/**
 * How long this process keeps the lock for further tasks while another process waits. It counts from the end of the first task, which also
 * has to take in what all others wrote meanwhile: further tasks are cheap beside it, for the others too.
 */
const MAX_SLICE_MS = 30;
/** How long it waits for a further task then: a client that has its answer may have the next call ready. */
const MAX_LINGER_MS = 5;

/** Opens a queue on a lock. Tasks that wait at the same time share one hold of the lock, unless another process waits too. */
export function openWriteQueue(lock: Pick<WriterLock, 'acquire'>, onReleaseFailed: (error: unknown) => void): WriteQueue {
  const entries: Entry[] = [];
  let running: Promise<void> = Promise.resolve();
  let isDraining = false;
  let releasedAt = 0;
  let isClosed = false;
  let onEntry = (): void => undefined;
  const nextEntry = (): Promise<void> => new Promise((resolve) => (onEntry = resolve));
  /** Aborts the signal of the running task, or of the wait for the lock; null when there is neither. */
  let refuse: ((reason: unknown) => void) | null = null;

  /** Returns a signal that is aborted with this one or when the waiting tasks are refused, until `end` is called. */
  function beginRefusable(signal: AbortSignal | undefined): { readonly signal: AbortSignal; end(): void } {
    const controller = new AbortController();
    const cancel = (): void => controller.abort(signal?.reason);
    refuse = (reason) => controller.abort(reason);
    if (signal?.aborted === true) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    const end = (): void => {
      refuse = null;
      signal?.removeEventListener('abort', cancel);
    };
    return { signal: controller.signal, end };
  }

  const waitsSince = ({ since }: Entry): number => Math.max(since, releasedAt);
  const givesUpAt = (entry: Entry): number => waitsSince(entry) + (entry.options.timeoutMs ?? LOCK_TIMEOUT_MS);

  /** Acquires the lock for tasks that wait, until the first of them gives up. Rejects when they are refused, or when the signal of a single one is aborted. */
  async function acquire(waiting: readonly Entry[]): Promise<HeldLock> {
    const refusable = beginRefusable(waiting.length === 1 ? waiting[0]?.options.signal : undefined);
    const first = waiting.reduce((soonest, entry) => (givesUpAt(entry) < givesUpAt(soonest) ? entry : soonest));
    try {
      return await lock.acquire({ signal: refusable.signal, since: waitsSince(first), timeoutMs: first.options.timeoutMs });
    } finally {
      refusable.end();
    }
  }

  async function drain(): Promise<void> {
    isDraining = true;
    while (entries.length > 0) {
      const waiting = [...entries];
      let held: HeldLock;
      try {
        held = await acquire(waiting);
      } catch (error) {
        // Those whose time is over fail, or for another reason all that waited from the start. The others try again.
        const over = waiting.filter((entry) => givesUpAt(entry) < performance.now());
        for (const entry of over.length > 0 ? over : waiting) {
          entry.fail(error);
          const at = entries.indexOf(entry);
          if (at !== -1) entries.splice(at, 1);
        }
        continue;
      }
      let end = Infinity;
      try {
        for (let entry = entries.shift(); entry !== undefined; entry = entries.shift()) {
          if (entry.options.signal?.aborted === true) entry.fail(entry.options.signal.reason);
          else {
            const refusable = beginRefusable(entry.options.signal);
            await entry.start(held, refusable.signal);
            refusable.end();
          }
          end = Math.min(end, performance.now() + MAX_SLICE_MS);
          if (entries.length === 0 && held.isContended && performance.now() + MAX_LINGER_MS < end)
            await Promise.race([nextEntry(), setTimeout(MAX_LINGER_MS)]);
          if (entries.length > 0 && performance.now() >= end && seemsWanted(held)) break;
        }
      } finally {
        await held.release().catch(onReleaseFailed);
        releasedAt = performance.now();
      }
    }
    // Synchronous with the last check of the queue: a task that comes now starts the next round.
    isDraining = false;
  }

  return {
    run<T>(task: Task<T>, options: TurnOptions = {}): Promise<T> {
      if (isClosed) return Promise.reject(new RouxError('CANCELLED', 'The vault is closed.'));
      return new Promise<T>((resolve, reject) => {
        const start: Task<void> = (held, signal) =>
          task(held, signal).then(resolve, (error: unknown) => reject(toAbortReason(error, signal)));
        entries.push({ start, fail: reject, options, since: performance.now() });
        onEntry();
        if (!isDraining) running = drain();
      });
    },
    refuseWaiting(reason) {
      for (const entry of entries.splice(0)) entry.fail(reason);
      refuse?.(reason);
    },
    async close() {
      isClosed = true;
      while (isDraining) await running;
    },
  };
}

/** If the folder cannot be read, the lock is released too: the next attempt to acquire it reports the error. */
function seemsWanted(held: HeldLock): boolean {
  try {
    return held.isWanted();
  } catch {
    return true;
  }
}
