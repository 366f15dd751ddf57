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

/** What an action applies to, if not to a file. */
const THINGS: ReadonlyMap<string, string> = new Map([
  ['resolved', 'task'],
  ['reopened', 'task'],
]);

const WORDS: ReadonlyMap<string, string> = new Map([
  ['created', 'created'],
  ['updated', 'edited'],
  ['external', 'edited'],
  ['deleted', 'deleted'],
  ['restored', 'restored'],
  ['renamed', 'renamed'],
  ['moved', 'moved'],
  ['merged', 'merged'],
  ['resolved', 'resolved'],
  ['reopened', 'reopened'],
  ['dropped', 'dropped'],
  ['connected', 'linked'],
  ['disconnected', 'unlinked'],
]);

/** Describes the actions of an entry: "created 2 files, edited 1". */
export function describeActions({ actions }: Pick<Entry, 'actions'>): string {
  const things = actions.map(({ action }) => THINGS.get(action) ?? 'file');
  return actions
    .map(({ action, count }, at) => {
      const thing = things[at] === things[at - 1] ? '' : ` ${things[at] ?? ''}${count === 1 ? '' : 's'}`;
      return `${WORDS.get(action) ?? action} ${count.toLocaleString('en')}${thing}`;
    })
    .join(', ');
}
