import { readIsoDate } from '../../note/iso-date.ts';

/**
 * Parses a time in ISO 8601 UTC (`Z` or `+00:00`), or a date, which is its first moment in UTC. Returns it with milliseconds; null for
 * anything else, as a time without a zone may mean another moment (S3-02).
 */
export function readUtc(written: string): string | null {
  if (/^\d{4}-\d\d-\d\d$/.test(written)) return toUtc(`${written}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|\+00:00)$/.test(written) ? toUtc(written) : null;
}

/** Says what a time has to be, and if it can be read, in which form to send it. */
export function describeUtc(written: string): string {
  return `must be a date such as 2026-01-05, or a time in UTC such as 2026-01-05T10:00:00.000Z${suggestUtc(written)}`;
}

/** Says in which form to send a time; empty if it cannot be read. */
export function suggestUtc(written: string): string {
  const day = `${written}-01-01`.slice(0, 10);
  if (/^\d{4}(?:-\d\d)?$/.test(written)) return readUtc(day) === null ? '' : `; send ${day}`;
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(written) ? toUtc(written) : null;
  if (zoned !== null) return `; send ${withoutZeros(zoned)}`;
  const naive = toUtc(`${written}Z`);
  return naive === null ? '' : `; send ${withoutZeros(naive)} if this is UTC`;
}

function toUtc(written: string): string | null {
  const date = readIsoDate(written);
  if (date === null || !date.hasTime) return null;
  const utc = new Date(date.ms).toISOString();
  return /^\d/.test(utc) ? utc : null;
}

function withoutZeros(utc: string): string {
  return utc.replace('.000Z', 'Z');
}

/**
 * Parses a time that a person wrote: a year, month or day (the first moment in UTC), or a date with a time of day, in UTC unless it names a
 * zone. Returns ISO 8601 UTC with milliseconds, or null. Only years 0 to 9999 are accepted, because times are compared as texts.
 */
export function readTime(written: string): string | null {
  const text = written.trim();
  const [, year, month = '01', day = '01'] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text) ?? [];
  const zoned = year !== undefined ? `${year}-${month}-${day}T00:00:00Z` : /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`;
  return toUtc(zoned);
}
