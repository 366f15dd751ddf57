import { RouxError } from '../../../errors.ts';
import type { HeldLock, WriterLock } from './lock.ts';

/** Writes of this process, one after the other, each under the vault's writer lock. */
export interface WriteQueue {
  /** Runs a task under the lock when its turn comes. */
  run<T>(task: Task<T>, options?: TurnOptions): Promise<T>;
  /** Rejects the tasks that have not begun and aborts the signal of the one that runs. Later tasks are accepted. */
  refuseWaiting(reason: RouxError): void;
  /** Resolves when nothing is queued any more; later tasks are refused. */
  close(): Promise<void>;
}

/** How long a task is ready to wait for the lock. */
export interface TurnOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** `signal` is aborted when its caller gives up or waiting tasks are refused: a task heeds it while nothing has happened yet. */
export type Task<T> = (lock: HeldLock, signal: AbortSignal) => Promise<T>;

interface Entry {
  readonly start: Task<void>;
  readonly fail: (error: unknown) => void;
  readonly options: TurnOptions;
}

/** Longest time for which the lock is kept for further tasks while another process waits. */
const FAIR_HOLD_MS = 40;
/** How long this process stands back then: longer than the pauses of a waiter. */
const STAND_BACK_MS = 30;

/** A queue on a lock. Tasks that wait already share one hold of the lock, within reason. */
export function openWriteQueue(lock: WriterLock, onReleaseFailed: (error: unknown) => void): WriteQueue {
  const entries: Entry[] = [];
  let running: Promise<void> = Promise.resolve();
  let isDraining = false;
  let isClosed = false;
  /** Aborts the signal of what is waited for or runs; null while nothing is. */
  let refuse: ((reason: unknown) => void) | null = null;

  /** Gives a signal that is aborted with this one, or when the waiting tasks are refused, until it is ended. */
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

  /** Acquires the lock, unless the waiting tasks are refused or the only one of them is cancelled meanwhile. */
  async function acquire({ signal, timeoutMs }: TurnOptions): Promise<HeldLock> {
    const refusable = beginRefusable(signal);
    try {
      return await lock.acquire({ signal: refusable.signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
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
        held = await acquire((waiting.length === 1 ? waiting[0]?.options : undefined) ?? {});
      } catch (error) {
        // Those that waited from the start fail. Whoever joined them later tries again, by their own time limit and signal.
        for (const entry of waiting) {
          entry.fail(error);
          if (entries[0] === entry) entries.shift();
        }
        continue;
      }
      const since = performance.now();
      let isWanted = false;
      try {
        for (let entry = entries.shift(); entry !== undefined; entry = entries.shift()) {
          if (entry.options.signal?.aborted === true) entry.fail(entry.options.signal.reason);
          else {
            const refusable = beginRefusable(entry.options.signal);
            await entry.start(held, refusable.signal);
            refusable.end();
          }
          if (entries.length > 0 && performance.now() - since > FAIR_HOLD_MS && (isWanted = seemsWanted(held))) break;
        }
      } finally {
        await held.release().catch(onReleaseFailed);
      }
      if (isWanted) await new Promise((resolve) => setTimeout(resolve, STAND_BACK_MS));
    }
    // In one step with the last look at the queue: a task that comes now starts the next round.
    isDraining = false;
  }

  return {
    run<T>(task: Task<T>, options: TurnOptions = {}): Promise<T> {
      if (isClosed) return Promise.reject(new RouxError('CANCELLED', 'The vault is closed.'));
      return new Promise<T>((resolve, reject) => {
        entries.push({ start: (held, signal) => task(held, signal).then(resolve, reject), fail: reject, options });
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

/** Where that cannot be looked at, the lock is given back: who takes it anew tells what is wrong. */
function seemsWanted(held: HeldLock): boolean {
  try {
    return held.isWanted();
  } catch {
    return true;
  }
}
