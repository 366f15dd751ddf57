import { setTimeout } from 'node:timers/promises';
import type { Host } from '../host.ts';
import { createMcpServer } from '../mcp/server.ts';
import { LineTransport } from './line-transport.ts';

/** How long the end of a connection waits for calls that are still running. */
const GRACE_MS = 2_000;

/** Serves one client over stdin and stdout until it goes away or the process is asked to end. */
export async function serveStdio(host: Host): Promise<void> {
  const server = createMcpServer(host, 'stdio');
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
  // `initialize` is answered first; then the vault is opened, before the first tool asks for it.
  server.oninitialized = () => void host.state().catch((error: unknown) => host.log.error(String(error)));
  await server.connect(new LineTransport(process.stdin, process.stdout));
  await ended;
  await Promise.race([host.close(), setTimeout(GRACE_MS, undefined, { ref: false })]);
}
