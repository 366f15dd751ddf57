const datePattern = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Parses an ISO 8601 date, `YYYY-MM-DD` with or without a time, local unless it has a zone; null for anything else. `ms`: its first moment,
 * in milliseconds since 1970 UTC.
 */
export function readIsoDate(text: string): { readonly ms: number; readonly hasTime: boolean } | null {
  // Fast path: most texts are not dates and do not start with a digit.
  const first = text.charCodeAt(0);
  if (first < 48 || first > 57 || text.length < 10 || text.length > 40) return null;
  const match = datePattern.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction, zone] = match;
  const numbers = [year, month, day, hour, minute, second].map((part) => Number(part ?? 0));
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = numbers;
  const millisecond = fraction === undefined ? 0 : Math.floor(Number(`0.${fraction}`) * 1000);
  if (mo < 1 || mo > 12 || d < 1 || d > daysOf(y, mo) || h > 23 || mi > 59 || s > 59) return null;
  if (zone === undefined) return { ms: localTime(y, mo - 1, d, h, mi, s, millisecond), hasTime: hour !== undefined };
  const offset = zone === 'Z' ? 0 : (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)));
  return { ms: utcDay(y, mo - 1, d) + ((h * 60 + mi - offset) * 60 + s) * 1000 + millisecond, hasTime: true };
}

/** Returns the first millisecond of a day in UTC, `month` from 0: `Date.UTC` without its rule for years below 100. */
export function utcDay(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

/** `new Date` of parts, without its rule for years below 100. */
function localTime(year: number, month: number, ...[day = 1, hour = 0, minute = 0, second = 0, ms = 0]: readonly number[]): number {
  if (year >= 100) return new Date(year, month, day, hour, minute, second, ms).getTime();
  const date = new Date(2000, 0, 1, hour, minute, second, ms);
  date.setFullYear(year, month, day);
  return date.getTime();
}

/** Days of the months of a common year. */
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
}

/** Formats a time in nanoseconds since 1970 as ISO 8601 UTC. */
export function isoTime(nanoseconds: bigint): string {
  return new Date(Number(nanoseconds / 1_000_000n)).toISOString();
}
