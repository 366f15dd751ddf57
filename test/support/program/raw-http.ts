import { connect } from 'node:net';
import { waitFor } from '../wait-for.ts';

/** One request as it is written on the wire: no client normalises its target. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers?: readonly string[];
}

/** Sends requests over one connection, one behind the other, and returns the status of each answer in their order. */
export async function askRaw(port: number, requests: readonly RawRequest[], localAddress?: string): Promise<readonly number[]> {
  const socket = connect({ port, host: '127.0.0.1', ...(localAddress === undefined ? {} : { localAddress }) });
  let text = '';
  let isClosed = false;
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  socket.on('close', () => (isClosed = true));
  for (const { method, target, headers = [] } of requests)
    socket.write(`${[`${method} ${target} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`, 'latin1');
  const statuses = (): number[] => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  try {
    await waitFor(() => isClosed || statuses().length >= requests.length, {
      what: `answers to ${requests.length} requests, of which there are ${statuses().length}`,
      timeoutMs: 120_000,
    });
    return statuses();
  } finally {
    socket.destroy();
  }
}
