import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { getPath } from 'hono/utils/url';
import { errorMessage } from '../../errors.ts';
import type { Access } from '../../ports.ts';
import type { Host } from '../host.ts';
import type { CreateSurface } from '../mcp/surface/surface.ts';
import type { Connections } from './api/connect.ts';
import { createApp } from './app.ts';
import { allowOrigin, answerPreflight, isPreflight } from './cors.ts';
import type { HttpEnv } from './env.ts';
import { bearerOf, createGuard, ANONYMOUS, OWNER } from './guard.ts';
import type { Refusal } from './guard.ts';
import { limitRunning } from './limits/limit-running.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { proofOf } from '../running-server.ts';
import { createTickets } from './tickets.ts';

export interface HttpFace {
  /** Such as `http://127.0.0.1:7411`, with the actual port. */
  readonly url: string;
  /** Proves to programs of this user that this is their server. Opens nothing. */
  readonly key: string;
  /** Returns a ticket that the page can exchange for the token for some minutes, for places where a token must not be stored. */
  ticket(): string;
  /** Shuts down: refuses new requests, finishes those in progress, notifies listening clients, and closes (V-07). */
  close(): Promise<void>;
}

export interface ServeOptions {
  /** The owner's token; null if none is required. */
  readonly token: string | null;
  /** Whether that token was made for the vault's folder, so that it does not open another folder that takes its place. */
  readonly isFolderToken?: boolean;
  /** The name of the web page's user, for the history. */
  readonly person?: string;
  /** How clients connect to the vault, for the page. */
  readonly connections?: Connections;
  /** What MCP clients are offered; by default everything the host offers. */
  readonly open?: CreateSurface;
}

/** How many further ports are tried if the configured one is in use. */
const MAX_FURTHER_PORTS = 20;
/** How long a client may take to send the headers, and the whole request. */
const MAX_HEADERS_MS = 10_000;
const MAX_REQUEST_MS = 120_000;
/** How long closing waits for requests in progress. */
const MAX_CLOSE_WAIT_MS = 10_000;
/** The routes that answer preflights. */
const CORS_ROUTES = /^\/(?:mcp|api|metrics|health)(?:\/|$)/;

const UNCLEAR_PATH: Refusal = {
  status: 400,
  message:
    'The path is not in its normal form. Leave out "." and ".." and a second slash at the beginning, and percent-encode what is no plain character of a URL.',
};

