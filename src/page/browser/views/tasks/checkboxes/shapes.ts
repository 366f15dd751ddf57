import type { Arguments, Result } from '../../../operations.ts';

export type CheckboxPage = Result<'list_checkboxes'>;
export type Checkbox = CheckboxPage['checkboxes'][number];
export type CheckboxQuery = Arguments<'list_checkboxes'>;

/** Checkboxes under a heading. */
export interface Group {
  readonly key: string;
  readonly title: string;
  /** The note of all of them, if they are grouped by note. */
  readonly path?: string;
  readonly checkboxes: readonly Checkbox[];
}

/** Groups checkboxes that come in the order of the groups. */
export function groupCheckboxes(checkboxes: readonly Checkbox[], order: 'note' | 'due', today: string): readonly Group[] {
  const groups = new Map<string, { title: string; path?: string; checkboxes: Checkbox[] }>();
  for (const checkbox of checkboxes) {
    const isByNote = order === 'note';
    const key = isByNote ? checkbox.path : nameDay(checkbox, today);
    const known = groups.get(key);
    if (known !== undefined) known.checkboxes.push(checkbox);
    else
      groups.set(key, {
        title: isByNote ? checkbox.title : key,
        ...(isByNote ? { path: checkbox.path } : {}),
        checkboxes: [checkbox],
      });
  }
  return [...groups].map(([key, group]) => ({ key, ...group }));
}

const date = new Intl.DateTimeFormat(undefined, { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' });

function nameDay({ due, is_done: isDone }: Checkbox, today: string): string {
  if (due === undefined) return 'No due date';
  if (due < today && !isDone) return 'Overdue';
  return formatDay(due, today);
}

/** Formats a day, `YYYY-MM-DD`, with a word for those around today. */
export function formatDay(day: string, today: string): string {
  const days = Math.round((Date.parse(day) - Date.parse(today)) / 86_400_000);
  if (days === 0) return 'Today';
  if (days === 1) return 'Tomorrow';
  if (days === -1) return 'Yesterday';
  return date.format(Date.parse(day));
}

/** Returns the day at the user, `YYYY-MM-DD`. */
export function today(): string {
  const now = new Date();
  const pad = (part: number): string => String(part).padStart(2, '0');
  return `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
}
