import type { MarkedDiff } from '../../parts/diff.tsx';

/** One write, as `activity` tells it. */
export interface Entry {
  readonly id: string;
  readonly batch: string | null;
  readonly agent: string;
  readonly kind: 'agent' | 'person' | 'outside' | 'roux';
  readonly timestamp: string;
  readonly tool: string | null;
  readonly is_kept: boolean;
  readonly is_recorded: boolean;
  /** The history has it from elsewhere: it was not written in this folder by this user. */
  readonly foreign?: boolean;
  readonly actions: readonly { readonly action: string; readonly count: number }[];
  readonly files: readonly { readonly path: string; readonly action: string; readonly was?: string; readonly is_gone: boolean }[];
  readonly file_count: number;
}

/** What `activity` answers. */
export interface ActivityPage {
  readonly entries: readonly Entry[];
  readonly next_cursor?: string;
  readonly looked_until?: string;
  readonly agents: readonly {
    readonly agent: string;
    readonly kind: Entry['kind'];
    readonly writes: number;
    /** Writes that lines tell of which were not written in this folder; absent where there are none. */
    readonly foreign?: number;
  }[];
  readonly agents_omitted?: number;
  readonly counted_since?: string;
  readonly now: string;
}

/** What `activity_diff` answers. */
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

/** What `undo_preview` answers. */
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

/** Entries by the day on which they were written, in the order in which they come. */
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

/** The local day of a moment, `2026-01-31`; what is no time stands by itself. */
function dayOf(timestamp: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return timestamp.slice(0, 10);
  return `${time.getFullYear()}-${String(time.getMonth() + 1).padStart(2, '0')}-${String(time.getDate()).padStart(2, '0')}`;
}

const fullDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });

/** A day as people say it. */
export function formatDay(day: string): string {
  const now = Date.now();
  if (day === dayOf(new Date(now).toISOString())) return 'Today';
  if (day === dayOf(new Date(now - 24 * 3_600_000).toISOString())) return 'Yesterday';
  const time = Date.parse(`${day}T12:00:00`);
  return Number.isNaN(time) ? day : fullDay.format(time);
}

/** What an action is done to, where that is not a file to who reads it. */
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

/** What was done, in a few words: "created 2 files, edited 1". */
export function describeActions({ actions }: Pick<Entry, 'actions'>): string {
  const things = actions.map(({ action }) => THINGS.get(action) ?? 'file');
  return actions
    .map(({ action, count }, at) => {
      const thing = things[at] === things[at - 1] ? '' : ` ${things[at] ?? ''}${count === 1 ? '' : 's'}`;
      return `${WORDS.get(action) ?? action} ${count.toLocaleString('en')}${thing}`;
    })
    .join(', ');
}