/** Serves a vault over HTTP: MCP at `/mcp`, operations at `/api/<operation>`, the web page at `/`, `/metrics` and `/health`. */
export async function serveHttp(opened: Host, options: ServeOptions): Promise<HttpFace> {
  const host = limitRunning(opened);
  const { http } = host.config;
  /** If the token file cannot be read, named tokens are refused, but the owner is not locked out. */
  const ifReadable = <T>(look: () => T, otherwise: T): T => {
    try {
      return look();
    } catch (error) {
      host.log.error(errorMessage(error));
      return otherwise;
    }
  };
  const find = (token: string): Access | null => ifReadable(() => host.serverFiles.tokens.find(token), null);
  const isTokenGiven = options.isFolderToken !== true;
  const key = randomBytes(32).toString('base64url');
  const guard = createGuard({
    host: http.host,
    origins: http.origins,
    isTokenRequired: options.token !== null,
    // Clients may send a token even if none is required. An unreadable one never matches.
    token: () => (isTokenGiven ? options.token : null) ?? ifReadable(() => host.serverFiles.token().text, options.token ?? key),
    find,
  });
  const open = new OpenResponses((request, access) => isDeepStrictEqual(find(bearerOf(request)), access));
  const tickets = createTickets(options.token);
  const closing = new AbortController();
  const mcp = new McpEndpoint(host, { closing: closing.signal, ...(options.open === undefined ? {} : { open: options.open }) });
  const app = createApp({
    host,
    mcp,
    closing: closing.signal,
    person: options.person ?? 'owner',
    connections: options.connections ?? { local: [], remote: [] },
    prove: (nonce) => proofOf(key, nonce),
    redeem: (ticket) => tickets.redeem(ticket),
  });
  const admitted = new WeakMap<IncomingMessage, { readonly access: Access; readonly path: string }>();
  const listener = getRequestListener(
    (request, env) => {
      const { incoming } = env as HttpEnv['Bindings'];
      const judged = admitted.get(incoming);
      if (judged === undefined) throw new Error('A request came past the guard.');
      return app.routes.fetch(request, { ...env, ...judged });
    },
    { overrideGlobalObjects: false },
  );
  const underWay = new Set<ServerResponse>();

  const server = createServer({ headersTimeout: MAX_HEADERS_MS, requestTimeout: MAX_REQUEST_MS }, (request, response) => {
    // Pages of other sites must not embed any answer.
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    const foreign = guard.refuseOrigin(request);
    if (foreign !== null) return sendRefusal(response, foreign);
    const path = readPath(request.url ?? '');
    if (path === null) return sendRefusal(response, UNCLEAR_PATH);
    allowOrigin(request, response);
    if (CORS_ROUTES.test(path) && isPreflight(request)) return answerPreflight(response);
    const access = app.isPublic(request.method ?? '', path, request.headers.accept) ? ANONYMOUS : guard.admit(request);
    if ('status' in access) return sendRefusal(response, access);
    admitted.set(request, { access, path });
    if (access !== ANONYMOUS) open.add({ request, response, access });
    // Streams (GET) end with the server; other requests are finished first.
    if (request.method !== 'GET') {
      underWay.add(response);
      response.once('close', () => underWay.delete(response));
    }
    void listener(request, response);
  });
  const port = await listen(server, http);
  const name = http.host.includes(':') ? `[${http.host}]` : http.host;
  return {
    url: `http://${name}:${port}`,
    key,
    ticket: () => tickets.issue(),
    close: async () => {
      closing.abort();
      open.close();
      const until = performance.now() + MAX_CLOSE_WAIT_MS;
      while (underWay.size > 0 && performance.now() < until) await setTimeout(20);
      await mcp.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

const CODES: Readonly<Record<Refusal['status'], string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  421: 'FORBIDDEN',
  429: 'LIMIT_EXCEEDED',
};

function sendRefusal(response: ServerResponse, { status, message }: Refusal): void {
  const text = JSON.stringify({ error: { code: CODES[status], message, ...(status === 429 ? { retryable: true } : {}) } });
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(status === 429 ? { 'Retry-After': '60' } : {}),
  });
  response.end(text);
}

/** Listens on the configured port or the next free one, so that a second vault on the machine needs no configuration. */
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
      if (!isTaken || attempt === MAX_FURTHER_PORTS || port + attempt >= 65_535) throw error;
    }
  }
}

const BASE = 'http://localhost';

/**
 * Returns the path of a request target, without its query and with percent-escapes decoded as the router decodes them. Guard and router both
 * decide on this one value. Null where URL parsers would change the path (`..`, `%2e%2e`, `\\`, `//host`, a character that must be escaped)
 * or where there is none (`*`, `http://…`): different programs would read different paths in it.
 */
function readPath(target: string): string | null {
  const [path = ''] = target.split('?', 1);
  if (!path.startsWith('/') || !URL.canParse(path, BASE)) return null;
  const url = new URL(path, BASE);
  if (url.origin !== BASE || url.pathname !== path) return null;
  return getPath({ url: `${BASE}${path}` } as Request);
}

/** How often the tokens of open responses are checked. */
const TOKEN_CHECK_MS = 2_000;

/** A response that is still open, and the rights it was admitted with. */
interface Open {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly access: Access;
}

/** Closes open responses when their token is revoked (V-04). */
class OpenResponses {
  readonly #open = new Set<Open>();
  readonly #timer: NodeJS.Timeout;

  /** `isGood` tells whether the token of a request still grants the same rights. A new token with the same name does not count. */
  constructor(isGood: (request: IncomingMessage, access: Access) => boolean) {
    this.#timer = setInterval(() => {
      for (const { request, response, access } of this.#open) if (!isGood(request, access)) response.destroy();
    }, TOKEN_CHECK_MS);
    this.#timer.unref();
  }

  add(open: Open): void {
    if (open.access.name === OWNER.name) return;
    this.#open.add(open);
    open.response.once('close', () => this.#open.delete(open));
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
