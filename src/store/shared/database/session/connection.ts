import type { Client, QueryResult } from 'pg';
import { systemCode } from '../../../../errors.ts';
import type { RouxError } from '../../../../errors.ts';
import { cancelled, toStoreError, unavailable } from '../store-error.ts';
import type { Place } from '../store-error.ts';

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Prepared once a connection under this name. */
  readonly name?: string;
}

export interface Patience {
  readonly signal?: AbortSignal | undefined;
  /** How long the answer may take, in milliseconds; 30,000 without it. */
  readonly withinMs?: number;
}

/** One connection to the database. What is asked runs one after the other; everything that fails does so with a RouxError. */
export interface Connection {
  /** Nothing can be asked any more. */
  readonly isLost: boolean;
  /** How many notices the server has sent: it says so when something went other than it should. */
  readonly notices: number;
  /** One statement, with values. An answer that does not come in time, or that is wanted no more, ends the connection. */
  query<Row>(statement: Statement, patience?: Patience): Promise<readonly Row[]>;
  /** Statements without values in one message: the rows of the last one, and the tag of what it did. */
  run<Row>(statements: string, patience?: Patience): Promise<{ readonly rows: readonly Row[]; readonly did: string }>;
  /** Called once, when it is lost or closed; at once if it is. */
  onEnd(listener: () => void): void;
  onNotification(listener: (payload: string) => void): void;
  /** Ends it in the middle of whatever it does, which rejects with `why`. */
  destroy(why?: RouxError): void;
  /** Says goodbye. */
  close(): Promise<void>;
}

/** A small answer that takes longer does not come. */
const ANSWER_MS = 30_000;

/** SQLSTATE of a server that ends the connection: it shuts down, or somebody told it to, or a turn took too long. */
const LAST_WORDS = /^(?:57P0|25P0[34])/;

/** Connects a client of the driver. Rejects with what the driver, the system or the server said. */
export async function openConnection(client: Client, place: Place, signal: AbortSignal | undefined): Promise<Connection> {
  let isLost = false;
  let notices = 0;
  let reason: RouxError | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  const atEnd = new Set<() => void>();

  const lose = (): void => {
    isLost = true;
    for (const listener of atEnd) listener();
    atEnd.clear();
  };
  // Without a listener, an error on a connection that nobody uses at the moment would end the process.
  client.on('error', lose);
  client.on('end', lose);
  client.on('notice', () => (notices += 1));

  const destroy = (why?: RouxError): void => {
    reason ??= why ?? null;
    client.connection.stream.destroy();
    lose();
  };

  /** Waits for the driver, but no longer than one likes. */
  async function within<T>(asked: () => Promise<T>, { signal: stop, withinMs = ANSWER_MS }: Patience): Promise<T> {
    if (stop?.aborted === true) throw cancelled();
    if (isLost) throw reason ?? unavailable(place, 'the connection was lost');
    const abort = (): void => destroy(cancelled());
    const timer = setTimeout(() => destroy(unavailable(place, `no answer within ${Math.round(withinMs / 1000)} seconds`)), withinMs);
    stop?.addEventListener('abort', abort, { once: true });
    try {
      return await asked();
    } catch (error) {
      // The server says goodbye before it goes, and the network may lose that it is gone.
      if (LAST_WORDS.test(systemCode(error) ?? '')) destroy(toStoreError(error, place));
      throw reason ?? toStoreError(error, place);
    } finally {
      clearTimeout(timer);
      stop?.removeEventListener('abort', abort);
    }
  }

  /** The driver takes one question at a time. */
  function inTurn<T>(asked: () => Promise<T>, patience: Patience): Promise<T> {
    const answer = queue.then(() => within(asked, patience));
    queue = answer.catch(() => undefined);
    return answer;
  }

  const stop = (): void => destroy(cancelled());
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
    get notices() {
      return notices;
    },
    query<Row>({ text, values = [], name }: Statement, patience: Patience = {}) {
      const config = { text, values: [...values], ...(name === undefined ? {} : { name }) };
      return inTurn(async () => (await client.query(config)).rows as Row[], patience);
    },
    run<Row>(statements: string, patience: Patience = {}) {
      return inTurn(async () => {
        // An array where there are several statements, which the driver's types do not say.
        const results = (await client.query(statements)) as QueryResult | QueryResult[];
        const last = Array.isArray(results) ? results.at(-1) : results;
        return { rows: (last?.rows ?? []) as Row[], did: last?.command ?? '' };
      }, patience);
    },
    onEnd: (listener) => void (isLost ? listener() : atEnd.add(listener)),
    onNotification: (listener) => void client.on('notification', ({ payload }) => listener(payload ?? '')),
    destroy,
    async close() {
      if (isLost) return;
      lose();
      await client.end().catch(() => undefined);
    },
  };
}
