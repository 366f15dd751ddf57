import { errorMessage, RouxError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { shorten } from '../../ops/shorten.ts';
import type { Host } from '../host.ts';
import { isModern, isModernVersion } from '../mcp/protocol-version.ts';
import { createSurface } from '../mcp/surface/surface.ts';
import type { CreateSurface } from '../mcp/surface/surface.ts';
import { readBody } from './api/read-body.ts';
import type { HttpContext } from './env.ts';
import { refuse } from './refuse.ts';
import { HttpSessions } from './sessions.ts';
import { StatelessClients } from './stateless-clients.ts';

/**
 * MCP at `/mcp` in each protocol version: sessions that began with `initialize`, requests of revision 2026-07-28, which have no sessions,
 * and requests of earlier clients without a session.
 */
export class McpEndpoint {
  readonly #host: Host;
  readonly #sessions: HttpSessions;
  readonly #clients: StatelessClients;

  constructor(host: Host, { closing, open = createSurface }: { readonly closing: AbortSignal; readonly open?: CreateSurface }) {
    this.#host = host;
    this.#sessions = new HttpSessions(host, open);
    this.#clients = new StatelessClients(host, open);
    closing.addEventListener('abort', () => void this.#clients.endStreams(), { once: true });
  }

  /** The number of open sessions. */
  get sessions(): number {
    return this.#sessions.size;
  }

  async handle(context: HttpContext): Promise<Response> {
    const { req } = context;
    const isLater = isModernVersion(req.header('mcp-protocol-version'));
    if (req.method !== 'POST' || (req.header('mcp-session-id') !== undefined && !isLater)) return this.#sessions.handle(context);
    if (!/^application\/json\s*(;|$)/i.test(req.header('content-type') ?? ''))
      return refuse(415, 'Unsupported Media Type: Content-Type must be application/json');
    let body: unknown;
    try {
      body = JSON.parse(await readBody(context, this.#host.config.http.maxRequestBytes));
    } catch (error) {
      if (error instanceof RouxError && error.code === 'LIMIT_EXCEEDED') return refuse(413, error.message);
      return refuse(400, `Parse error: ${shorten(errorMessage(error), 200)}`);
    }
    if (isLater || isModern(body)) return this.#clients.answerModern(context, body);
    if (isRecord(body) && body['method'] === 'initialize') return this.#sessions.handle(context, body);
    return this.#clients.answerLegacy(context, body);
  }

  async close(): Promise<void> {
    await Promise.all([this.#sessions.close(), this.#clients.close()]);
  }
}
