import { RouxError } from '../../../../errors.ts';
import type { Session } from './connect.ts';
import type { Connection } from './connection.ts';
import { cancelled } from '../store-error.ts';

/** Connections that are kept for a while between uses. */
export interface Connections {
  /**
   * A connection for nobody else until it is given back, one that is there or a new one. `isKept`: it lay idle, and may have been
   * lost without a word. Waits for one where all are taken, for at most so many milliseconds: `LOCK_TIMEOUT`.
   */
  take(patience?: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number }): Promise<Taken>;
  /** Runs a question that may be asked twice: once more on a new connection where one that lay idle turns out lost. The signal ends it at once. */
  use<T>(ask: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Closes those that lie idle, and each other one when it is given back, and resolves with the last one; whoever waits is refused. */
  close(): Promise<void>;
}

export interface Taken {
  readonly session: Session;
  readonly isKept: boolean;
  /** Nothing may be under way on it. */
  readonly giveBack: () => void;
}

interface Idle {
  readonly session: Session;
  readonly timer: NodeJS.Timeout;
}

const IDLE_MS = 30_000;

/** Whether this is what the loss of a connection says: nothing else has gone wrong. */
export function isLostBy(error: unknown, { isLost }: Connection): boolean {
  return isLost && error instanceof RouxError && error.code === 'STORE_UNAVAILABLE';
}

/** At most so many connections at a time, opened as they are needed. */
export function openConnections(open: (signal: AbortSignal | undefined) => Promise<Session>, most: number): Connections {
  const idle: Idle[] = [];
  const waiting = new Set<() => void>();
  const atRest: (() => void)[] = [];
  let taken = 0;
  let isClosed = false;

  function keep(session: Session): void {
    const entry: Idle = {
      session,
      // Its end takes it out.
      timer: setTimeout(() => void session.connection.close(), IDLE_MS).unref(),
    };
    idle.push(entry);
    session.connection.onEnd(() => remove(entry));
  }

  function remove(entry: Idle): void {
    clearTimeout(entry.timer);
    const index = idle.indexOf(entry);
    if (index !== -1) idle.splice(index, 1);
  }

  function giveBack(session: Session | null): void {
    taken -= 1;
    if (session !== null && !session.connection.isLost) {
      if (isClosed) session.connection.destroy();
      else keep(session);
    }
    const [next] = waiting;
    if (next !== undefined) next();
    else if (taken === 0) for (const listener of atRest.splice(0)) listener();
  }

  /** Resolves when one may be taken. */
  async function turn(signal: AbortSignal | undefined, timeoutMs: number | undefined): Promise<void> {
    if (signal?.aborted === true || isClosed) throw cancelled();
    if (taken < most && waiting.size === 0) return void (taken += 1);
    await new Promise<void>((resolve, reject) => {
      const settle = (why: RouxError | null) => () => {
        if (!waiting.delete(go)) return;
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        if (why === null && !isClosed) {
          taken += 1;
          resolve();
        } else reject(why ?? cancelled('The store is being closed.'));
      };
      const go = settle(null);
      const abort = settle(cancelled());
      const late = settle(
        new RouxError('LOCK_TIMEOUT', 'Other writes to the store took all the time; try again.', undefined, { retryable: true }),
      );
      const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
      signal?.addEventListener('abort', abort, { once: true });
      waiting.add(go);
    });
  }

  async function take({ signal, timeoutMs }: Parameters<Connections['take']>[0] = {}, mustBeNew = false): Promise<Taken> {
    await turn(signal, timeoutMs);
    const kept = mustBeNew ? undefined : idle.at(-1);
    if (kept !== undefined) remove(kept);
    try {
      const session = kept?.session ?? (await open(signal));
      return { session, isKept: kept !== undefined, giveBack: () => giveBack(session) };
    } catch (error) {
      giveBack(null);
      throw error;
    }
  }

  return {
    take: (patience) => take(patience),
    async use(ask, signal) {
      for (let mustBeNew = false; ; mustBeNew = true) {
        const { session, isKept, giveBack: done } = await take({ signal }, mustBeNew);
        const { connection } = session;
        const abort = (): void => connection.destroy(cancelled());
        signal?.addEventListener('abort', abort, { once: true });
        try {
          return await ask(connection);
        } catch (error) {
          if (!isKept || !isLostBy(error, connection)) throw error;
        } finally {
          signal?.removeEventListener('abort', abort);
          done();
        }
      }
    },
    async close() {
      isClosed = true;
      for (const go of waiting) go();
      if (taken > 0) await new Promise<void>((resolve) => void atRest.push(resolve));
      await Promise.all([...idle].map(({ session }) => session.connection.close()));
    },
  };
}
