import { Hono } from 'hono';
import { routePath } from 'hono/route';
import { errorMessage, RouxError } from '../../errors.ts';
import { shorten } from '../../ops/shorten.ts';
import { webApp } from '../web/web-app.ts';
import type { Host } from '../host.ts';
import { answerError, answerJson } from './api/answer.ts';
import { Callers } from './api/callers.ts';
import type { HttpContext, HttpEnv } from './env.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';
import { Metrics } from './metrics.ts';
import { RateLimit } from './rate-limit.ts';
import { refuse } from './refuse.ts';

/** What the routes answer from. */
export interface AppParts {
  readonly host: Host;
  readonly mcp: McpEndpoint;
  /** Aborted when the server ends: what is under way goes on, nothing new begins (V-07). */
  readonly closing: AbortSignal;
  /** Who is at the page. */
  readonly person: string;
  /** Proves to this user's own programs that this is their server. */
  readonly prove: (nonce: string) => string;
  /** What a ticket of this start of the server is exchanged for; null when it is none, or too old. */
  readonly redeem: (ticket: string) => string | null;
}

/** What may be asked for without a token besides the page's own files: nothing of the vault is in it. */
export const PUBLIC: ReadonlySet<string> = new Set(['/health', '/api', '/api/openapi.json', '/api/ticket', '/api/proof']);

/** The routes of the server. Whoever gets here was let in by the guard. What a route needs is loaded when it is first asked. */
export function createApp({ host, mcp, closing, person, prove, redeem }: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const callers = new Callers(host, person);
  const metrics = new Metrics();
  const limit = new RateLimit(host.config.http.requestsPerMinute);

  app.use(async (context, next) => {
    if (closing.aborted) return sayGoodbye(context);
    if (!limit.take(context.env.access.name)) return tooMany(context);
    const started = performance.now();
    await next();
    const route = routePath(context);
    const isStream = route === '/api/events' || (route === '/mcp' && context.req.method === 'GET');
    metrics.count({ route, status: context.res.status, seconds: isStream ? null : (performance.now() - started) / 1000 });
    return undefined;
  });

  app.all('/mcp', (context) => mcp.handle(context));
  app.all('/api/kg/:operation{.*}', async (context) => (await import('./api/knowledge.ts')).answerKnowledge({ host, callers }, context));
  app.get('/api', async (context) => (await import('./api/index.ts')).answerIndex(host, context));
  app.get('/api/openapi.json', async (context) => (await import('./api/index.ts')).answerDocument(host, context));
  app.post('/api/ticket', async (context) => (await import('./api/session.ts')).answerTicket(redeem, context));
  app.get('/api/proof', (context) => answerProof(prove, context));
  app.post('/api/relay', async (context) => (await import('./api/relay.ts')).answerRelay(host, context));
  app.get('/api/session', async (context) => (await import('./api/session.ts')).answerSession({ host, callers }, context));
  app.get('/api/events', async (context) => (await import('./api/live.ts')).answerEvents({ callers, closing }, context));
  app.get('/api/file/*', async (context) => (await import('./api/file.ts')).answerFile(callers, context));
  app.all('/api/:operation', async (context) => (await import('./api/operations.ts')).answerOperation({ host, callers }, context));
  app.get('/metrics', (context) => metrics.answer({ host, callers, sessions: mcp.sessions }, context));
  app.all('/metrics', (context) => wrongMethod(context, 'GET'));
  app.all('/health', (context) => answerHealth(host, context));

  app.route('/', webApp());

  app.notFound((context) =>
    answerError(
      context,
      new RouxError('NOT_FOUND', `Nothing is at ${shorten(context.req.path, 200)}. MCP is at /mcp, operations are at /api/<operation>.`),
    ),
  );
  app.onError((error, context) => {
    host.log.error(`${context.req.method} ${shorten(context.req.path, 200)}: ${errorMessage(error)}`);
    return answerJson(context, { error: { code: 'INTERNAL', message: 'Internal error' } }, 500);
  });
  return app;
}

/** Health tells nothing about the vault, so that it may be asked without the token. */
async function answerHealth(host: Host, context: HttpContext): Promise<Response> {
  const { isReady, search, meaning } = await host.state();
  return answerJson(context, { status: isReady ? 'ok' : 'starting', version: host.version, search, meaning });
}

/** A number that somebody made up, signed: nothing can be made of it. */
function answerProof(prove: (nonce: string) => string, context: HttpContext): Response {
  const nonce = context.req.query('nonce') ?? '';
  if (!/^[\w-]{16,128}$/.test(nonce))
    return answerError(context, new RouxError('INVALID_ARGUMENT', 'A nonce of 16 to 128 letters and digits is needed.'));
  return answerJson(context, { proof: prove(nonce) });
}

function sayGoodbye(context: HttpContext): Response {
  const message = 'The server ends; what was under way is finished. Try again in a moment.';
  context.header('Connection', 'close');
  if (context.req.path === '/mcp') return refuse(503, message, { code: 'UNAVAILABLE', retryable: true });
  return answerError(context, new RouxError('UNAVAILABLE', message, undefined, { retryable: true }));
}

function tooMany(context: HttpContext): Response {
  const message = `Too many requests for the token "${context.env.access.name}" (http.requestsPerMinute); come again in a few seconds.`;
  return answerError(context, new RouxError('LIMIT_EXCEEDED', message, undefined, { retryable: true }));
}

function wrongMethod(context: HttpContext, allowed: string): Response {
  context.header('Allow', allowed);
  return answerError(context, new RouxError('INVALID_ARGUMENT', `${context.req.path} is asked for with ${allowed}.`), 405);
}
