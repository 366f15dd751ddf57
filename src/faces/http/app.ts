import { Hono } from 'hono';
import { routePath } from 'hono/route';
import { errorMessage, RouxError } from '../../errors.ts';
import { shorten } from '../../ops/shorten.ts';
import { webApp } from '../web/web-app.ts';
import type { WebApp } from '../web/web-app.ts';
import type { Host } from '../host.ts';
import { vaultPath } from '../vault-names.ts';
import type { AmongVaults } from '../vault-names.ts';
import { answerError, answerJson } from './api/answer.ts';
import { Callers } from './api/callers.ts';
import type { Connections } from './api/connect.ts';
import type { HttpContext, HttpEnv } from './env.ts';
import { ANONYMOUS } from './guard.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';
import { Metrics } from './metrics.ts';
import type { Oauth } from './oauth/oauth.ts';
import { RateLimit } from './limits/rate-limit.ts';
import { refuse } from './refuse.ts';
import { TokenShares } from './limits/token-shares.ts';

/** What the routes need. */
export interface AppParts {
  readonly host: Host;
  readonly mcp: McpEndpoint;
  /** Aborted when the server shuts down: requests in progress are finished, and new ones are refused (V-07). */
  readonly closing: AbortSignal;
  /** The name of the page's user. */
  readonly person: string;
  /** How clients connect to the vault. */
  readonly connections: Connections;
  /** Which of several vaults of a server this is; null for its only one. */
  readonly among: AmongVaults | null;
  /** Proves to programs of this user that this is their server. */
  readonly prove: (nonce: string) => string;
  /** Exchanges a ticket for the token; null if it is unknown or expired. */
  readonly redeem: (ticket: string) => string | null;
  /** OAuth at the public URL; null if there is none. */
  readonly oauth: Oauth | null;
}

/**
 * Request bodies of the maximum size in memory at once, and open `/api/events` streams: for the owner, and the same for all other tokens
 * together.
 */
const MAX_BODIES = 32;
const MAX_EVENT_STREAMS = 64;

/** The server's routes, and which of them answer without a token. */
export interface App {
  readonly routes: Hono<HttpEnv>;
  /** Whether a request is for a public route; all others need a token. `path`: as `readPath` returns it, `accept`: the header. */
  isPublic(method: string, path: string, accept?: string): boolean;
}

/** Builds the routes of the server. What a route needs is loaded when it is first called. */
export function createApp(parts: AppParts): App {
  const pages = webApp(baseOf(parts.among));
  const open = publicRoutes(parts, pages);
  return {
    routes: allRoutes(parts, open, pages),
    isPublic(method, path, accept) {
      const asked = method === 'HEAD' ? 'GET' : method;
      const { oauth } = parts;
      const isOauth = oauth !== null && oauth.routes.router.match(asked, path)[0].length > 0 && oauth.isOn();
      return isOauth || open.router.match(asked, path)[0].length > 0 || (asked === 'GET' && isUnknownPage(path, accept));
    },
  };
}

/** Returns the path below which the routes are; '' for that of the server. */
function baseOf(among: AmongVaults | null): string {
  return among === null ? '' : vaultPath(among.name);
}

/** The routes that answer without a token. Nothing of a vault may be in what they answer. */
function publicRoutes({ host, among, prove, redeem }: AppParts, pages: WebApp): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const server = { host, base: baseOf(among) };
  app.all('/health', (context) => answerHealth(host, context));
  app.get('/api', async (context) => (await import('./api/index-page.ts')).answerIndex(server, context));
  app.get('/api/openapi.json', async (context) => (await import('./api/index-page.ts')).answerDocument(server, context));
  app.post('/api/ticket', async (context) => (await import('./api/session.ts')).answerTicket(redeem, context));
  app.get('/api/proof', (context) => answerProof(prove, context));
  app.route('/', pages.routes);
  return app;
}

/** Whether a browser asks for a page at an address that is none of the server's. It is answered with the page, which says so. */
function isUnknownPage(path: string, accept = ''): boolean {
  return accept.includes('text/html') && !/^\/(?:api|mcp|metrics|health|assets|frames)(?:\/|$)/.test(path);
}

