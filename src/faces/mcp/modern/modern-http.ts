import { createMcpHandler, InMemoryServerEventBus } from '@modelcontextprotocol/server';
import type { CreateMcpHandlerOptions } from '@modelcontextprotocol/server';
import { errorMessage } from '../../../errors.ts';
import type { Log } from '../../../ports.ts';
import { ChangeFollower } from '../surface/resource-changes.ts';
import { toFault } from '../surface/request.ts';
import type { Surface } from '../surface/surface.ts';
import { createModernServer } from './modern-server.ts';

/** A client with revision 2026-07-28 over HTTP, whose requests are independent of one another. */
export interface ModernHttpClient {
  /** The number of its open streams. */
  readonly streams: number;
  /** Answers a request whose body has been read. */
  fetch(request: Request, body: unknown): Promise<Response>;
  /** Ends the streams of listening clients; calls in progress continue. */
  endStreams(): Promise<void>;
  close(): Promise<void>;
}

/** Serves one client, with at most `maxStreams` subscriptions. */
export function serveModernHttp(
  surface: Surface,
  { log, maxStreams }: { readonly log: Log; readonly maxStreams: number },
): ModernHttpClient {
  const onerror = (error: Error): void => log.info(`request: ${errorMessage(error)}`);
  const bus = new InMemoryServerEventBus(onerror);
  const following = new ChangeFollower(surface, {
    updated: (touched) => {
      if (bus.listenerCount === 0) return;
      for (const uri of touched.uris()) bus.publish({ kind: 'resource_updated', uri });
    },
    listChanged: () => bus.publish({ kind: 'resources_list_changed' }),
  });
  const options: CreateMcpHandlerOptions = { legacy: 'reject', bus, maxSubscriptions: maxStreams, onerror };
  const factory = () => createModernServer(surface, log);
  const calls = createMcpHandler(factory, options);
  // A separate handler, because streams end before calls do.
  const streams = createMcpHandler(factory, options);
  return {
    get streams() {
      return bus.listenerCount;
    },
    async fetch(request, body) {
      if (!isListening(body)) return calls.fetch(request, { parsedBody: body });
      try {
        // Acknowledge the subscription only when changes are being watched, so that none is missed.
        await following.start();
      } catch (error) {
        const { code, message, data } = toFault(error);
        return Response.json({ jsonrpc: '2.0', id: body.id ?? null, error: { code, message, data } });
      }
      return streams.fetch(request, { parsedBody: body });
    },
    endStreams: () => {
      following.stop();
      return streams.close();
    },
    async close() {
      await this.endStreams();
      await calls.close();
    },
  };
}

function isListening(body: unknown): body is { readonly id?: unknown } {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen';
}
