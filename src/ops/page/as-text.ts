import { shorten } from '../shorten.ts';

/** A value of a property, or of the history, as a text of at most so many characters; null for none. */
export function asText(value: unknown, characters: number): string | null {
  if (value === null || value === undefined) return null;
  return shorten(typeof value === 'string' ? value : JSON.stringify(value), characters);
}
