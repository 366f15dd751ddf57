import { readIsoDate } from '../../../note/iso-date.ts';

/**
 * Parses a time that a person wrote: a year, month or day (the first moment in UTC), or a date with a time of day, in UTC unless it names a
 * zone. Returns ISO 8601 UTC with milliseconds, or null. Only years 0 to 9999 are accepted, because times are compared as texts.
 */
export function readTime(written: string): string | null {
  const text = written.trim();
  const [, year, month = '01', day = '01'] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text) ?? [];
  const zoned = year !== undefined ? `${year}-${month}-${day}T00:00:00Z` : /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`;
  const date = readIsoDate(zoned);
  if (date === null || !date.hasTime) return null;
  const utc = new Date(date.ms).toISOString();
  return /^\d/.test(utc) ? utc : null;
}
