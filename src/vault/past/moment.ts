import { RouxError } from '../../errors.ts';

/** A moment of the past, as a caller names it. */
export type Moment =
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'rev'; readonly rev: number }
  | { readonly kind: 'commit'; readonly name: string };

/**
 * Reads what names a moment: an ISO date (its end, local time) or date-time (local without a zone), a note's `rev` as a whole number
 * of at most six digits, or a git commit: `HEAD`, or 7 to 40 hexadecimal digits. `INVALID_PARAMS` for anything else.
 */
export function readMoment(text: string, field = 'as_of'): Moment {
  const wanted = text.trim();
  if (wanted === 'HEAD' || /^[0-9a-f]{7,40}$/i.test(wanted))
    return { kind: 'commit', name: wanted === 'HEAD' ? wanted : wanted.toLowerCase() };
  if (/^\d{1,6}$/.test(wanted)) return { kind: 'rev', rev: Number(wanted) };
  const ms = readTime(wanted);
  if (ms !== null) return { kind: 'time', ms };
  throw new RouxError(
    'INVALID_PARAMS',
    `${field}: ${JSON.stringify(text.slice(0, 100))} is no moment; give a time like 2026-01-31 or 2026-01-31T09:00:00Z, a rev like 3, or a commit.`,
    { field },
  );
}

/** A date or date-time in milliseconds, a date alone being its end; null for what is none. */
export function readTime(text: string): number | null {
  const [, year, month, day, time, zone] =
    /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text.trim()) ?? [];
  if (year === undefined || month === undefined || day === undefined) return null;
  const [y, m, d] = [Number(year), Number(month) - 1, Number(day)];
  const isDay = new Date(Date.UTC(y, m, d)).getUTCMonth() === m && d > 0;
  if (!isDay) return null;
  if (time === undefined) return new Date(y, m, d + 1).getTime() - 1;
  const ms = Date.parse(`${year}-${month}-${day}T${time}${zone?.toUpperCase().replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2') ?? ''}`);
  return Number.isNaN(ms) ? null : ms;
}
