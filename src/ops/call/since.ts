import { RouxError } from '../../errors.ts';
import { readIsoDate } from '../../note/iso-date.ts';

/** Parses the argument `since`, a time or the beginning of a day, into milliseconds. */
export function readSince(text: string): number {
  const ms = readIsoDate(text.trim().toUpperCase())?.ms ?? null;
  if (ms !== null) return ms;
  const message = `since: ${JSON.stringify(text.slice(0, 100))} is not a time; give one like 2026-01-31 or 2026-01-31T09:00:00Z.`;
  throw new RouxError('INVALID_PARAMS', message, { field: 'since' });
}
