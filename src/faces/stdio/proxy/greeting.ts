import type { Socket } from 'node:net';
import type { GivenSettings } from '../../host.ts';

/** What a relaying process says of itself before the messages of its client: how it would serve the client itself. */
export interface Greeting extends GivenSettings {
  readonly version: string;
  /** The time zone that its environment names; empty if it names none. */
  readonly timeZone: string;
  /** Its vaults, where it has several, by their keys (`RelaySocket.vault`) and as it names them; else it is of the vault at whose socket it is. */
  readonly vaults?: readonly { readonly key: string; readonly name: string }[];
  /** Identifies its client, also to the process that serves it next. */
  readonly client: string;
  /** The name of the process, with which the session of its client ends (`Caller.connection`). */
  readonly connection: string;
  /** Whether another process served the client before. */
  readonly hasReadElsewhere: boolean;
}

/** The answers to a greeting. */
export const SERVED = 'served';
export const REFUSED = 'refused';

/**
 * How long to wait for the answer to a greeting. A process answers once it has loaded, which takes seconds on a busy machine, and one that is
 * stopped never does. Clients wait about a minute for an answer.
 */
const MAX_ANSWER_WAIT_MS = 10_000;
const MAX_ANSWER_BYTES = 64;

/** Greets the process at the other end of a socket. Returns whether it serves the client; the messages follow on this socket. */
export async function greet(socket: Socket, greeting: Greeting): Promise<boolean> {
  socket.write(`${JSON.stringify(greeting)}\n`);
  return (await readFirstLine(socket, { maxBytes: MAX_ANSWER_BYTES, maxWaitMs: MAX_ANSWER_WAIT_MS })) === SERVED;
}

/** Reads one line and leaves the rest in the socket, paused. Null if the line does not come, or is too long. */
export function readFirstLine(
  socket: Socket,
  { maxBytes, maxWaitMs }: { readonly maxBytes: number; readonly maxWaitMs: number },
): Promise<string | null> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0);
    const end = (line: string | null): void => {
      clearTimeout(timer);
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onEnd);
      socket.pause();
      resolve(line);
    };
    const onEnd = (): void => end(null);
    const onData = (chunk: Buffer): void => {
      read = Buffer.concat([read, chunk]);
      const at = read.indexOf('\n');
      if (at === -1 ? read.length > maxBytes : at > maxBytes) return end(null);
      if (at === -1) return undefined;
      end(read.toString('utf8', 0, at));
      if (at + 1 < read.length) socket.unshift(read.subarray(at + 1));
      return undefined;
    };
    const timer = setTimeout(onEnd, maxWaitMs);
    socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd);
    socket.resume();
  });
}
