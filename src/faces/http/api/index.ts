import type { Host } from '../../host.ts';
import type { HttpContext } from '../env.ts';
import { answerJson } from './answer.ts';
import { INDEX_POLICY, indexPage } from './index-page.ts';
import { describeApi } from './openapi.ts';
import { listOffered } from './operations.ts';

/** `GET /api`: lists the operations, as HTML for a browser, else as the OpenAPI document. */
export async function answerIndex(host: Host, context: HttpContext): Promise<Response> {
  if (!(context.req.header('accept') ?? '').includes('text/html')) return answerDocument(host, context);
  const page = indexPage(await listOffered(host), originOf(context));
  return context.body(page, 200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': INDEX_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    Vary: 'Accept, Origin',
  });
}

/** `GET /api/openapi.json`. */
export async function answerDocument(host: Host, context: HttpContext): Promise<Response> {
  return answerJson(context, describeApi(await listOffered(host), { url: originOf(context), version: host.version }));
}

/** Returns the origin under which the caller reached the server. Its `Host` header has been checked. */
function originOf(context: HttpContext): string {
  return new URL(context.req.url).origin;
}
