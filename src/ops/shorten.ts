import { wholeEnd } from '../note/text.ts';

/** What a body ends with where an answer does not show all of it; it counts toward the limit. */
export const CUT_SUFFIX = '... [truncated]';

/** A text of at most so many UTF-16 units, the suffix included where something is missing, never ending inside a surrogate pair. */
export function shorten(text: string, limit: number, suffix = '…'): string {
  return text.length <= limit ? text : text.slice(0, wholeEnd(text, limit - suffix.length)) + suffix;
}

/** A text of at most so many UTF-16 units with its beginning and its end, never ending or beginning inside a surrogate pair. */
export function shortenMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor((limit - 1) / 2);
  const rest = text.length - half;
  return `${text.slice(0, wholeEnd(text, half))}…${text.slice(wholeEnd(text, rest) === rest ? rest : rest + 1)}`;
}

/** A stretch of a text. */
export interface Excerpt {
  readonly text: string;
  /** Where the rest begins, or null when this is the end. */
  readonly nextOffset: number | null;
}

/**
 * What one answer shows of a text from `offset` on, and where to go on.
 * Text of control characters grows sixfold as JSON: then less of it is shown, so that the answer stays short.
 */
export function excerptOf(text: string, { limit, offset }: { readonly limit: number; readonly offset: number }): Excerpt {
  let excerpt = excerptWithin(text, offset, limit);
  for (let less = limit; JSON.stringify(excerpt.text).length > 2 * limit && less > 100;) {
    less = Math.floor(less / 2);
    excerpt = excerptWithin(text, offset, less);
  }
  return excerpt;
}

function excerptWithin(text: string, offset: number, limit: number): Excerpt {
  if (text.length - offset <= limit) return { text: text.slice(offset), nextOffset: null };
  const end = wholeEnd(text, offset + limit - CUT_SUFFIX.length);
  return { text: text.slice(offset, end) + CUT_SUFFIX, nextOffset: end };
}

/** As many values from the front as fit into so many characters of JSON, but `least` in any case. Values behind the first that does not fit are not asked for. */
export function firstThatFit<T>(values: Iterable<T>, characters: number, { least = 1 }: { readonly least?: number } = {}): readonly T[] {
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
 * The same answer, which knows how to say itself in fewer characters: what then is not in it, it says how to get.
 * Where an answer has to be cut, it is asked first, because only it knows what its cursor has to be then.
 */
export function fittedBy<T extends object>(answer: T, fit: (characters: number) => T): T {
  fits.set(answer, fit);
  return answer;
}

/** An answer in at most so many characters of JSON, if it knows how to; else as it is. */
export function fitInto(answer: unknown, characters: number): unknown {
  return typeof answer === 'object' && answer !== null ? (fits.get(answer)?.(characters) ?? answer) : answer;
}
