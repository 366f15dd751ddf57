import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Host } from '../host.ts';
import { createMcpServer } from '../mcp/server.ts';
import { RecentEvents } from './recent-events.ts';

interface HttpSession {
  readonly server: Server;
  readonly transport: StreamableHTTPServerTransport;
  lastUsed: number;
  open: number;
}

/** The clients of an HTTP server: a server and a transport for each, gone when they have been idle for long. */
export class HttpSessions {
  readonly #host: Host;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #sweep: NodeJS.Timeout;

  constructor(host: Host) {
    this.#host = host;
    this.#sweep = setInterval(() => this.#evictIdle(), 60_000);
    this.#sweep.unref();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (typeof id === 'string' && known === undefined) return refuse(response, 404, 'Session not found; initialize a new one.');
    const session = known ?? (await this.#open());
    if (session === null) return refuse(response, 503, 'Too many sessions; try again later.');
    session.lastUsed = performance.now();
    session.open += 1;
    response.once('close', () => {
      session.open -= 1;
      session.lastUsed = performance.now();
    });
    await session.transport.handleRequest(request, response);
    // Whatever was no `initialize` has been refused: nothing is kept for it.
    if (session.transport.sessionId === undefined) await session.server.close();
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
    this.#sessions.clear();
  }

  async #open(): Promise<HttpSession | null> {
    const { maxSessions, maxRequestBytes } = this.#host.config.http;
    if (this.#sessions.size >= maxSessions && !this.#evictOldest()) return null;
    const id = randomUUID();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: maxRequestBytes,
      eventStore: new RecentEvents(),
      onsessioninitialized: (sessionId) => void this.#sessions.set(sessionId, session),
      onsessionclosed: (sessionId) => void this.#sessions.delete(sessionId),
    });
    const server = createMcpServer(this.#host, id);
    const session: HttpSession = { server, transport, lastUsed: performance.now(), open: 0 };
    const onclose = server.onclose;
    server.onclose = () => {
      onclose?.();
      this.#sessions.delete(id);
    };
    // The SDK's own type for it differs from its interface by `undefined` alone.
    await server.connect(transport as Transport);
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

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: status === 404 ? -32001 : -32000, message } }));
}
