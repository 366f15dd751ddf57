import type { Config } from '../../config.ts';
import { RouxError } from '../../errors.ts';

/** Refuses a request that exceeds a limit; nothing is truncated (S3-49). */
export function checkRequest(input: unknown, items: number, { knowledge }: Config): void {
  if (items > knowledge.maxItems) throw tooLarge('items', items, knowledge.maxItems, 'send them in several calls');
  if (items === 0) throw new RouxError('INVALID_ARGUMENT', 'The request has no items; send at least one.');
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > knowledge.maxBytes) throw tooLarge('bytes', bytes, knowledge.maxBytes, 'send less in one call');
}

/** Refuses a text that exceeds `limit` characters. */
export function checkText(field: string, text: string | undefined, limit: number): void {
  if (text !== undefined && text.length > limit)
    throw new RouxError('LIMIT_EXCEEDED', `${field} has ${text.length} characters; the limit is ${limit}. Nothing was saved; shorten it.`, {
      field,
      limit,
    });
}

function tooLarge(what: string, given: number, limit: number, remedy: string): RouxError {
  return new RouxError('LIMIT_EXCEEDED', `The request has ${given} ${what}; the limit is ${limit}. Please ${remedy}.`, {
    [what]: given,
    limit,
  });
}
