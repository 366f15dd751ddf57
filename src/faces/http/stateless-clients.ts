import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Access } from '../../ports.ts';
import type { Host } from '../host.ts';
import { callerOf } from '../mcp/caller.ts';
import type { ClientProgram } from '../mcp/caller.ts';
import { clientOf } from '../mcp/protocol-version.ts';
import { createMcpServer } from '../mcp/legacy/legacy-server.ts';
import type { ModernHttpClient } from '../mcp/modern/modern-http.ts';
import { FAULTS, ProtocolFault } from '../mcp/surface/request.ts';
import type { CreateSurface, Surface } from '../mcp/surface/surface.ts';
import type { HttpContext } from './env.ts';
import { refuse } from './refuse.ts';
import { TokenShares } from './limits/token-shares.ts';

/**
 * The number of remembered clients: of the owner, and the same of all other tokens together. Beyond this, the least recently used one is
 * forgotten.
 */
const MAX_CLIENTS = 1_000;

/** A client, identified by its token and the name it gives itself. What it has read and been warned of is remembered. */
interface Client {
  readonly surface: Surface;
  readonly token: string;
  /** Releases the share of its token. */
  readonly release: () => void;
  modern?: ModernHttpClient;
}

/** MCP clients that send independent requests without a session. */
export class StatelessClients {
  readonly #host: Host;
  readonly #open: CreateSurface;
  readonly #clients = new Map<string, Client>();
  readonly #shares = new TokenShares(MAX_CLIENTS);
  readonly #streams: TokenShares;

  constructor(host: Host, open: CreateSurface) {
    this.#host = host;
    this.#open = open;
    this.#streams = new TokenShares(host.config.http.maxSessions);
  }

  /** Answers a request of revision 2026-07-28. */
  async answerModern(context: HttpContext, body: unknown): Promise<Response> {
    const { maxSessions } = this.#host.config.http;
    const client = this.#clientOf(context.env.access, clientOf(body));
    // Imported lazily, only for clients of that revision.
    const { serveModernHttp } = await import('../mcp/modern/modern-http.ts');
    client.modern ??= serveModernHttp(client.surface, { log: this.#host.log, maxStreams: maxSessions });
    if (isListening(body)) {
      const release = this.#streams.take(context.env.access.name);
      if (release === null) return refuse(503, 'Too many subscriptions; try again later.', { code: 'LIMIT_EXCEEDED', retryable: true });
      context.env.outgoing.once('close', release);
    }
    return client.modern.fetch(requestOf(context), body);
  }

  /**
   * Answers a request of an earlier revision that comes without a session. As in a session, a call continues when the client disconnects.
   */
  async answerLegacy(context: HttpContext, body: unknown): Promise<Response> {
    const { access } = context.env;
    const { surface } = this.#clientOf(access, { name: 'http' });
    const server = createMcpServer(this.#host, { id: 'http', access }, () => withoutChanges(surface));
    const transport = new WebStandardStreamableHTTPServerTransport({});
    await server.connect(transport);
    return transport.handleRequest(requestOf(context), { parsedBody: body });
  }

  /** Ends the streams of listening clients. */
  async endStreams(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(async ({ modern }) => modern?.endStreams()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(async ({ modern }) => modern?.close()));
    this.#clients.clear();
  }

  #clientOf(access: Access, program: ClientProgram | null): Client {
    const id = `stateless:${JSON.stringify([access, program?.name ?? null])}`;
    const client: Client = this.#clients.get(id) ?? {
      surface: this.#open(
        this.#host,
        callerOf({ id, access }, () => program),
      ),
      token: access.name,
      release: this.#takeShare(access.name),
    };
    this.#clients.delete(id);
    this.#clients.set(id, client);
    return client;
  }

  /** Reserves a slot for a client, evicting others of the same share if necessary. */
  #takeShare(token: string): () => void {
    for (;;) {
      const release = this.#shares.take(token);
      if (release !== null) return release;
      const [id, oldest] =
        [...this.#clients].find(
          ([, { modern, token: holder }]) => (modern?.streams ?? 0) === 0 && this.#shares.mayDisplace(token, holder),
        ) ?? [];
      // If all clients are listening, their number is limited by their streams.
      if (id === undefined || oldest === undefined) return () => undefined;
      this.#clients.delete(id);
      oldest.release();
      // Its pending calls are still answered.
      void oldest.modern?.endStreams();
    }
  }
}

/** Returns the request without its body, which has been read, and with a signal that is aborted when the client disconnects. */
function requestOf({ req, env: { outgoing } }: HttpContext): Request {
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  return new Request(req.url, { method: req.method, headers: req.raw.headers, signal: gone.signal });
}

function isListening(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen';
}

/** Returns the surface without notifications, which need a session. */
function withoutChanges(surface: Surface): Surface {
  return {
    ...surface,
    follow: () => Promise.resolve(() => undefined),
    requireFollowable: () => {
      throw new ProtocolFault(FAULTS.invalidParams, 'To be notified of changes, begin a session with initialize.');
    },
  };
}
