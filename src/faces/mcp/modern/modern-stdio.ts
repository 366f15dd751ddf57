import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { errorMessage } from '../../../errors.ts';
import type { Host } from '../../host.ts';
import { callerOf } from '../caller.ts';
import { clientOf } from '../era.ts';
import { toFault } from '../surface/request.ts';
import { Following } from '../surface/resource-changes.ts';
import { openSurface } from '../surface/surface.ts';
import type { OpenSurface } from '../surface/surface.ts';
import { createModernServer } from './modern-server.ts';

/** A connection with one client. */
export interface ModernConnection {
  /** Ends the client's subscriptions and the connection. */
  close(): Promise<void>;
}

/** Serves a client with revision 2026-07-28 over its own connection. */
export function serveModernStdio(host: Host, wire: Transport, open: OpenSurface = openSurface): ModernConnection {
  let client: string | null = null;
  const surface = open(
    host,
    callerOf({ id: 'stdio' }, () => client),
  );
  const server = createModernServer(surface, host.log);
  const told = (sent: Promise<void>): void => void sent.catch(() => undefined);
  const following = new Following(surface, {
    updated: (touched) => {
      // The SDK holds the subscriptions, and forwards only what one of them asks for.
      for (const uri of touched.uris()) told(server.sendResourceUpdated({ uri }));
    },
    listChanged: () => told(server.sendResourceListChanged()),
  });
  const transport: Transport = {
    start: () => wire.start(),
    send: (message, options) => wire.send(message, options),
    close: () => wire.close(),
  };
  wire.onclose = () => {
    following.end();
    transport.onclose?.();
  };
  wire.onerror = (error) => transport.onerror?.(error);
  let before = Promise.resolve();
  wire.onmessage = (message) => {
    client = clientOf(message) ?? client;
    if (!changesSubscriptions(message)) return transport.onmessage?.(message);
    // Acknowledge a subscription only when changes are being watched, and in the order of requests.
    before = before.then(async () => {
      const failure = await beginListening(following, message);
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
async function beginListening(following: Following, message: JSONRPCMessage): Promise<JSONRPCMessage | null> {
  if (!('method' in message) || !('id' in message) || message.id === undefined) return null;
  try {
    await following.begin();
    return null;
  } catch (error) {
    const { code, message: text, data } = toFault(error);
    return { jsonrpc: '2.0', id: message.id, error: { code, message: text, data } };
  }
}
