import type { Host } from '../host.ts';
import type { McpCaller } from '../mcp/caller.ts';
import { createSurface } from '../mcp/surface/surface.ts';
import type { CreateSurface } from '../mcp/surface/surface.ts';
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

/** Serves one client of one or several vaults over a line in its protocol version. */
export async function serveConnection(hosts: readonly Host[], line: LineTransport, caller: McpCaller): Promise<Connection> {
  const { host, open } = await offer(hosts);
  const server = createMcpServer(host, caller, open);
  // Opens the vault after the first answer, but before a tool needs it.
  const openVault = (): void => {
    for (const each of hosts) each.state().catch((error: unknown) => each.log.error(String(error)));
  };
  let modern: ModernConnection | undefined;
  const sniffer = new ProtocolSniffer(line, async (end) => {
    // Imported lazily, only for clients of that revision.
    modern = (await import('../mcp/modern/modern-stdio.ts')).serveModernStdio(host, end, caller, open);
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

/** Returns what a client of these vaults is offered. What joins several is loaded only where there are several. */
async function offer(hosts: readonly Host[]): Promise<{ readonly host: Host; readonly open: CreateSurface }> {
  const [host, ...others] = hosts;
  if (host === undefined) throw new Error('No vault is served.');
  if (others.length === 0) return { host, open: createSurface };
  const { joinVaults } = await import('../mcp/vaults/joined-surface.ts');
  return { host, open: joinVaults(hosts) };
}
