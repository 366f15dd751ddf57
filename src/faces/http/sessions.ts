import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { CancelledNotificationSchema, ErrorCode, isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { errorMessage } from '../../errors.ts';
import type { Access } from '../../ports.ts';
import type { Host } from '../host.ts';
import { createMcpServer } from '../mcp/legacy/legacy-server.ts';
import type { CreateSurface } from '../mcp/surface/surface.ts';
import type { HttpContext } from './env.ts';
import { RecentEvents } from './recent-events.ts';
import { refuse } from './refuse.ts';
import { TokenShares } from './limits/token-shares.ts';

const MAX_SLOT_WAIT_MS = 1_000;
/** Time between two looks for idle sessions, which release what they hold soon after their time. */
const MAX_SWEEP_MS = 2_000;

interface HttpSession {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly events: RecentEvents;
  /** The rights of its creator: the session id alone is not enough to use it. */
  readonly access: Access;
  /** Names its connection (`Caller.connection`). */
  readonly connection: string;
  /** Releases the share of its token. */
  readonly release: () => void;
  lastUsed: number;
  openRequests: number;
}

/** The MCP sessions of an HTTP server, each with a server and a transport. Idle sessions are closed after a while. */
export class HttpSessions {
  readonly #host: Host;
  readonly #offer: CreateSurface;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #shares: TokenShares;
  readonly #sweep: NodeJS.Timeout;

  constructor(host: Host, offer: CreateSurface) {
    this.#host = host;
    this.#offer = offer;
    this.#shares = new TokenShares(host.config.http.maxSessions);
    this.#sweep = setInterval(() => this.#evictIdle(), Math.min(MAX_SWEEP_MS, host.config.http.sessionIdleMinutes * 60_000));
    this.#sweep.unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Answers a request. `body` is its body if that has been read. */
  async handle(context: HttpContext, body?: unknown): Promise<Response> {
    const id = context.req.header('mcp-session-id');
    const { access, outgoing } = context.env;
    const known = id === undefined ? undefined : this.#sessions.get(id);
    if (id !== undefined && (known === undefined || !isSameAccess(known.access, access)))
      return refuse(404, 'Session not found; initialize a new one.');
    const session = known ?? (await this.#open(access));
    if (session === null) return refuse(503, 'Too many sessions; try again later.', { code: 'LIMIT_EXCEEDED', retryable: true });
    session.lastUsed = performance.now();
    session.openRequests += 1;
    outgoing.once('close', () => {
      session.openRequests -= 1;
      session.lastUsed = performance.now();
    });
    const after = context.req.header('last-event-id');
    const rest = after === undefined || context.req.method !== 'GET' ? null : session.events.getRest(after);
    if (rest !== null) return respondWithRest(rest);
    const response = await session.transport.handleRequest(context.req.raw, body === undefined ? {} : { parsedBody: body });
    // Anything but `initialize` was refused, so that there is no session.
    if (session.transport.sessionId === undefined) await session.server.close();
    return response;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
    this.#sessions.clear();
  }

  async #open(access: Access): Promise<HttpSession | null> {
    const { maxRequestBytes } = this.#host.config.http;
    const release = await this.#waitForShare(access.name);
    if (release === null) return null;
    const id = randomUUID();
    const connection = `${this.#host.processName}.${id}`;
    const events = new RecentEvents();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: maxRequestBytes,
      eventStore: events,
      onsessioninitialized: (sessionId) => void this.#sessions.set(sessionId, session),
      onsessionclosed: (sessionId) => {
        this.#sessions.delete(sessionId);
        this.#leave(connection);
      },
    });
    const server = createMcpServer(this.#host, { id, connection, access }, this.#offer);
    const session: HttpSession = { server, transport, events, access, connection, release, lastUsed: performance.now(), openRequests: 0 };
    const onclose = server.onclose;
    server.onclose = () => {
      onclose?.();
      release();
      this.#sessions.delete(id);
    };
    await server.connect(transport);
    endCancelledStreams(transport, events);
    return session;
  }

  #evictIdle(): void {
    const oldest = performance.now() - this.#host.config.http.sessionIdleMinutes * 60_000;
    for (const session of this.#sessions.values()) if (session.openRequests === 0 && session.lastUsed < oldest) this.#evict(session);
  }

  /** Ends a session that nobody uses. */
  #evict({ server, connection }: HttpSession): void {
    void server.close();
    this.#leave(connection);
  }

  /** Ends what a connection holds. */
  #leave(connection: string): void {
    this.#host
      .leave(connection)
      .catch((error: unknown) => this.#host.log.info(`What a client held is released later: ${errorMessage(error)}`));
  }

  /** Waits briefly for a free slot, since sessions that were just opened or answered become idle soon. Null if there is none. */
  async #waitForShare(token: string): Promise<(() => void) | null> {
    for (const until = performance.now() + MAX_SLOT_WAIT_MS; ;) {
      const release = this.#takeShare(token);
      if (release !== null || performance.now() > until) return release;
      await setTimeout(50);
    }
  }

  /** Reserves a slot for a session, evicting the oldest idle session if necessary; null if all are in use. */
  #takeShare(token: string): (() => void) | null {
    const release = this.#shares.take(token);
    if (release !== null) return release;
    const [oldest] = [...this.#sessions.entries()]
      .filter(([, { openRequests, access }]) => openRequests === 0 && this.#shares.mayDisplace(token, access.name))
      .sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    if (oldest === undefined) return null;
    const [id, session] = oldest;
    this.#sessions.delete(id);
    session.release();
    this.#evict(session);
    return this.#shares.take(token);
  }
}

/**
 * Ends the stream of a request that its client has cancelled. The request is never answered, and the transport would keep its connection
 * open until the session ends.
 */
function endCancelledStreams(transport: WebStandardStreamableHTTPServerTransport, events: RecentEvents): void {
  const { onmessage } = transport;
  const together = new WeakMap<object, Set<RequestId>>();
  transport.onmessage = (message, extra) => {
    if (isJSONRPCRequest(message)) {
      const post = extra?.requestInfo ?? message;
      const others = together.get(post) ?? new Set();
      together.set(post, others);
      events.begin(message.id, others);
    }
    onmessage?.(message, extra);
    const taken = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
    if (taken === undefined || !events.cancel(taken)) return;
    transport.closeSSEStream(taken);
    // The client does not receive this; it makes the transport forget the request.
    transport.send({ jsonrpc: '2.0', id: taken, error: { code: ErrorCode.InternalError, message: 'Cancelled' } }).catch(() => undefined);
  };
}

/** Answers a client that resumes a stream which has ended. If it missed nothing, 204 tells it not to reconnect. */
function respondWithRest(rest: string): Response {
  if (rest === '') return new Response(null, { status: 204 });
  return new Response(rest, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' } });
}

function isSameAccess(a: Access, b: Access): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
