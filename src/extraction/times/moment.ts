import { readIsoDate, utcDay } from '../../note/iso-date.ts';

/** A moment, or a day, month or year from its start to the start of the next one, in milliseconds since 1970 UTC. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

export const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
export const WEEKDAYS = 'mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?';

/** How to read a day or month without a year: as the latest one in the past, as one in a given year, or, with null, as ambiguous. */
export type Missing = 'past' | { readonly year: number } | null;

const DAY = 86_400_000;

const namedMonth = new RegExp(
  String.raw`^(?:(\d\d?)(?:st|nd|rd|th)?(?:[ \t]+of)?[ \t]+)?(${MONTHS})\b\.?(?:[ \t]+(\d\d?)(?:st|nd|rd|th)?)?(?:[ \t]*,?[ \t]*(\d{4}))?$`,
  'i',
);

/**
 * Parses a phrase that names one period, in UTC and relative to a reference time. Null if it names none or is ambiguous: `5/6/2024`,
 * `Friday` without a direction, `last week`. English phrases are parsed by chrono, which is imported only for them.
 */
export async function readPeriod(phrase: string, reference: number, missing: Missing): Promise<Period | null> {
  const edge = /^(?:the[ \t]+)?(start|beginning|end)[ \t]+of[ \t]+(?![ \t])(.*)$/i.exec(phrase);
  if (edge === null) {
    // Dates in digits are not passed to chrono, which would choose one of two readings.
    if (/^q?\d+(?:[-./, \t]+\d*)?$|^\d+[-./]\d/i.test(phrase)) return readNumbers(phrase);
    return namedMonth.test(phrase) ? readNamedMonth(phrase, reference, missing) : await readWords(phrase, reference, missing);
  }
  const whole = await readPeriod(edge[2] ?? '', reference, missing);
  // Only a month or year has a start and an end in this sense.
  if (whole === null || whole.end - whole.start <= DAY) return null;
  const at = edge[1]?.toLowerCase() === 'end' ? whole.end : whole.start;
  return { start: at, end: at };
}

/** Parses dates in digits: ISO 8601, a year, a quarter, `15.3.2024`, and `15/3/2024` if it is unambiguous. */
function readNumbers(phrase: string): Period | null {
  const year = /^(?:1[0-9]|2[01])\d\d$/.exec(phrase);
  if (year !== null) return yearOf(Number(phrase));
  const [, quarter, ofYear] = /^q([1-4])[ \t,]+((?:1[0-9]|2[01])\d\d)$/i.exec(phrase) ?? [];
  if (quarter !== undefined) return months(Number(ofYear), 3 * Number(quarter) - 3, 3);
  const [, y, m] = /^(\d{4})-(\d\d)$/.exec(phrase) ?? [];
  if (y !== undefined) return Number(m) >= 1 && Number(m) <= 12 ? months(Number(y), Number(m) - 1, 1) : null;
  if (/^\d{4}-\d\d-\d\d/.test(phrase)) return readIso(phrase);
  const [, day, mark, month, last] = /^(\d\d?)([./])(\d\d?)\2(\d{4})$/.exec(phrase) ?? [];
  if (day === undefined) return null;
  const [a, b, inYear] = [Number(day), Number(month), Number(last)];
  if (mark === '.' || a > 12 || a === b) return dayOf(inYear, b, a);
  return b > 12 ? dayOf(inYear, a, b) : null;
}

/** Parses a moment or a day in ISO 8601. Without an offset it is in UTC, whatever the machine's time zone is. */
function readIso(phrase: string): Period | null {
  const isNaive = /[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(phrase);
  const date = readIsoDate(isNaive ? `${phrase}Z` : phrase);
  if (date === null) return null;
  if (date.hasTime) return { start: date.ms, end: date.ms };
  const [y = 0, m = 0, d = 0] = phrase.split('-').map(Number);
  return dayOf(y, m, d);
}

/** Parses `March 2024`, `3 May` or `May 3rd, 2024`; null for other phrases, or if the year is ambiguous. */
function readNamedMonth(phrase: string, reference: number, missing: Missing): Period | null {
  const [, before, name, after, year] = namedMonth.exec(phrase) ?? [];
  if (name === undefined || (before !== undefined && after !== undefined)) return null;
  const month = MONTHS.split('|').findIndex((each) => each.startsWith(name.slice(0, 3).toLowerCase())) + 1;
  const day = before ?? after;
  const inYear = (of: number): Period | null => (day === undefined ? months(of, month - 1, 1) : dayOf(of, month, Number(day)));
  if (year !== undefined) return inYear(Number(year));
  if (missing === null) return null;
  if (missing !== 'past') return inYear(missing.year);
  const now = new Date(reference).getUTCFullYear();
  return [inYear(now), inYear(now - 1)].find((period) => period !== null && period.start <= reference) ?? null;
}

/** Parses a phrase with chrono, which must consume all of it. The period is as precise as the phrase. */
async function readWords(phrase: string, reference: number, missing: Missing): Promise<Period | null> {
  const weekday = new RegExp(`^(?:${WEEKDAYS})$`, 'i').test(phrase);
  // Ambiguous, since weeks begin on different days in different countries.
  if ((weekday && missing !== 'past') || /\b(?:last|next|this|past)[ \t]+week\b/i.test(phrase)) return null;
  const chrono = await import('chrono-node/en');
  const instant = new Date(reference);
  // Counted from a day that the other month lacks, such as the 31st, chrono names the month after it.
  if (/\bmonths?\b/i.test(phrase)) instant.setUTCDate(1);
  const [found, another] = chrono.casual.parse(phrase, { instant, timezone: 0 });
  if (found === undefined || another !== undefined || found.index !== 0 || found.text.length !== phrase.length || found.end != null)
    return null;
  const { start } = found;
  const [year, month, day] = [start.get('year'), start.get('month'), start.get('day')];
  if (year === null || month === null || day === null || year < 1 || year > 9999) return null;
  if (start.isCertain('weekday') && !start.isCertain('day')) {
    const date = dayOf(year, month, day);
    if (!weekday || date === null) return date;
    // The weekday of the reference time may mean that day or the one a week before.
    const days = (7 + new Date(reference).getUTCDay() - (start.get('weekday') ?? 0)) % 7;
    const then = new Date(reference - days * DAY);
    return days === 0 ? null : dayOf(then.getUTCFullYear(), then.getUTCMonth() + 1, then.getUTCDate());
  }
  if (!start.isCertain('year')) return null;
  if (!start.isCertain('month')) return yearOf(year);
  if (!start.isCertain('day')) return months(year, month - 1, 1);
  if (!start.isCertain('hour')) return dayOf(year, month, day);
  const [hour, minute, second, ms] = (['hour', 'minute', 'second', 'millisecond'] as const).map((part) => start.get(part) ?? 0);
  const offset = start.isCertain('timezoneOffset') ? (start.get('timezoneOffset') ?? 0) : 0;
  const at = utcDay(year, month - 1, day) + ((((hour ?? 0) * 60 + (minute ?? 0) - offset) * 60 + (second ?? 0)) * 1000 + (ms ?? 0));
  return { start: at, end: at };
}

function yearOf(year: number): Period {
  return months(year, 0, 12);
}

function months(year: number, month: number, count: number): Period {
  return { start: utcDay(year, month, 1), end: utcDay(year, month + count, 1) };
}

/** Returns a day, with `month` from 1; null if it does not exist. */
function dayOf(year: number, month: number, day: number): Period | null {
  const start = utcDay(year, month - 1, day);
  const date = new Date(start);
  if (year < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return { start, end: start + DAY };
}
