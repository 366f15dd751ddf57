/** Regions whose weeks begin on Sunday, for browsers that do not say. */
const SUNDAY_REGIONS: ReadonlySet<string> = new Set(['US', 'CA', 'MX', 'BR', 'JP', 'KR', 'TW', 'HK', 'IN', 'IL', 'ZA', 'PH', 'TH']);

/** The first day of the week in the user's locale: 1 is Monday, 7 is Sunday. */
export function firstWeekday(language = navigator.language): number {
  try {
    const locale = new Intl.Locale(language) as Intl.Locale & {
      getWeekInfo?: () => { readonly firstDay: number };
      weekInfo?: { readonly firstDay: number };
    };
    const known = locale.getWeekInfo?.() ?? locale.weekInfo;
    return known?.firstDay ?? (SUNDAY_REGIONS.has(locale.maximize().region ?? '') ? 7 : 1);
  } catch {
    // A language tag that this browser cannot read.
    return 1;
  }
}

/** Arranges the days of a month into weeks; null where a week has days of other months. Days are `2026-11-29`, in order. */
export function weeksOf<Day extends { readonly day: string }>(days: readonly Day[], first: number): readonly (readonly (Day | null)[])[] {
  const start = days[0] === undefined ? 0 : weekday(days[0].day);
  const before = (start - first + 7) % 7;
  const cells: (Day | null)[] = [...Array.from({ length: before }, () => null), ...days];
  while (cells.length % 7 !== 0) cells.push(null);
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}

/** Returns the names of the days of a week. */
export function weekdayNames(first: number): readonly { readonly short: string; readonly long: string }[] {
  const short = new Intl.DateTimeFormat(undefined, { weekday: 'narrow', timeZone: 'UTC' });
  const long = new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone: 'UTC' });
  // 2024-01-01 was a Monday.
  return Array.from({ length: 7 }, (_, at) => Date.UTC(2024, 0, first + at)).map((day) => ({
    short: short.format(day),
    long: long.format(day),
  }));
}

/** Returns the month some months after another one; months are `2026-11`. */
export function monthAfter(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, number - 1 + months, 1);
  return date.toISOString().slice(0, 7);
}

export function formatMonth(month: string): string {
  return new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(Date.parse(`${month}-01`));
}

function weekday(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
}
