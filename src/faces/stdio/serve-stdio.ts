import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Host } from '../host.ts';
import { createMcpServer } from '../mcp/legacy/legacy-server.ts';
import type { ModernConnection } from '../mcp/modern/modern-stdio.ts';
import { LineTransport } from './line-transport.ts';
import { ProtocolSniffer } from './protocol-sniffer.ts';

/** The streams of a client: its messages, and the answers. */
export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
  /** Whether another process served the client before, so that it may have read notes that this one does not know of. */
  readonly hasReadElsewhere?: boolean;
}

/** How long closing waits for calls in progress. */
const MAX_CLOSE_WAIT_MS = 2_000;
/** How long a process that receives a signal waits for answers, part of the 2 s that it has in all. Refusals are answered at once. */
const MAX_SIGNAL_WAIT_MS = 500;

/**
 * Serves one client over stdin and stdout, in its protocol version, until it disconnects or the process receives a signal. Writes that have
 * not begun by then are refused with an error, and change nothing.
 */
export async function serveStdio(
  host: Host,
  { input, output, hasReadElsewhere = false }: Streams = { input: process.stdin, output: process.stdout },
): Promise<void> {
  const server = createMcpServer(host, { id: 'stdio', hasReadElsewhere });
  // Opens the vault after the first answer, but before a tool needs it.
  const openVault = (): void => void host.state().catch((error: unknown) => host.log.error(String(error)));
  const open: { modern?: ModernConnection } = {};
  const wire = new LineTransport(input, output);
  wire.onoverdue = () => host.stopWriting();
  const sniffer = new ProtocolSniffer(wire, async (end) => {
    // Imported lazily, only for clients of that revision.
    open.modern = (await import('../mcp/modern/modern-stdio.ts')).serveModernStdio(host, end);
    setImmediate(openVault);
  });
  const ended = new Promise<void>((resolve) => {
    const onclose = server.onclose;
    server.onclose = () => {
      onclose?.();
      resolve();
    };
    const answerRest = (): void => {
      host.stopWriting();
      void wire.answerRest(MAX_SIGNAL_WAIT_MS).then(() => resolve());
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, answerRest);
  });
  server.oninitialized = openVault;
  await server.connect(sniffer.legacy);
  await sniffer.start();
  await ended;
  host.stopWriting();
  const closed = host.close().then(() => open.modern?.close());
  await Promise.race([closed, setTimeout(MAX_CLOSE_WAIT_MS, undefined, { ref: false })]);
}
