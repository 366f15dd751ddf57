import type { Config } from '../../config.ts';
import { RouxError } from '../../errors.ts';

/** Refuses what is larger than a request may be; nothing is cut (S3-49). */
export function checkRequest(input: unknown, items: number, { knowledge }: Config): void {
  if (items > knowledge.maxItems) throw tooMuch('items', items, knowledge.maxItems, 'send them in several calls');
  if (items === 0) throw new RouxError('INVALID_ARGUMENT', 'There are no items; send one at least.');
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > knowledge.maxBytes) throw tooMuch('bytes', bytes, knowledge.maxBytes, 'send less in one call');
}

/** Refuses a text that is longer than its kind may be. */
export function checkText(field: string, text: string | undefined, limit: number): void {
  if (text !== undefined && text.length > limit)
    throw new RouxError('LIMIT_EXCEEDED', `${field} has ${text.length} characters; ${limit} at most are kept, and nothing is cut.`, {
      field,
      limit,
    });
}

function tooMuch(what: string, given: number, limit: number, remedy: string): RouxError {
  return new RouxError('LIMIT_EXCEEDED', `The request has ${given} ${what}, and may have ${limit}; ${remedy}.`, { [what]: given, limit });
}
