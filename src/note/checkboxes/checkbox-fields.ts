import { readIsoDate } from '../iso-date.ts';

export type CheckboxPriority = 'highest' | 'high' | 'medium' | 'low' | 'lowest';

/** What is written about a task in its line, as the Obsidian plugins Tasks, Dataview and Kanban write it. Days are `YYYY-MM-DD`. */
export interface CheckboxFields {
  readonly due?: string;
  readonly scheduled?: string;
  readonly start?: string;
  readonly done?: string;
  readonly priority?: CheckboxPriority;
  /** The rule of a recurring task, in words: `every week`. */
  readonly repeats?: string;
}

type DayField = 'due' | 'scheduled' | 'start' | 'done' | 'ignored';

const DAY_SIGNS: Readonly<Record<string, DayField>> = {
  '📅': 'due',
  '📆': 'due',
  '🗓': 'due',
  '⏳': 'scheduled',
  '⌛': 'scheduled',
  '🛫': 'start',
  '✅': 'done',
  '➕': 'ignored',
  '❌': 'ignored',
};
const DAY_NAMES: Readonly<Record<string, DayField>> = {
  due: 'due',
  scheduled: 'scheduled',
  start: 'start',
  completion: 'done',
  created: 'ignored',
  cancelled: 'ignored',
};
const PRIORITY_SIGNS: Readonly<Record<string, CheckboxPriority>> = {
  '🔺': 'highest',
  '⏫': 'high',
  '🔼': 'medium',
  '🔽': 'low',
  '⏬': 'lowest',
};
const PRIORITIES: readonly CheckboxPriority[] = ['highest', 'high', 'medium', 'low', 'lowest'];

const SIGNED_DAY = /(📅|📆|🗓|⏳|⌛|🛫|✅|➕|❌)\uFE0F?[ \t]?(\d{4}-\d{2}-\d{2})/gu;
const SIGNED_PRIORITY = /(🔺|⏫|🔼|🔽|⏬)\uFE0F?/gu;
const SIGNED_RULE = /🔁\uFE0F?([A-Za-z0-9, !]+)/gu;
/** Ids, dependencies and what happens on completion: for the plugin alone. */
const SIGNED_OTHER = /(?:🆔|⛔|🏁)\uFE0F?[ \t]?[\w,-]+/gu;
const INLINE_FIELD =
  /[[(](due|scheduled|start|completion|created|cancelled|priority|repeat|id|dependsOn|onCompletion)::([^[\]()\n]*)[\])]/giu;
const BARE_DUE = /(?<=^|[ \t])due::[ \t]?(\d{4}-\d{2}-\d{2})/giu;
const KANBAN_DAY = /@\{(\d{4}-\d{2}-\d{2})\}/gu;

/** Reads the fields in the text of a task, and returns the text without them. The first of a kind counts; a day that does not exist stays text. */
export function readFields(text: string): { readonly text: string; readonly fields: CheckboxFields } {
  const fields: { -readonly [Key in keyof CheckboxFields]: CheckboxFields[Key] } = {};
  const takeDay = (whole: string, field: DayField, day: string): string => {
    if (readIsoDate(day) === null) return whole;
    if (field !== 'ignored') fields[field] ??= day;
    return '';
  };
  const takePriority = (priority: CheckboxPriority | undefined): void => {
    if (priority !== undefined) fields.priority ??= priority;
  };
  const rest = text
    .replace(INLINE_FIELD, (whole: string, name: string, value: string) => {
      const [key, given] = [name.toLowerCase(), value.trim()];
      const field = Object.hasOwn(DAY_NAMES, key) ? DAY_NAMES[key] : undefined;
      if (field !== undefined) return takeDay(whole, field, given);
      if (key === 'priority') takePriority(PRIORITIES.find((priority) => priority === given.toLowerCase()));
      if (key === 'repeat' && given !== '') fields.repeats ??= given;
      return '';
    })
    .replace(SIGNED_DAY, (whole: string, sign: string, day: string) => takeDay(whole, DAY_SIGNS[sign] ?? 'ignored', day))
    .replace(BARE_DUE, (whole: string, day: string) => takeDay(whole, 'due', day))
    .replace(KANBAN_DAY, (whole: string, day: string) => takeDay(whole, 'due', day))
    .replace(SIGNED_RULE, (_whole, rule: string) => {
      fields.repeats ??= rule.trim();
      return ' ';
    })
    .replace(SIGNED_PRIORITY, (_whole, sign: string) => {
      takePriority(PRIORITY_SIGNS[sign]);
      return '';
    })
    .replace(SIGNED_OTHER, '');
  return { text: rest, fields };
}
