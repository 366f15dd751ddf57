import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { RouxError } from '../../../errors.ts';
import { describeError } from '../../envelope.ts';
import type { HttpContext } from '../env.ts';
import { statusOf } from './status.ts';

/** The value of `Retry-After` for a caller turned away by a full queue or a closing server. */
const RETRY_AFTER_S = 5;

/** Answers with JSON that must not be cached. */
export function answerJson(context: HttpContext, value: unknown, status: number = 200): Response {
  return context.body(JSON.stringify(value), status as ContentfulStatusCode, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(status === 429 || status === 503 ? { 'Retry-After': String(RETRY_AFTER_S) } : {}),
    // The rest of a body that was too large must not be read as the next request.
    ...(status === 413 ? { Connection: 'close' } : {}),
  });
}

/** Answers with an error, in the one form that all routes use (V-05). */
export function answerError(context: HttpContext, error: unknown, status?: number): Response {
  const described = describeError(error);
  return answerJson(context, { error: described }, status ?? (error instanceof RouxError ? statusOf(described) : 500));
}
