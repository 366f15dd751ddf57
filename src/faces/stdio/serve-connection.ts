import type { Host } from '../host.ts';
import type { McpCaller } from '../mcp/caller.ts';
import { createMcpServer } from '../mcp/legacy/legacy-server.ts';
import type { ModernConnection } from '../mcp/modern/modern-stdio.ts';
import type { LineTransport } from './line-transport.ts';
import { ProtocolSniffer } from './protocol-sniffer.ts';

/** A client that is being served. */
export interface Connection {
  /** Resolves when the client has disconnected. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client over a line in its protocol version. */
export async function serveConnection(host: Host, line: LineTransport, caller: McpCaller): Promise<Connection> {
  const server = createMcpServer(host, caller);
  // Opens the vault after the first answer, but before a tool needs it.
  const openVault = (): void => void host.state().catch((error: unknown) => host.log.error(String(error)));
  let modern: ModernConnection | undefined;
  const sniffer = new ProtocolSniffer(line, async (end) => {
    // Imported lazily, only for clients of that revision.
    modern = (await import('../mcp/modern/modern-stdio.ts')).serveModernStdio(host, end, caller);
    setImmediate(openVault);
  });
  const ended = new Promise<void>((resolve) => {
    const onclose = server.onclose;
    server.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  server.oninitialized = openVault;
  await server.connect(sniffer.legacy);
  await sniffer.start();
  return { ended, close: async () => modern?.close() };
}
