import { RouxError } from '../../../../errors.ts';
import type { Session } from './connect.ts';
import type { Connection } from './connection.ts';
import { cancelledError } from '../store-error.ts';

/** Connections that are reused; idle ones are closed after a while. */
export interface ConnectionPool {
  /** Returns a connection for exclusive use, an idle or a new one. Waits while all are in use; `LOCK_TIMEOUT` after `timeoutMs`. */
  acquire(options?: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number }): Promise<PooledSession>;
  /** Runs a query that may run twice: if a reused connection turns out to be lost, it is repeated on a new one. An abort ends it at once. */
  use<T>(query: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Closes idle connections, and each other one when it is released; resolves with the last one. Rejects whoever waits for a connection. */
  close(): Promise<void>;
}

export interface PooledSession {
  readonly session: Session;
  /** It was idle, and the connection may have been lost unnoticed. */
  readonly isReused: boolean;
  /** Returns it to the pool; nothing may run on it any more. */
  readonly release: () => void;
}

interface Idle {
  readonly session: Session;
  readonly timer: NodeJS.Timeout;
}

const IDLE_MS = 30_000;

/** Whether an error says only that the connection was lost. */
export function isConnectionLoss(error: unknown, { isLost }: Connection): boolean {
  return isLost && error instanceof RouxError && error.code === 'STORE_UNAVAILABLE';
}

/** Opens a pool of at most `max` connections, which are opened when they are needed. */
export function openConnectionPool(open: (signal: AbortSignal | undefined) => Promise<Session>, max: number): ConnectionPool {
  const idle: Idle[] = [];
  const waiting = new Set<() => void>();
  const onUnused: (() => void)[] = [];
  let used = 0;
  let isClosed = false;

  function addIdle(session: Session): void {
    const entry: Idle = {
      session,
      // Closing it removes it from the list.
      timer: setTimeout(() => void session.connection.close(), IDLE_MS).unref(),
    };
    idle.push(entry);
    session.connection.onEnd(() => removeIdle(entry));
  }

  function removeIdle(entry: Idle): void {
    clearTimeout(entry.timer);
    const index = idle.indexOf(entry);
    if (index !== -1) idle.splice(index, 1);
  }

  function release(session: Session | null): void {
    used -= 1;
    if (session !== null && !session.connection.isLost) {
      if (isClosed) session.connection.destroy();
      else addIdle(session);
    }
    const [next] = waiting;
    if (next !== undefined) next();
    else if (used === 0) for (const listener of onUnused.splice(0)) listener();
  }

  /** Waits until one more connection may be used, and counts it as used. */
  async function waitForSlot(signal: AbortSignal | undefined, timeoutMs: number | undefined): Promise<void> {
    if (signal?.aborted === true || isClosed) throw cancelledError();
    if (used < max && waiting.size === 0) return void (used += 1);
    await new Promise<void>((resolve, reject) => {
      const settle = (error: RouxError | null) => () => {
        if (!waiting.delete(next)) return;
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        if (error === null && !isClosed) {
          used += 1;
          resolve();
        } else reject(error ?? cancelledError('The store is being closed.'));
      };
      const next = settle(null);
      const abort = settle(cancelledError());
      const expire = settle(
        new RouxError('LOCK_TIMEOUT', 'Other writes to the store took all the time; try again.', undefined, { retryable: true }),
      );
      const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
      signal?.addEventListener('abort', abort, { once: true });
      waiting.add(next);
    });
  }

  async function acquire({ signal, timeoutMs }: Parameters<ConnectionPool['acquire']>[0] = {}, mustBeNew = false): Promise<PooledSession> {
    await waitForSlot(signal, timeoutMs);
    const reused = mustBeNew ? undefined : idle.at(-1);
    if (reused !== undefined) removeIdle(reused);
    try {
      const session = reused?.session ?? (await open(signal));
      return { session, isReused: reused !== undefined, release: () => release(session) };
    } catch (error) {
      release(null);
      throw error;
    }
  }

  return {
    acquire: (options) => acquire(options),
    async use(query, signal) {
      for (let mustBeNew = false; ; mustBeNew = true) {
        const pooled = await acquire({ signal }, mustBeNew);
        const { connection } = pooled.session;
        const abort = (): void => connection.destroy(cancelledError());
        signal?.addEventListener('abort', abort, { once: true });
        try {
          return await query(connection);
        } catch (error) {
          if (!pooled.isReused || !isConnectionLoss(error, connection)) throw error;
        } finally {
          signal?.removeEventListener('abort', abort);
          pooled.release();
        }
      }
    },
    async close() {
      isClosed = true;
      for (const next of waiting) next();
      if (used > 0) await new Promise<void>((resolve) => void onUnused.push(resolve));
      await Promise.all([...idle].map(({ session }) => session.connection.close()));
    },
  };
}