function allRoutes({ host, mcp, closing, person, connections, among, oauth }: AppParts, open: Hono<HttpEnv>, pages: WebApp): Hono<HttpEnv> {
  // Routes by the path that the guard has checked, not by parsing the request again.
  const app = new Hono<HttpEnv>({ getPath: (_, options) => requireEnv(options?.env).path });
  const base = baseOf(among);
  const callers = new Callers(host, person);
  const metrics = new Metrics();
  const { requestsPerMinute, maxRequestBytes } = host.config.http;
  const limit = new RateLimit(requestsPerMinute);
  const bodies = new TokenShares(MAX_BODIES * maxRequestBytes);
  const streams = new TokenShares(MAX_EVENT_STREAMS);

  app.use(async (context, next) => {
    if (closing.aborted) return refuseClosing(context);
    if (!limit.take(context.env.access.name)) return refuseTooMany(context, 'requests', 'http.requestsPerMinute');
    const release = bodies.take(context.env.access.name, announcedBytes(context, maxRequestBytes));
    if (release === null) return refuseTooMany(context, 'bytes under way', `${MAX_BODIES} times http.maxRequestBytes`);
    context.env.outgoing.once('close', release);
    const started = performance.now();
    await next();
    const route = routePath(context);
    const isStream = route === '/api/events' || (route === '/mcp' && context.req.method === 'GET');
    metrics.count({ route, status: context.res.status, seconds: isStream ? null : (performance.now() - started) / 1000 });
    return undefined;
  });

  app.route('/', open);
  if (oauth !== null) app.route('/', oauth.routes);
  app.get('*', (context, next) => (isUnknownPage(context.req.path, context.req.header('Accept')) ? pages.answerUnknown(context) : next()));
  // Every route below needs a token, whatever the guard thought of the request.
  app.use(async (context, next) => (context.env.access === ANONYMOUS ? refuseWithoutToken(context) : next()));

  app.all('/mcp', (context) => mcp.handle(context));
  app.all('/api/kg/:operation{.*}', async (context) => (await import('./api/knowledge.ts')).answerKnowledge({ host, callers }, context));
  app.get('/api/session', async (context) => (await import('./api/session.ts')).answerSession({ host, callers, among }, context));
  app.get('/api/connect', async (context) => (await import('./api/connect.ts')).answerConnect({ host, connections }, context));
  app.get('/api/events', async (context) => (await import('./api/live.ts')).answerEvents({ callers, closing, streams }, context));
  app.get('/api/file/*', async (context) => (await import('./api/file.ts')).answerFile(callers, context));
  app.all('/api/:operation', async (context) => (await import('./api/operations.ts')).answerOperation({ host, callers }, context));
  app.post('/memory-tool', async (context) => (await import('./api/memory-tool.ts')).answerMemoryTool({ host, callers }, context));
  app.all('/memory-tool', (context) => wrongMethod(context, 'POST'));
  app.get('/metrics', (context) => metrics.answer({ host, callers, sessions: mcp.sessions }, context));
  app.all('/metrics', (context) => wrongMethod(context, 'GET'));

  app.notFound((context) =>
    answerError(
      context,
      new RouxError(
        'NOT_FOUND',
        `Nothing is at ${shorten(base + context.req.path, 200)}. MCP is at ${base}/mcp, operations are at ${base}/api/<operation>.`,
      ),
    ),
  );
  app.onError((error, context) => {
    host.log.error(`${context.req.method} ${shorten(context.req.path, 200)}: ${errorMessage(error)}`);
    return answerJson(context, { error: { code: 'INTERNAL', message: 'Internal error' } }, 500);
  });
  return app;
}

/** Answers `/health`. It reveals nothing about the vault, so that it needs no token. */
async function answerHealth(host: Host, context: HttpContext): Promise<Response> {
  const { isReady, isThere, search, meaning, held } = await host.state();
  return answerJson(context, {
    status: !isReady ? 'starting' : isThere ? 'ok' : 'gone',
    version: host.version,
    search,
    meaning,
    ...(held === null ? {} : { held }),
  });
}

/** Answers `/api/proof` with a signature of the caller's nonce, which is useless for anything else. */
function answerProof(prove: (nonce: string) => string, context: HttpContext): Response {
  const nonce = context.req.query('nonce') ?? '';
  if (!/^[\w-]{16,128}$/.test(nonce))
    return answerError(context, new RouxError('INVALID_ARGUMENT', 'A nonce of 16 to 128 letters and digits is needed.'));
  return answerJson(context, { proof: prove(nonce) });
}

function requireEnv(env: HttpEnv['Bindings'] | undefined): HttpEnv['Bindings'] {
  if (env === undefined) throw new Error('A request was routed without its environment.');
  return env;
}

function refuseWithoutToken(context: HttpContext): Response {
  context.header('WWW-Authenticate', 'Bearer');
  return answerJson(context, { error: { code: 'UNAUTHORIZED', message: 'A bearer token is required.' } }, 401);
}

function refuseClosing(context: HttpContext): Response {
  const message = 'The server ends; what was under way is finished. Try again in a moment.';
  context.header('Connection', 'close');
  if (context.req.path === '/mcp') return refuse(503, message, { code: 'UNAVAILABLE', retryable: true });
  return answerError(context, new RouxError('UNAVAILABLE', message, undefined, { retryable: true }));
}

/** Returns how many bytes the server may have to hold for a request: what its headers announce, limited to the maximum. */
function announcedBytes({ env: { access, incoming } }: HttpContext, max: number): number {
  // Public routes read at most a few kilobytes.
  if (access === ANONYMOUS) return 0;
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
  if (encoding !== undefined) return max;
  return Math.min(Number(length ?? 0), max);
}

function refuseTooMany(context: HttpContext, what: string, setting: string): Response {
  const message = `Too many ${what} for the token "${context.env.access.name}" (${setting}); come again in a few seconds.`;
  return answerError(context, new RouxError('LIMIT_EXCEEDED', message, undefined, { retryable: true }));
}

function wrongMethod(context: HttpContext, allowed: string): Response {
  context.header('Allow', allowed);
  return answerError(context, new RouxError('INVALID_ARGUMENT', `Call ${context.req.path} with ${allowed}.`), 405);
}
