import { wholeEnd } from '../note/text.ts';

/** Ends a body that is not shown whole; counts toward the limit. */
export const TRUNCATED_SUFFIX = '... [truncated]';

/** Truncates a text to at most `limit` UTF-16 units, suffix included, never inside a surrogate pair. */
export function shorten(text: string, limit: number, suffix = '…'): string {
  return text.length <= limit ? text : text.slice(0, wholeEnd(text, limit - suffix.length)) + suffix;
}

/** Truncates a text in the middle to at most `limit` UTF-16 units, never inside a surrogate pair. */
export function shortenMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor((limit - 1) / 2);
  const rest = text.length - half;
  return `${text.slice(0, wholeEnd(text, half))}…${text.slice(wholeEnd(text, rest) === rest ? rest : rest + 1)}`;
}

/** A part of a text that is read in pages. */
export interface TextSlice {
  readonly text: string;
  /** Where the next part begins, or null at the end. */
  readonly nextOffset: number | null;
}

/**
 * Returns what one answer shows of a text from `offset` on. Control characters grow sixfold as JSON: of a text with many of them less than
 * `limit` is shown, so that the answer stays short.
 */
export function sliceText(text: string, { limit, offset }: { readonly limit: number; readonly offset: number }): TextSlice {
  let slice = sliceWithin(text, offset, limit);
  for (let less = limit; JSON.stringify(slice.text).length > 2 * limit && less > 100;) {
    less = Math.floor(less / 2);
    slice = sliceWithin(text, offset, less);
  }
  return slice;
}

function sliceWithin(text: string, offset: number, limit: number): TextSlice {
  if (text.length - offset <= limit) return { text: text.slice(offset), nextOffset: null };
  const end = wholeEnd(text, offset + limit - TRUNCATED_SUFFIX.length);
  return { text: text.slice(offset, end) + TRUNCATED_SUFFIX, nextOffset: end };
}

/** Takes values as long as they fit into `characters` of JSON, but at least `least`. Does not iterate past the first one that does not fit. */
export function takeWhileFits<T>(values: Iterable<T>, characters: number, { least = 1 }: { readonly least?: number } = {}): readonly T[] {
  const fitting: T[] = [];
  let used = 2;
  for (const value of values) {
    used += JSON.stringify(value).length + 1;
    if (used > characters && fitting.length >= least) break;
    fitting.push(value);
  }
  return fitting;
}

const fits = new WeakMap<object, (characters: number) => object>();

/**
 * Attaches to an answer a function that builds a shorter version of it, with a cursor for what it omits.
 * Used before an answer is truncated, because only the operation knows how its cursor changes.
 */
export function withFit<T extends object>(answer: T, fit: (characters: number) => T): T {
  fits.set(answer, fit);
  return answer;
}

/** Shortens an answer to `characters` of JSON by the function that `withFit` attached; returns it unchanged when there is none. */
export function fitInto(answer: unknown, characters: number): unknown {
  return typeof answer === 'object' && answer !== null ? (fits.get(answer)?.(characters) ?? answer) : answer;
}

/** Formats a property or history value, truncated to a number of characters; null for none. */
export function asText(value: unknown, characters: number): string | null {
  if (value === null || value === undefined) return null;
  return shorten(typeof value === 'string' ? value : JSON.stringify(value), characters);
}

/** Files that a message lists. */
export const MAX_LISTED = 20;

/** Lists the first paths and the number of others. */
export function listSome(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_LISTED).join(', ');
  return paths.length > MAX_LISTED ? `${named} and ${paths.length - MAX_LISTED} more` : named;
}
