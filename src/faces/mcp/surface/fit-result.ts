import { isRecord } from '../../../is-record.ts';
import { TRUNCATED_SUFFIX, takeWhileFits, fitInto, shorten } from '../../../ops/shorten.ts';

/** The longest result; clients truncate or divert longer ones. */
const MAX_RESULT_CHARACTERS = 40_000;
/** Leaves room for the warning about what was omitted. */
const MAX_TEXT_CHARACTERS = MAX_RESULT_CHARACTERS - 1_000;

export interface FittedResult {
  readonly text: string;
  /** The result that `text` contains. */
  readonly value: unknown;
  /** What was omitted; empty for nearly all results. */
  readonly omissions: readonly string[];
}

/**
 * Serializes a result to JSON of limited length. A result that is too long is shortened by its own rule if it has one, which says how to
 * get the rest; if that does not suffice, its longest lists and texts are truncated.
 */
export function fitResult(value: unknown, remedy = 'ask for less at a time'): FittedResult {
  let current = value;
  const omissions: string[] = [];
  let text = JSON.stringify(current);
  if (text.length > MAX_TEXT_CHARACTERS) {
    current = fitInto(value, MAX_TEXT_CHARACTERS);
    text = JSON.stringify(current);
  }
  for (let round = 0; text.length > MAX_TEXT_CHARACTERS && round < 20; round += 1) {
    const longest = findLongest(current, []);
    if (longest === null) break;
    const size = JSON.stringify(longest.value).length;
    const budget = Math.max(200, Math.floor((size - (text.length - MAX_TEXT_CHARACTERS)) * 0.95));
    const shorter = typeof longest.value === 'string' ? cutText(longest.value, budget) : takeWhileFits(longest.value, budget);
    if (shorter.length >= longest.value.length) break;
    const place = longest.path.length === 0 ? 'the list' : longest.path.join('.');
    omissions.push(`${place} was cut from ${longest.value.length} to ${shorter.length} to keep the answer short; ${remedy}.`);
    current = replace(current, longest.path, shorter);
    text = JSON.stringify(current);
  }
  return { text, value: current, omissions };
}

type Place = { readonly path: readonly string[]; readonly value: string | readonly unknown[] };

/** Returns the list or text that takes the most characters. A list is preferred to its elements, so that whole elements are dropped. */
function findLongest(value: unknown, path: readonly string[]): Place | null {
  if (typeof value === 'string') return { path, value };
  if (Array.isArray(value)) return value.length > 1 ? { path, value } : findLongest(value[0], [...path, '0']);
  if (!isRecord(value)) return null;
  const places = Object.entries(value).flatMap(([key, each]) => findLongest(each, [...path, key]) ?? []);
  const sizes = new Map(places.map((place) => [place, JSON.stringify(place.value).length]));
  return places.reduce<Place | null>(
    (best, place) => (best === null || (sizes.get(place) ?? 0) > (sizes.get(best) ?? 0) ? place : best),
    null,
  );
}

function cutText(text: string, budget: number): string {
  const scale = text.length / JSON.stringify(text).length;
  return shorten(text, Math.max(TRUNCATED_SUFFIX.length + 1, Math.floor(budget * scale)), TRUNCATED_SUFFIX);
}

function replace(value: unknown, path: readonly string[], by: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return by;
  if (Array.isArray(value)) return value.map((each: unknown, index) => (String(index) === first ? replace(each, rest, by) : each));
  return isRecord(value) ? { ...value, [first]: replace(value[first], rest, by) } : value;
}
