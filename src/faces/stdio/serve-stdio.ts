import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Host } from '../host.ts';
import { createMcpServer } from '../mcp/legacy/legacy-server.ts';
import type { ModernConnection } from '../mcp/modern/modern-stdio.ts';
import { LineTransport } from './line-transport.ts';
import { SharedLine } from './shared-line.ts';

/** Where a client's messages come from, and where the answers go. */
export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
  /** Another process served the client before, and knew what it had read. */
  readonly hasReadElsewhere?: boolean;
}

/** How long the end of a connection waits for calls that are still running. */
const GRACE_MS = 2_000;
/** How long a process that is asked to end waits for its answers, of its 2 s in all. What is refused is answered at once. */
const LAST_ANSWERS_MS = 500;

/**
 * Serves one client over stdin and stdout, in the era of the protocol that it speaks, until it goes away or the process is asked to end.
 * Writes that have not begun by then are refused: whoever waits for them hears that nothing was changed, and nothing is.
 */
export async function serveStdio(
  host: Host,
  { input, output, hasReadElsewhere = false }: Streams = { input: process.stdin, output: process.stdout },
): Promise<void> {
  const server = createMcpServer(host, { id: 'stdio', hasReadElsewhere });
  // What the client asks first is answered first; then the vault is opened, before the first tool asks for it.
  const openVault = (): void => void host.state().catch((error: unknown) => host.log.error(String(error)));
  const open: { modern?: ModernConnection } = {};
  const wire = new LineTransport(input, output);
  wire.onoverdue = () => host.stopWriting();
  const line = new SharedLine(wire, async (end) => {
    // Loaded where a client speaks it: the others start without.
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
      void wire.answerRest(LAST_ANSWERS_MS).then(() => resolve());
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, answerRest);
  });
  server.oninitialized = openVault;
  await server.connect(line.legacy);
  await line.start();
  await ended;
  host.stopWriting();
  const closed = host.close().then(() => open.modern?.close());
  await Promise.race([closed, setTimeout(GRACE_MS, undefined, { ref: false })]);
}
