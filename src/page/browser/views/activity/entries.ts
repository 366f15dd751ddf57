import type { MarkedDiff } from '../../parts/diff.tsx';

/** A write, as `activity` returns it. */
export interface Entry {
  readonly id: string;
  readonly batch: string | null;
  readonly agent: string;
  readonly kind: 'agent' | 'person' | 'outside' | 'roux';
  readonly timestamp: string;
  readonly tool: string | null;
  readonly is_kept: boolean;
  readonly is_recorded: boolean;
  /** Whether the record was written in another folder or by another user. */
  readonly foreign?: boolean;
  readonly actions: readonly { readonly action: string; readonly count: number }[];
  readonly files: readonly { readonly path: string; readonly action: string; readonly was?: string; readonly is_gone: boolean }[];
  readonly file_count: number;
}

/** The result of `activity`. */
export interface ActivityPage {
  readonly entries: readonly Entry[];
  readonly next_cursor?: string;
  readonly looked_until?: string;
  readonly agents: readonly {
    readonly agent: string;
    readonly kind: Entry['kind'];
    readonly writes: number;
    /** Number of records that were not written in this folder by this user; absent for 0. */
    readonly foreign?: number;
  }[];
  readonly agents_omitted?: number;
  readonly counted_since?: string;
  readonly now: string;
}

/** The result of `activity_diff`. */
export interface ActivityDiff {
  readonly files: readonly {
    readonly path: string;
    readonly was?: string;
    readonly action: string;
    readonly now: string | null;
    readonly diff: MarkedDiff | null;
    readonly remark?: string;
    readonly fields: readonly { readonly field: string; readonly before: string | null; readonly after: string | null }[];
  }[];
  readonly total: number;
  readonly next_offset?: number;
}

/** The result of `undo_preview`. */
export interface UndoPreview {
  readonly batch: string;
  readonly files: readonly {
    readonly path: string;
    readonly was?: string;
    readonly kind: 'comes back' | 'goes' | 'changes' | 'moves';
    readonly diff: MarkedDiff;
  }[];
  readonly file_count: number;
  readonly warnings: readonly string[];
}

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
