import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { errorMessage } from '../../errors.ts';
import type { Host } from '../host.ts';
import { acceptRelays, listen } from './accept-relays.ts';
import { LineTransport } from './line-transport.ts';
import { serveConnection } from './serve-connection.ts';

/** The client of a process. */
export interface StdioClient {
  /** Identifies the client, also to a process that serves it later. */
  readonly id: string;
  /** The name of its connection (`Caller.connection`), if that outlives this process. */
  readonly connection?: string;
  /** Its messages, and the answers. */
  readonly input: Readable;
  readonly output: Writable;
  /** Whether another process served the client before, so that it may have read notes that this one does not know of. */
  readonly hasReadElsewhere?: boolean;
  /** Whether another process began to serve the client. */
  readonly wasServed?: boolean;
  /** Whether this process serves others too. */
  readonly servesOthers?: boolean;
}

/** How long closing waits for what the client held to be released; else others release it when the process has ended. */
const MAX_LEAVE_WAIT_MS = 1_000;
/** How long closing waits for calls in progress. */
const MAX_CLOSE_WAIT_MS = 2_000;
/** How long a process that receives a signal waits for answers, part of the 2 s that it has in all. Refusals are answered at once. */
const MAX_SIGNAL_WAIT_MS = 500;

/**
 * Serves one client of one or several vaults over stdin and stdout, in its protocol version, until it disconnects or the process receives a
 * signal. Writes that have not begun by then are refused with an error, and change nothing. With `servesOthers`, the fronts of other clients
 * are served meanwhile.
 */
export async function serveStdio(
  hosts: readonly [Host, ...Host[]],
  { id, connection: name, input, output, hasReadElsewhere = false, servesOthers = false }: StdioClient = {
    id: 'stdio',
    input: process.stdin,
    output: process.stdout,
  },
): Promise<void> {
  const line = new LineTransport(input, output);
  const endRelays = servesOthers ? serveRelays(hosts) : () => undefined;
  /** First the relays go on with another process, so that none of their writes is refused. */
  const stopWriting = (): void => {
    endRelays();
    for (const host of hosts) host.stopWriting();
  };
  line.onoverdue = stopWriting;
  const caller = { id, connection: name ?? hosts[0].processName, hasReadElsewhere };
  const connection = await serveConnection(hosts, line, caller);
  await Promise.race([
    connection.ended.then(() => Promise.all(hosts.map((host) => leave(host, caller.connection)))),
    new Promise<void>((resolve) => {
      const answerRest = (): void => {
        stopWriting();
        void line.answerRest(MAX_SIGNAL_WAIT_MS).then(() => resolve());
      };
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, answerRest);
    }),
  ]);
  stopWriting();
  const closed = Promise.all(hosts.map((host) => host.close())).then(() => connection.close());
  await Promise.race([closed, setTimeout(MAX_CLOSE_WAIT_MS, undefined, { ref: false })]);
}

/** Serves other processes as soon as there are sockets. Returns a function that ends this. */
function serveRelays(hosts: readonly Host[]): () => void {
  let isEnded = false;
  let end = (): void => void (isEnded = true);
  void Promise.all(hosts.map(listen)).then((sockets) => {
    const endRelays = acceptRelays(hosts, sockets);
    if (isEnded) endRelays();
    else end = endRelays;
  });
  return () => end();
}

/** Releases what the client held. */
async function leave(host: Host, connection: string): Promise<void> {
  try {
    await Promise.race([host.leave(connection), setTimeout(MAX_LEAVE_WAIT_MS, undefined, { ref: false })]);
  } catch (error) {
    host.log.info(`What the client held is released later: ${errorMessage(error)}`);
  }
}
