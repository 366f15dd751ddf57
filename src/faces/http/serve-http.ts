import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { errorMessage } from '../../errors.ts';
import { shorten } from '../../ops/shorten.ts';
import type { Host } from '../host.ts';
import { allowOrigin, answerPreflight, isPreflight } from './cors.ts';
import { createGuard } from './guard.ts';
import { sendJson } from './send.ts';
import { HttpSessions } from './sessions.ts';

/** One address of the server besides the built-in ones. Checked requests only. */
export interface Route {
  /** `/api`: this path and all below it. */
  readonly prefix: string;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> | void;
}

export interface HttpFace {
  /** `http://127.0.0.1:7411`, with the port that was found. */
  readonly url: string;
  close(): Promise<void>;
}

/** How many ports after the configured one are tried when it is taken. */
const MORE_PORTS = 20;

/** Serves a vault over HTTP: MCP at `/mcp`, the knowledge graph at `/api/kg`, `/metrics`, `/health`, and the given routes. */
export async function serveHttp(
  host: Host,
  options: { readonly token: string | null; readonly routes?: readonly Route[] },
): Promise<HttpFace> {
  const { http } = host.config;
  const guard = createGuard({ host: http.host, origins: http.origins, token: options.token });
  const sessions = new HttpSessions(host);
  const session = host.openSession({ id: 'http', agent: () => 'http' });
  // Loaded when they are first asked: clients of MCP wait for neither.
  const knowledge = async () => (await import('./knowledge-api.ts')).answerKnowledge;
  const metrics = async () => (await import('./metrics.ts')).answerMetrics;
  const routes: readonly Route[] = [
    ...(options.routes ?? []),
    { prefix: '/mcp', handle: (request, response) => sessions.handle(request, response) },
    { prefix: '/api/kg', handle: async (request, response) => (await knowledge())({ host, session }, request, response) },
    { prefix: '/metrics', handle: async (request, response) => (await metrics())(session, request, response) },
    { prefix: '/health', handle: (_, response) => health(host, response) },
  ];

  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const route = routes.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
    const foreign = guard.refuseOrigin(request);
    if (foreign !== null) return sendJson(response, foreign.status, { error: foreign.message });
    allowOrigin(request, response);
    if (route !== undefined && isPreflight(request)) return answerPreflight(response);
    const unknown = guard.refuseCaller(request);
    // Health tells nothing about the vault, so that it may be asked without the token.
    if (unknown !== null && path !== '/health') {
      response.setHeader('WWW-Authenticate', 'Bearer');
      return sendJson(response, unknown.status, { error: unknown.message });
    }
    if (route === undefined) return sendJson(response, 404, { error: `Nothing is at ${shorten(path, 200)}. MCP is at /mcp.` });
    Promise.resolve(route.handle(request, response)).catch((error: unknown) => {
      host.log.error(`${request.method ?? ''} ${shorten(path, 200)}: ${errorMessage(error)}`);
      if (!response.headersSent) sendJson(response, 500, { error: 'Internal error' });
      else response.destroy();
    });
  });
  const port = await listen(server, http);
  const name = http.host.includes(':') ? `[${http.host}]` : http.host;
  return {
    url: `http://${name}:${port}`,
    close: async () => {
      await sessions.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function health(host: Host, response: ServerResponse): Promise<void> {
  const { isReady, search, meaning } = await host.state();
  sendJson(response, 200, { status: isReady ? 'ok' : 'starting', version: host.version, search, meaning });
}

/** The configured port, or the next free one after it: a second vault on one machine needs no configuration. */
async function listen(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<number> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port === 0 ? 0 : port + attempt, host, () => {
          server.off('error', reject);
          resolve();
        });
      });
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || attempt === MORE_PORTS || port + attempt >= 65_535) throw error;
    }
  }
}
