import { RouxError } from '../../../errors.ts';
import { readBody } from '../api/read-body.ts';
import type { HttpContext } from '../env.ts';
import { invalidRequest } from './oauth-error.ts';

/** Requests of OAuth are small. */
const MAX_BODY_BYTES = 16 * 1024;

/** Reads a body. Throws `invalid_request` for one that is too large or not UTF-8, or that its client stopped sending. */
export async function readSmallBody(context: HttpContext): Promise<string> {
  try {
    return await readBody(context, MAX_BODY_BYTES);
  } catch (error) {
    if (!(error instanceof RouxError)) throw error;
    // The message of that error names a setting, which does not apply here.
    throw error.code === 'LIMIT_EXCEEDED' ? invalidRequest('The request is too large.', 413) : invalidRequest(error.message);
  }
}

/** Returns the parameters of a query or form. Throws `invalid_request` if one is repeated, since then two readers may see two requests. */
export function readParameters(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (parameters.has(name)) throw invalidRequest('A parameter is repeated.');
    // RFC 6749, 3.1: a parameter without a value counts as missing.
    if (value !== '') parameters.set(name, value);
  }
  return parameters;
}

/** Reads a form. Throws `invalid_request` for any other body. */
export async function readForm(context: HttpContext): Promise<ReadonlyMap<string, string>> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(context.req.header('content-type') ?? ''))
    throw invalidRequest('Send a form (application/x-www-form-urlencoded).');
  return readParameters(await readSmallBody(context));
}
