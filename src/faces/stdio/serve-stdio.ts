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

/** Serves one client over stdin and stdout, in the era of the protocol that it speaks, until it goes away or the process is asked to end. */
export async function serveStdio(
  host: Host,
  { input, output, hasReadElsewhere = false }: Streams = { input: process.stdin, output: process.stdout },
): Promise<void> {
  const server = createMcpServer(host, { id: 'stdio', hasReadElsewhere });
  // What the client asks first is answered first; then the vault is opened, before the first tool asks for it.
  const openVault = (): void => void host.state().catch((error: unknown) => host.log.error(String(error)));
  const open: { modern?: ModernConnection } = {};
  const line = new SharedLine(new LineTransport(input, output), async (end) => {
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
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
    process.once('SIGHUP', () => resolve());
  });
  server.oninitialized = openVault;
  await server.connect(line.legacy);
  await line.start();
  await ended;
  const closed = host.close().then(() => open.modern?.close());
  await Promise.race([closed, setTimeout(GRACE_MS, undefined, { ref: false })]);
}
