import { hash as digest } from 'node:crypto';

/** sha-256 of bytes or text, hex: the `etag`, and what a compare-and-set compares. */
export function hashOf(content: Uint8Array | string): string {
  return digest('sha256', content, 'hex');
}
