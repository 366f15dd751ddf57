import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { errorMessage } from '../../errors.ts';
import type { Host, RelaySocket } from '../host.ts';
import { acceptRelays } from './accept-relays.ts';
import { LineTransport } from './line-transport.ts';
import { serveConnection } from './serve-connection.ts';

/** The client of a process. */
export interface StdioClient {
  /** Identifies the client, also to a process that serves it later. */
  readonly id: string;
  /** Its messages, and the answers. */
  readonly input: Readable;
  readonly output: Writable;
  /** Whether another process served the client before, so that it may have read notes that this one does not know of. */
  readonly hasReadElsewhere?: boolean;
  /** The socket at which this process serves others. */
  readonly socket?: RelaySocket;
}

/** How long closing waits for what the client held to be released; else others release it when the process has ended. */
const MAX_LEAVE_WAIT_MS = 1_000;
/** How long closing waits for calls in progress. */
const MAX_CLOSE_WAIT_MS = 2_000;
/** How long a process that receives a signal waits for answers, part of the 2 s that it has in all. Refusals are answered at once. */
const MAX_SIGNAL_WAIT_MS = 500;

/**
 * Serves one client over stdin and stdout, in its protocol version, until it disconnects or the process receives a signal. Writes that have
 * not begun by then are refused with an error, and change nothing. Relays are served meanwhile if the client came with a socket.
 */
export async function serveStdio(
  host: Host,
  { id, input, output, hasReadElsewhere = false, socket }: StdioClient = { id: 'stdio', input: process.stdin, output: process.stdout },
): Promise<void> {
  const line = new LineTransport(input, output);
  const endRelays = socket === undefined ? () => undefined : acceptRelays(host, socket);
  /** First the relays go on with another process, so that none of their writes is refused. */
  const stopWriting = (): void => {
    endRelays();
    host.stopWriting();
  };
  line.onoverdue = stopWriting;
  const connection = await serveConnection(host, line, { id, connection: host.processName, hasReadElsewhere });
  await Promise.race([
    connection.ended.then(() => leave(host)),
    new Promise<void>((resolve) => {
      const answerRest = (): void => {
        stopWriting();
        void line.answerRest(MAX_SIGNAL_WAIT_MS).then(() => resolve());
      };
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, answerRest);
    }),
  ]);
  stopWriting();
  const closed = host.close().then(() => connection.close());
  await Promise.race([closed, setTimeout(MAX_CLOSE_WAIT_MS, undefined, { ref: false })]);
}

/** Releases what the client held. */
async function leave(host: Host): Promise<void> {
  try {
    await Promise.race([host.leave(host.processName), setTimeout(MAX_LEAVE_WAIT_MS, undefined, { ref: false })]);
  } catch (error) {
    host.log.info(`What the client held is released later: ${errorMessage(error)}`);
  }
}
