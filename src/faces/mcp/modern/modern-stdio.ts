import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { errorMessage } from '../../../errors.ts';
import type { Host } from '../../host.ts';
import { callerOf } from '../caller.ts';
import type { ClientProgram, McpCaller } from '../caller.ts';
import { clientOf } from '../protocol-version.ts';
import { toFault } from '../surface/request.ts';
import { ChangeFollower } from '../surface/resource-changes.ts';
import type { CreateSurface } from '../surface/surface.ts';
import { createModernServer } from './modern-server.ts';

/** A connection with one client. */
export interface ModernConnection {
  /** Ends the client's subscriptions and the connection. */
  close(): Promise<void>;
}

/** Serves a client with revision 2026-07-28 over its own connection. */
export function serveModernStdio(host: Host, wire: Transport, caller: McpCaller, open: CreateSurface): ModernConnection {
  let client: ClientProgram | null = null;
  const surface = open(
    host,
    callerOf(caller, () => client),
  );
  const server = createModernServer(surface, host.log);
  const ignoreFailure = (sent: Promise<void>): void => void sent.catch(() => undefined);
  const following = new ChangeFollower(surface, {
    updated: (touched) => {
      // The SDK holds the subscriptions, and forwards only what one of them asks for.
      for (const uri of touched.uris()) ignoreFailure(server.sendResourceUpdated({ uri }));
    },
    listChanged: () => ignoreFailure(server.sendResourceListChanged()),
  });
  const transport: Transport = {
    start: () => wire.start(),
    send: (message, options) => wire.send(message, options),
    close: () => wire.close(),
  };
  wire.onclose = () => {
    following.stop();
    transport.onclose?.();
  };
  wire.onerror = (error) => transport.onerror?.(error);
  let before = Promise.resolve();
  wire.onmessage = (message) => {
    client = clientOf(message) ?? client;
    if (!changesSubscriptions(message)) return transport.onmessage?.(message);
    // Acknowledge a subscription only when changes are being watched, and in the order of requests.
    before = before.then(async () => {
      const failure = await startFollowing(following, message);
      if (failure === null) transport.onmessage?.(message);
      else await wire.send(failure);
    });
  };
  return serveStdio(() => server, { legacy: 'reject', transport, onerror: (error) => host.log.warn(`connection: ${errorMessage(error)}`) });
}

function changesSubscriptions(message: JSONRPCMessage): boolean {
  return 'method' in message && (message.method === 'subscriptions/listen' || message.method === 'notifications/cancelled');
}

/** Starts watching for changes. Returns the error response if that fails, else null. */
async function startFollowing(following: ChangeFollower, message: JSONRPCMessage): Promise<JSONRPCMessage | null> {
  if (!('method' in message) || !('id' in message) || message.id === undefined) return null;
  try {
    await following.start();
    return null;
  } catch (error) {
    const { code, message: text, data } = toFault(error);
    return { jsonrpc: '2.0', id: message.id, error: { code, message: text, data } };
  }
}
