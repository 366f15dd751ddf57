import { createHash } from 'node:crypto';

const LENGTH = 22;

/** Returns the key of a text's vector, whatever embedder made it: 132 bits of its sha-256. */
export function contentKey(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, LENGTH);
}

/** Whether a value has the form of a `contentKey`. */
export function isContentKey(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{22}$/.test(value);
}
