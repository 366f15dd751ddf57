import type { Result } from '../../operations.ts';

export type ActivityPage = Result<'activity'>;
/** A write. */
export type Entry = ActivityPage['entries'][number];

/** Groups consecutive entries by local day. */
export function groupByDay(entries: readonly Entry[]): readonly { readonly day: string; readonly entries: readonly Entry[] }[] {
  const days: { readonly day: string; readonly entries: Entry[] }[] = [];
  for (const entry of entries) {
    const day = dayOf(entry.timestamp);
    const last = days.at(-1);
    if (last !== undefined && last.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}

/** Returns the local day of a time as `2026-01-31`, or the first ten characters of an invalid time. */
function dayOf(timestamp: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return timestamp.slice(0, 10);
  return `${time.getFullYear()}-${String(time.getMonth() + 1).padStart(2, '0')}-${String(time.getDate()).padStart(2, '0')}`;
}

const fullDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });

/** Formats a day: Today, Yesterday or the full date. */
export function formatDay(day: string): string {
  const now = Date.now();
  if (day === dayOf(new Date(now).toISOString())) return 'Today';
  if (day === dayOf(new Date(now - 24 * 3_600_000).toISOString())) return 'Yesterday';
  const time = Date.parse(`${day}T12:00:00`);
  return Number.isNaN(time) ? day : fullDay.format(time);
}
