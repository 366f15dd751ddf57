import { readIsoDate } from '../note/iso-date.ts';
import { DateValue, Duration } from './values.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The mean length of a month, for durations as numbers. */
const MONTH = ((400 * 365 + 97) / 4_800) * DAY;
/** The range of JavaScript's `Date`. */
const MAX_MS = 8.64e15;

/** Parses a date as `readIsoDate` does; null if the text is not a date. */
export function readDate(text: string): DateValue | null {
  const date = readIsoDate(text);
  return date === null ? null : new DateValue(date.ms, date.hasTime);
}

/** Returns the local day of a moment, without a time. */
export function startOfDay(ms: number): DateValue {
  return new DateValue(new Date(ms).setHours(0, 0, 0, 0), false);
}

/** The months or milliseconds of each unit, by all its names. `M` is a month, `m` a minute. */
const UNITS: ReadonlyMap<string, readonly [months: number, ms: number]> = new Map(
  (
    [
      [
        ['y', 'year', 'years'],
        [12, 0],
      ],
      [
        ['M', 'month', 'months'],
        [1, 0],
      ],
      [
        ['w', 'week', 'weeks'],
        [0, 7 * DAY],
      ],
      [
        ['d', 'day', 'days'],
        [0, DAY],
      ],
      [
        ['h', 'hour', 'hours'],
        [0, HOUR],
      ],
      [
        ['m', 'minute', 'minutes'],
        [0, MINUTE],
      ],
      [
        ['s', 'second', 'seconds'],
        [0, SECOND],
      ],
      [
        ['ms', 'millisecond', 'milliseconds'],
        [0, 1],
      ],
    ] as const
  ).flatMap(([names, unit]) => names.map((name) => [name, unit] as const)),
);

const durationPart = /\s*([+-]?\d{1,9}(?:\.\d{1,9})?)\s*([A-Za-z]{1,12})\s*/y;

/** Parses a duration such as `1d`, `2 weeks`, `1h 30m` or `-3 months`; null if the text is not one. */
export function readDuration(text: string): Duration | null {
  if (text.length === 0 || text.length > 100) return null;
  let [months, ms] = [0, 0];
  durationPart.lastIndex = 0;
  for (let end = 0; end < text.length; end = durationPart.lastIndex) {
    const match = durationPart.exec(text);
    const word = match?.[2] ?? '';
    const unit = UNITS.get(word) ?? UNITS.get(word.toLowerCase());
    if (match === null || unit === undefined) return null;
    const count = Number(match[1]);
    months += count * unit[0];
    ms += count * unit[1];
  }
  return new Duration(months, ms);
}

/** Adds a duration, or subtracts it with `sign` -1; null if out of range. Whole days move a date without a time by calendar days. */
export function addDuration(date: DateValue, { months, ms }: Duration, sign: 1 | -1): DateValue | null {
  const moved = addMonths(date.ms, sign * months);
  const isWholeDays = ms % DAY === 0;
  let sum: number;
  if (!date.hasTime && isWholeDays) {
    const day = new Date(moved);
    day.setDate(day.getDate() + (sign * ms) / DAY);
    sum = day.getTime();
  } else sum = moved + sign * ms;
  return Math.abs(sum) <= MAX_MS ? new DateValue(sum, date.hasTime || !isWholeDays) : null;
}

/** Adds months: the day is clamped to a shorter month, and a fraction counts as a part of a mean month. */
function addMonths(ms: number, months: number): number {
  if (months === 0) return ms;
  const whole = Math.trunc(months);
  const date = new Date(ms);
  const day = date.getDate();
  date.setDate(1);
  date.setMonth(date.getMonth() + whole);
  date.setDate(Math.min(day, new Date(date.getFullYear(), date.getMonth() + 1, 0).getDate()));
  return date.getTime() + (months - whole) * MONTH;
}

/** Converts a duration to milliseconds, with months of mean length. */
export function durationMs({ months, ms }: Duration): number {
  return months * MONTH + ms;
}

/** The fields of durations, with the milliseconds of each unit. */
export const DURATION_FIELDS: ReadonlyMap<string, number> = new Map([
  ['years', 12 * MONTH],
  ['months', MONTH],
  ['weeks', 7 * DAY],
  ['days', DAY],
  ['hours', HOUR],
  ['minutes', MINUTE],
  ['seconds', SECOND],
  ['milliseconds', 1],
]);

/** Formats a duration, such as `1 day 4 hours`. */
export function durationText({ months, ms }: Duration): string {
  const parts: string[] = [];
  const take = (rest: number, units: readonly (readonly [string, number])[]): void => {
    let left = Math.abs(rest);
    for (const [name, size] of units) {
      const count = size === 1 ? left : Math.floor(left / size);
      left -= count * size;
      if (count > 0) parts.push(`${rest < 0 ? '-' : ''}${count} ${name}${count === 1 ? '' : 's'}`);
    }
  };
  take(months, [
    ['year', 12],
    ['month', 1],
  ]);
  take(ms, [
    ['day', DAY],
    ['hour', HOUR],
    ['minute', MINUTE],
    ['second', SECOND],
    ['millisecond', 1],
  ]);
  return parts.length === 0 ? '0 seconds' : parts.join(' ');
}

/** Formats a date as expressions see it: `YYYY-MM-DD`, followed by the time if it has one. */
export function dateText({ ms, hasTime }: DateValue): string {
  const date = new Date(ms);
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return hasTime ? `${day} ${timeText(ms)}` : day;
}

/** Formats a date for an answer: ISO 8601, with the time zone's offset if it has a time. */
export function dateJson(value: DateValue): string {
  if (!value.hasTime) return dateText(value);
  const offset = -new Date(value.ms).getTimezoneOffset();
  const minutes = Math.abs(offset);
  const zone = offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
  return dateText(value).replace(' ', 'T') + zone;
}

/** Formats the time of day as `HH:mm:ss`. */
export function timeText(ms: number): string {
  const date = new Date(ms);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}
