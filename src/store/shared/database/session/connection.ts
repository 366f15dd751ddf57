import type { Client, QueryResult } from 'pg';
import { systemCode } from '../../../../errors.ts';
import type { RouxError } from '../../../../errors.ts';
import { cancelledError, toStoreError, unavailableError } from '../store-error.ts';
import type { StoreAddress } from '../store-error.ts';

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** The statement is prepared under this name, once for each connection. */
  readonly name?: string;
}

export interface QueryOptions {
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds (30,000). */
  readonly timeoutMs?: number;
}

/** A connection to the database. Statements run one after the other. All methods reject with a RouxError. */
export interface Connection {
  /** It cannot be used any more. */
  readonly isLost: boolean;
  /** The number of notices of the server, which sends one if something did not go as it should. */
  readonly noticeCount: number;
  /** Runs one statement with values. A timeout or an abort destroys the connection. */
  query<Row>(statement: Statement, options?: QueryOptions): Promise<readonly Row[]>;
  /** Runs statements without values in one message; returns the rows and the command tag of the last one. */
  run<Row>(statements: string, options?: QueryOptions): Promise<{ readonly rows: readonly Row[]; readonly command: string }>;
  /** Calls the listener once, when the connection is lost or closed; at once if it is already. */
  onEnd(listener: () => void): void;
  onNotification(listener: (payload: string) => void): void;
  /** Ends the connection at once. A running statement rejects with `reason`. */
  destroy(reason?: RouxError): void;
  /** Ends the connection as the protocol has it. */
  close(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** SQLSTATE of a server that ends the connection: it shuts down, an administrator ended it, or a transaction was idle for too long. */
const CLOSING_STATES = /^(?:57P0|25P0[34])/;

/** Connects a client of the driver. Rejects with the error of the driver, the system or the server. */
export async function openConnection(client: Client, store: StoreAddress, signal: AbortSignal | undefined): Promise<Connection> {
  let isLost = false;
  let noticeCount = 0;
  let reason: RouxError | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  const onEnd = new Set<() => void>();

  const setLost = (): void => {
    isLost = true;
    for (const listener of onEnd) listener();
    onEnd.clear();
  };
  // Without a listener, an error on an idle connection would end the process.
  client.on('error', setLost);
  client.on('end', setLost);
  client.on('notice', () => (noticeCount += 1));

  const destroy = (why?: RouxError): void => {
    reason ??= why ?? null;
    client.connection.stream.destroy();
    setLost();
  };

  async function withTimeout<T>(ask: () => Promise<T>, { signal: stop, timeoutMs = DEFAULT_TIMEOUT_MS }: QueryOptions): Promise<T> {
    if (stop?.aborted === true) throw cancelledError();
    if (isLost) throw reason ?? unavailableError(store, 'the connection was lost');
    const abort = (): void => destroy(cancelledError());
    const expire = (): void => destroy(unavailableError(store, `no answer within ${Math.round(timeoutMs / 1000)} seconds`));
    const timer = setTimeout(expire, timeoutMs);
    stop?.addEventListener('abort', abort, { once: true });
    try {
      return await ask();
    } catch (error) {
      // After such an error the server closes the connection, and the network may lose that message.
      if (CLOSING_STATES.test(systemCode(error) ?? '')) destroy(toStoreError(error, store));
      throw reason ?? toStoreError(error, store);
    } finally {
      clearTimeout(timer);
      stop?.removeEventListener('abort', abort);
    }
  }

  /** The driver runs one statement at a time; a timeout starts when the statement does. */
  function enqueue<T>(ask: () => Promise<T>, options: QueryOptions): Promise<T> {
    const answer = queue.then(() => withTimeout(ask, options));
    queue = answer.catch(() => undefined);
    return answer;
  }

  const stop = (): void => destroy(cancelledError());
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
  } catch (error) {
    destroy();
    throw reason ?? error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }

  return {
    get isLost() {
      return isLost;
    },
    get noticeCount() {
      return noticeCount;
    },
    query<Row>({ text, values = [], name }: Statement, options: QueryOptions = {}) {
      const config = { text, values: [...values], ...(name === undefined ? {} : { name }) };
      return enqueue(async () => (await client.query(config)).rows as Row[], options);
    },
    run<Row>(statements: string, options: QueryOptions = {}) {
      return enqueue(async () => {
        // Several statements return an array, which the types of the driver do not say.
        const results = (await client.query(statements)) as QueryResult | QueryResult[];
        const last = Array.isArray(results) ? results.at(-1) : results;
        return { rows: (last?.rows ?? []) as Row[], command: last?.command ?? '' };
      }, options);
    },
    onEnd: (listener) => void (isLost ? listener() : onEnd.add(listener)),
    onNotification: (listener) => void client.on('notification', ({ payload }) => listener(payload ?? '')),
    destroy,
    async close() {
      if (isLost) return;
      setLost();
      await client.end().catch(() => undefined);
    },
  };
}
