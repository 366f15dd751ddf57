import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { errorMessage } from '../../errors.ts';
import type { Access } from '../../ports.ts';
import type { Host } from '../host.ts';
import type { OpenSurface } from '../mcp/surface/surface.ts';
import { createApp } from './app.ts';
import { allowOrigin, answerPreflight, isPreflight } from './cors.ts';
import type { HttpEnv } from './env.ts';
import { bearerOf, createGuard, NOBODY } from './guard.ts';
import type { Refusal } from './guard.ts';
import { limitRunning } from './limits/limit-running.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { proofOf } from '../running-server.ts';
import { OpenResponses } from './open-responses.ts';
import { readPath } from './request-path.ts';
import { openTickets } from './tickets.ts';

export interface HttpFace {
  /** `http://127.0.0.1:7411`, with the port that was found. */
  readonly url: string;
  /** What lets this user's own programs in, for as long as the server runs. */
  readonly key: string;
  /** A word that the page exchanges for the token within some minutes: for what is kept longer than a token should be read. */
  ticket(): string;
  /** Takes no new requests, lets those end that are under way, tells those who listen, and ends (V-07). */
  close(): Promise<void>;
}

export interface ServeOptions {
  /** The token of the vault's owner; null: none is asked for. */
  readonly token: string | null;
  /** Who is at the web page, for the history. */
  readonly person?: string;
  /** What clients of MCP are offered, where it is not what the host offers. */
  readonly open?: OpenSurface;
}

/** How many ports after the configured one are tried when it is taken. */
const MORE_PORTS = 20;
/** So long a client may take for the head of a request, and for the whole of it. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 120_000;
/** So long the end waits for what is under way. */
const GRACE_MS = 10_000;
/** Where a page of another origin may ask beforehand. */
const ROUTES = /^\/(?:mcp|api|metrics|health)(?:\/|$)/;

/** Serves a vault over HTTP: MCP at `/mcp`, operations at `/api/<operation>`, the web page at `/`, `/metrics` and `/health`. */
export async function serveHttp(opened: Host, options: ServeOptions): Promise<HttpFace> {
  const host = limitRunning(opened);
  const { http } = host.config;
  const { tokens } = host.serverFiles;
  /** Nobody is let in by tokens that cannot be read; the owner is. */
  const ifReadable = <T>(look: () => T, otherwise: T): T => {
    try {
      return look();
    } catch (error) {
      host.log.error(errorMessage(error));
      return otherwise;
    }
  };
  const find = (token: string): Access | null => ifReadable(() => tokens.find(token), null);
  const key = randomBytes(32).toString('base64url');
  const guard = createGuard({
    host: http.host,
    origins: http.origins,
    isTokenAsked: options.token !== null,
    // Clients may send it where nobody asks. What cannot be read opens nothing.
    token: () => options.token ?? ifReadable(() => host.serverFiles.token().text, key),
    key,
    find,
  });
  const open = new OpenResponses((request, access) => isDeepStrictEqual(find(bearerOf(request)), access));
  const tickets = openTickets(options.token);
  const closing = new AbortController();
  const mcp = new McpEndpoint(host, { closing: closing.signal, ...(options.open === undefined ? {} : { open: options.open }) });
  const app = createApp({
    host,
    mcp,
    closing: closing.signal,
    person: options.person ?? 'owner',
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

  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS }, (request, response) => {
    // No page of another site may embed an answer, whatever it is.
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    const foreign = guard.refuseOrigin(request);
    if (foreign !== null) return turnAway(response, foreign);
    const path = readPath(request.url ?? '');
    if (path === null) return turnAway(response, UNCLEAR_PATH);
    allowOrigin(request, response);
    if (ROUTES.test(path) && isPreflight(request)) return answerPreflight(response);
    const access = app.isPublic(request.method ?? '', path) ? NOBODY : guard.admit(request);
    if ('status' in access) return turnAway(response, access);
    admitted.set(request, { access, path });
    if (access !== NOBODY) open.add({ request, response, access });
    // What only listens ends with the server; everything else is waited for.
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
      const until = performance.now() + GRACE_MS;
      while (underWay.size > 0 && performance.now() < until) await setTimeout(20);
      await mcp.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

const UNCLEAR_PATH: Refusal = {
  status: 400,
  message:
    'The path is not in its normal form. Leave out "." and ".." and a second slash at the beginning, and percent-encode what is no plain character of a URL.',
};

const CODES: Readonly<Record<Refusal['status'], string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  421: 'FORBIDDEN',
  429: 'LIMIT_EXCEEDED',
};

function turnAway(response: ServerResponse, { status, message }: Refusal): void {
  const text = JSON.stringify({ error: { code: CODES[status], message } });
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
