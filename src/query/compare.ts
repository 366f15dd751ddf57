import { compareText } from '../note/text.ts';
import { durationMs, readDate, readDuration } from './dates.ts';
import { linkText } from './links.ts';
import type { Run } from './run.ts';
import { toText } from './texts.ts';
import { DateValue, Duration, FileValue, isList, Link, MapValue, Pattern, typeOf } from './values.ts';
import type { TypeName, Value } from './values.ts';

/**
 * Whether two values are equal. Values of different types are not (E-22), except where frontmatter can only hold text: a date or a link
 * equals its text. Links are equal if they lead to the same file, and a link equals that file.
 */
export function areEqual(run: Run, a: Value, b: Value): boolean {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) run.chargeRead(a.length);
  if (a === b) return true;
  if (typeof a !== 'object' && typeof b !== 'object') return false;
  if (a === null || b === null) return false;
  if (isFileLike(a) && isFileLike(b)) return isSameTarget(run, a, b);
  const [left, right] = [comparable(a, b), comparable(b, a)];
  if (left !== null && right !== null) return left === right;
  if (isList(a)) {
    if (!isList(b) || a.length !== b.length) return false;
    run.charge(a.length);
    return a.every((each, index) => areEqual(run, each, b[index] ?? null));
  }
  if (a instanceof MapValue) {
    if (!(b instanceof MapValue) || a.entries.size !== b.entries.size) return false;
    run.charge(a.entries.size);
    return [...a.entries].every(([key, each]) => b.entries.has(key) && areEqual(run, each, b.entries.get(key) ?? null));
  }
  if (a instanceof Link && typeof b === 'string') return isTextOf(a, b);
  if (b instanceof Link && typeof a === 'string') return isTextOf(b, a);
  return a instanceof Pattern && b instanceof Pattern && String(a.regex) === String(b.regex);
}

function isFileLike(value: Value): value is Link | FileValue {
  return value instanceof Link || value instanceof FileValue;
}

function isSameTarget(run: Run, a: Link | FileValue, b: Link | FileValue): boolean {
  const targetOf = (value: Link | FileValue): string | null => (value instanceof FileValue ? value.path : run.targetOf(value));
  const [left, right] = [targetOf(a), targetOf(b)];
  if (left !== null || right !== null) return left === right;
  return a instanceof Link && b instanceof Link && a.linkpath === b.linkpath;
}

function isTextOf(link: Link, text: string): boolean {
  return text === linkText(link) || text === link.linkpath;
}

/** Returns the number or text by which a value compares with another one; null if the two have no order. */
function comparable(value: Value, other: Value): number | string | null {
  if (typeof value === 'number') return typeof other === 'number' || other instanceof Duration ? value : null;
  if (typeof value === 'boolean') return typeof other === 'boolean' ? Number(value) : null;
  if (value instanceof DateValue) return other instanceof DateValue || typeof other === 'string' ? value.ms : null;
  if (value instanceof Duration) return other instanceof DateValue ? null : durationMs(value);
  if (typeof value !== 'string') return null;
  if (other instanceof DateValue) return readDate(value)?.ms ?? null;
  if (other instanceof Duration) {
    const duration = readDuration(value);
    return duration === null ? null : durationMs(duration);
  }
  return typeof other === 'string' ? value : null;
}

/** Returns a negative number if `a` is less, a positive one if it is greater, and 0 if neither; null if the two have no order (E-22). */
export function compareValues(a: Value, b: Value): number | null {
  const [left, right] = [comparable(a, b), comparable(b, a)];
  if (left === null || right === null || Number.isNaN(left) || Number.isNaN(right)) return null;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** How types sort in lists of mixed values. */
const RANK: Readonly<Record<TypeName, number>> = {
  boolean: 0,
  number: 1,
  date: 2,
  duration: 3,
  string: 4,
  link: 4,
  file: 4,
  list: 5,
  object: 6,
  regexp: 7,
  null: 8,
};

/** Compares in a total order of all values: by type, then naturally. Empty values are last in either direction (E-22). */
export function orderValues(run: Run, a: Value, b: Value, direction: 1 | -1 = 1): number {
  const [isLeftBlank, isRightBlank] = [isBlank(a), isBlank(b)];
  if (isLeftBlank || isRightBlank) return Number(isLeftBlank) - Number(isRightBlank);
  return direction * orderPresent(run, a, b);
}

function isBlank(value: Value): boolean {
  return value === null || value === '' || (typeof value === 'number' && Number.isNaN(value)) || (isList(value) && value.length === 0);
}

function orderPresent(run: Run, a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const rank = RANK[typeOf(a)] - RANK[typeOf(b)];
  if (rank !== 0) return rank;
  const compared = typeof a === 'string' ? null : compareValues(a, b);
  if (compared !== null) return compared;
  if (isList(a) && isList(b)) {
    for (let at = 0; at < a.length && at < b.length; at += 1) {
      run.charge(1);
      const order = orderValues(run, a[at] ?? null, b[at] ?? null);
      if (order !== 0) return order;
    }
    return a.length - b.length;
  }
  const [left, right] = [toSortText(run, a), toSortText(run, b)];
  run.charge(Math.floor((left.length + right.length) / 256));
  return compareText(left.toLowerCase(), right.toLowerCase()) || compareText(left, right);
}

function toSortText(run: Run, value: Value): string {
  return value instanceof FileValue ? value.path : toText(run, value);
}

/** Returns a key that equal values share, to find duplicates in one pass. */
export function keyOf(run: Run, value: Value): string {
  if (value instanceof Link) return `file ${run.targetOf(value) ?? `[[${value.linkpath}]]`}`;
  if (value instanceof FileValue) return `file ${value.path}`;
  if (value instanceof DateValue) return `date ${value.ms}`;
  if (value instanceof Duration) return `number ${durationMs(value)}`;
  if (isList(value)) return run.text(JSON.stringify(value.map((each) => keyOf(run, each))));
  if (value instanceof MapValue) return run.text(JSON.stringify([...value.entries].map(([key, each]) => [key, keyOf(run, each)])));
  const text = toText(run, value);
  run.chargeRead(text.length);
  return `${typeOf(value)} ${text}`;
}

/** Returns the least value, or the greatest with `sign` -1; null if there are no values. */
export function findExtreme(values: readonly Value[], sign: 1 | -1): Value {
  return values.reduce<Value>((best, each) => (best === null || sign * (compareValues(each, best) ?? 0) < 0 ? each : best), null);
}
