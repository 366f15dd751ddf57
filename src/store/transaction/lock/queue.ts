import { RouxError } from '../../../errors.ts';
import type { HeldLock, WriterLock } from './lock.ts';

/** Writes of this process, one after the other, each under the vault's writer lock. */
export interface WriteQueue {
  /** Runs a task under the lock when its turn comes. */
  run<T>(task: (lock: HeldLock) => Promise<T>, options?: TurnOptions): Promise<T>;
  /** Rejects the tasks that have not begun; one that runs is finished, and later tasks are accepted. */
  refuseWaiting(reason: RouxError): void;
  /** Resolves when nothing is queued any more; later tasks are refused. */
  close(): Promise<void>;
}

/** How long a task is ready to wait for the lock. */
export interface TurnOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

interface Entry {
  readonly start: (lock: HeldLock) => Promise<void>;
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
  /** Ends the wait for the lock; null while nobody waits for it. */
  let stopWaiting: ((reason: unknown) => void) | null = null;

  /** Acquires the lock, unless the waiting tasks are refused or the only one of them is cancelled meanwhile. */
  async function acquire({ signal, timeoutMs }: TurnOptions): Promise<HeldLock> {
    const waiting = new AbortController();
    const cancel = (): void => waiting.abort(signal?.reason);
    stopWaiting = (reason) => waiting.abort(reason);
    if (signal?.aborted === true) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await lock.acquire({ signal: waiting.signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    } finally {
      stopWaiting = null;
      signal?.removeEventListener('abort', cancel);
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
          else await entry.start(held);
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
    run<T>(task: (lock: HeldLock) => Promise<T>, options: TurnOptions = {}): Promise<T> {
      if (isClosed) return Promise.reject(new RouxError('CANCELLED', 'The vault is closed.'));
      return new Promise<T>((resolve, reject) => {
        entries.push({ start: (held) => task(held).then(resolve, reject), fail: reject, options });
        if (!isDraining) running = drain();
      });
    },
    refuseWaiting(reason) {
      for (const entry of entries.splice(0)) entry.fail(reason);
      stopWaiting?.(reason);
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
