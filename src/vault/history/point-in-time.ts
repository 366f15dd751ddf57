import { RouxError } from '../../errors.ts';
import { readIsoDate } from '../../note/iso-date.ts';

/** A point in time, as a caller names it. */
export type PointInTime =
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'rev'; readonly rev: number }
  | { readonly kind: 'commit'; readonly name: string };

/**
 * Parses an ISO date (meaning its end, local time) or date-time (local unless it has a zone), a note's `rev` as a whole number of at most
 * six digits, or a git commit: `HEAD`, or 7 to 40 hexadecimal digits. Throws `INVALID_PARAMS` for anything else.
 */
export function parsePointInTime(text: string, field = 'as_of'): PointInTime {
  const wanted = text.trim();
  if (wanted === 'HEAD' || /^[0-9a-f]{7,40}$/i.test(wanted))
    return { kind: 'commit', name: wanted === 'HEAD' ? wanted : wanted.toLowerCase() };
  if (/^\d{1,6}$/.test(wanted)) return { kind: 'rev', rev: Number(wanted) };
  const ms = parseEndOfDate(wanted);
  if (ms !== null) return { kind: 'time', ms };
  throw new RouxError(
    'INVALID_PARAMS',
    `${field}: ${JSON.stringify(text.slice(0, 100))} is no moment; give a time like 2026-01-31 or 2026-01-31T09:00:00Z, a rev like 3, or a commit.`,
    { field },
  );
}

/** Returns the last millisecond of a date, or a date-time itself; null if the text is neither. */
function parseEndOfDate(text: string): number | null {
  const date = readIsoDate(text.trim().toUpperCase());
  if (date === null || date.hasTime) return date?.ms ?? null;
  const next = new Date(date.ms);
  return next.setDate(next.getDate() + 1) - 1;
}
