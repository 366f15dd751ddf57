import { createHash } from 'node:crypto';

/** What a text is kept under, whatever embedded it: 132 bits of its sha-256. */
export function contentKey(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, LENGTH);
}

const LENGTH = 22;

/** Whether a text can be one of `contentKey`. */
export function isContentKey(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{22}$/.test(value);
}
