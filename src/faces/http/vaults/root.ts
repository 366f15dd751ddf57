import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { RouxError } from '../../../errors.ts';
import type { Host } from '../../host.ts';
import { vaultPath } from '../../vault-names.ts';
import { webApp } from '../../web/web-app.ts';
import { answerError, answerJson } from '../api/answer.ts';
import type { HttpContext } from '../env.ts';
import { sendRefusal } from '../refuse.ts';
import type { Door } from './door.ts';
import { readPath, UNCLEAR_PATH } from './request-path.ts';

/** A vault of a server that has several. */
export interface NamedDoor {
  readonly name: string;
  readonly door: Door;
  readonly host: Host;
}

/**
 * Returns what answers the requests to a server of several vaults: each is below its name (`/notes/mcp`). The other paths belong to no
 * vault: `/` redirects to the first one, `/health` is about all of them, and all share the files of the page.
 */
export function answerSeveral(first: NamedDoor, others: readonly NamedDoor[]): RequestListener {
  const vaults = [first, ...others];
  const answerRest = getRequestListener(rootRoutes(vaults).fetch, { overrideGlobalObjects: false });
  return (request, response) => {
    const target = request.url ?? '';
    const described = findDescribed(vaults, target);
    if (described !== null) return described.door.answer(request, response, described.target);
    const [, part = '', rest = ''] = /^\/([^/?]*)(.*)$/s.exec(target) ?? [];
    const named = vaults.find(({ name }) => name === decode(part));
    if (named !== undefined && rest.startsWith('/')) return named.door.answer(request, response, rest);
    const foreign = first.door.refuseOrigin(request);
    if (foreign !== null) return sendRefusal(response, foreign);
    if (readPath(target) === null) return sendRefusal(response, UNCLEAR_PATH);
    if (named !== undefined) return redirect(request, response, `${vaultPath(named.name)}/${rest}`);
    if (target === '/') return redirect(request, response, `${vaultPath(first.name)}/`);
    return void answerRest(request, response);
  };
}

/** Returns the vault whose metadata of OAuth a request is for: their paths begin at the root, and end with that of the vault (RFC 8414, 9728). */
function findDescribed(vaults: readonly NamedDoor[], target: string): { readonly door: Door; readonly target: string } | null {
  const [, kind = '', part = '', rest = ''] = /^(\/\.well-known\/oauth-[a-z-]+)\/([^/?]+)(.*)$/s.exec(target) ?? [];
  const named = vaults.find(({ name }) => name === decode(part));
  return named === undefined ? null : { door: named.door, target: kind + rest };
}

function rootRoutes(vaults: readonly NamedDoor[]): Hono {
  const app = new Hono();
  const { routes } = webApp();
  app.get('/health', (context) => answerHealth(vaults, context as unknown as HttpContext));
  for (const path of ['/assets/*', '/frames/*', '/favicon.ico', '/favicon.svg']) app.get(path, ({ req: { raw } }) => routes.fetch(raw));
  app.notFound((context) =>
    answerError(
      context as unknown as HttpContext,
      new RouxError('NOT_FOUND', 'This server has several vaults, each below its name: /<name>/mcp, /<name>/api/<operation>.'),
    ),
  );
  return app;
}

/**
 * Answers `/health` of them all: `ok` when each vault can be used, `partly` where one cannot be opened or its folder is gone. It reveals nothing
 * about them.
 */
async function answerHealth(vaults: readonly NamedDoor[], context: HttpContext): Promise<Response> {
  const states = await Promise.allSettled(vaults.map(({ host }) => host.state()));
  const isUsable = states.every((state) => state.status === 'fulfilled' && state.value.isThere);
  const isReady = states.every((state) => state.status === 'rejected' || state.value.isReady);
  return answerJson(context, { status: !isReady ? 'starting' : isUsable ? 'ok' : 'partly', version: vaults[0]?.host.version });
}

function redirect({ method }: IncomingMessage, response: ServerResponse, location: string): void {
  response.writeHead(method === 'GET' || method === 'HEAD' ? 302 : 308, { Location: location, 'Cache-Control': 'no-store' }).end();
}

/** Returns a part of a path as it was before it was encoded; null if it is not encoded well. */
function decode(part: string): string | null {
  try {
    return decodeURIComponent(part).normalize('NFC');
  } catch {
    return null;
  }
}
