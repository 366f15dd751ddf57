/** What a cut text ends with; it counts toward the limit. */
export const CUT_SUFFIX = '... [truncated]';

/** A stretch of a text. */
export interface Excerpt {
  readonly text: string;
  /** Where the rest begins, or null when this is the end. */
  readonly nextOffset: number | null;
}

/** At most `limit` UTF-16 units of a text from `offset` on, suffix included, never ending inside a surrogate pair. */
export function cut(text: string, limit: number, offset = 0): Excerpt {
  if (text.length - offset <= limit) return { text: text.slice(offset), nextOffset: null };
  let end = offset + limit - CUT_SUFFIX.length;
  if (isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
  return { text: text.slice(offset, end) + CUT_SUFFIX, nextOffset: end };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** As many values from the front as fit into a number of characters of JSON; at least one. */
export function fit<T>(values: readonly T[], characters: number): readonly T[] {
  let used = 2;
  for (const [index, value] of values.entries()) {
    used += JSON.stringify(value).length + 1;
    if (used > characters && index > 0) return values.slice(0, index);
  }
  return values;
}

/** The first so many characters of a text; a surrogate pair is one. */
export function firstCharacters(text: string, count: number): string {
  return text.length <= count
    ? text
    : Array.from(text.slice(0, 2 * count))
        .slice(0, count)
        .join('');
}
