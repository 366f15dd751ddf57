import { shorten } from '../shorten.ts';

/** Formats a property or history value, truncated to a number of characters; null for none. */
export function asText(value: unknown, characters: number): string | null {
  if (value === null || value === undefined) return null;
  return shorten(typeof value === 'string' ? value : JSON.stringify(value), characters);
}
