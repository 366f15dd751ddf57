import { randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Access } from '../../ports.ts';
import type { Host } from '../host.ts';
import { createMcpServer } from '../mcp/legacy/legacy-server.ts';
import type { OpenSurface } from '../mcp/surface/surface.ts';
import type { McpCaller } from '../mcp/caller.ts';
import type { HttpContext } from './env.ts';
import { OWNER } from './guard.ts';
import { AGENT_HEADER, READ_ELSEWHERE_HEADER } from '../running-server.ts';
import { RecentEvents } from './recent-events.ts';
import { refuse } from './refuse.ts';

interface HttpSession {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Whose it is: an id that somebody else learnt opens nothing. */
  readonly access: Access;
  lastUsed: number;
  open: number;
}

/** The clients of an HTTP server: a server and a transport for each, gone when they have been idle for long. */
export class HttpSessions {
  readonly #host: Host;
  readonly #offer: OpenSurface;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #sweep: NodeJS.Timeout;

  constructor(host: Host, offer: OpenSurface) {
    this.#host = host;
    this.#offer = offer;
    this.#sweep = setInterval(() => this.#evictIdle(), Math.min(60_000, host.config.http.sessionIdleMinutes * 60_000));
    this.#sweep.unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Answers a request; `body`: what was read of it already. */
  async handle(context: HttpContext, body?: unknown): Promise<Response> {
    const id = context.req.header('mcp-session-id');
    const { access, outgoing } = context.env;
    const known = id === undefined ? undefined : this.#sessions.get(id);
    if (id !== undefined && (known === undefined || !isSame(known.access, access)))
      return refuse(404, 'Session not found; initialize a new one.');
    const session = known ?? (await this.#open(access, toldBy(context)));
    if (session === null) return refuse(503, 'Too many sessions; try again later.');
    session.lastUsed = performance.now();
    session.open += 1;
    outgoing.once('close', () => {
      session.open -= 1;
      session.lastUsed = performance.now();
    });
    const response = await session.transport.handleRequest(context.req.raw, body === undefined ? {} : { parsedBody: body });
    // Whatever was no `initialize` has been refused: nothing is kept for it.
    if (session.transport.sessionId === undefined) await session.server.close();
    return response;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
    this.#sessions.clear();
  }

  async #open(access: Access, told: ReturnType<typeof toldBy>): Promise<HttpSession | null> {
    const { maxSessions, maxRequestBytes } = this.#host.config.http;
    if (this.#sessions.size >= maxSessions && !this.#evictOldest()) return null;
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: maxRequestBytes,
      eventStore: new RecentEvents(),
      onsessioninitialized: (sessionId) => void this.#sessions.set(sessionId, session),
      onsessionclosed: (sessionId) => void this.#sessions.delete(sessionId),
    });
    const server = createMcpServer(this.#host, { id, access, ...told }, this.#offer);
    const session: HttpSession = { server, transport, access, lastUsed: performance.now(), open: 0 };
    const onclose = server.onclose;
    server.onclose = () => {
      onclose?.();
      this.#sessions.delete(id);
    };
    await server.connect(transport);
    return session;
  }

  #evictIdle(): void {
    const oldest = performance.now() - this.#host.config.http.sessionIdleMinutes * 60_000;
    for (const session of this.#sessions.values()) if (session.open === 0 && session.lastUsed < oldest) void session.server.close();
  }

  #evictOldest(): boolean {
    const idle = [...this.#sessions.entries()].filter(([, session]) => session.open === 0).sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    const [id, session] = idle[0] ?? [];
    if (id === undefined || session === undefined) return false;
    this.#sessions.delete(id);
    void session.server.close();
    return true;
  }
}

/** What a process that hands its client's messages on knows of that client; only the owner's own may say. */
function toldBy({ req, env: { access } }: HttpContext): Pick<McpCaller, 'configured' | 'hasReadElsewhere'> {
  const agent = req.header(AGENT_HEADER);
  if (agent === undefined || access.name !== OWNER.name) return {};
  return {
    configured: agent === '' ? null : decodeURIComponent(agent).slice(0, MOST_AGENT),
    hasReadElsewhere: req.header(READ_ELSEWHERE_HEADER) !== undefined,
  };
}

/** As long as the setting may be. */
const MOST_AGENT = 200;

function isSame(a: Access, b: Access): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
