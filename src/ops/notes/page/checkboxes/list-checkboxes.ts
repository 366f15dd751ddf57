import * as z from 'zod';
import { compareText } from '../../../../note/text.ts';
import { folderOf, foldKey } from '../../../../note/path.ts';
import { readIsoDate } from '../../../../note/iso-date.ts';
import { dayOf } from '../../../../note/freshness.ts';
import { lineMark } from '../../../../render/syntax/tasks.ts';
import { defineOperation } from '../../../operation.ts';
import { shorten } from '../../../shorten.ts';
import { etagOf } from '../../../view.ts';
import { pageCursor } from '../../../lists/page-cursor.ts';
import { openCheckboxIndex } from './checkbox-index.ts';
import type { IndexedCheckbox, NoteCheckboxes } from './checkbox-index.ts';

const MAX_FOLDERS = 200;
const MAX_TAGS = 100;
const MAX_TITLE_CHARACTERS = 200;
const MAX_RULE_CHARACTERS = 100;
const DAY_MS = 86_400_000;

const dayInput = z.string().refine((day) => /^\d{4}-\d{2}-\d{2}$/.test(day) && readIsoDate(day) !== null, 'a day, such as 2026-01-31');

const input = z.strictObject({
  state: z.enum(['open', 'done', 'all']).default('open'),
  folder: z.string().max(4_096).optional(),
  /** With tags nested in it; of the note or of the line. */
  tag: z.string().max(500).optional(),
  /** Words that the text, the title of the note or the heading has, in any case. */
  text: z.string().max(500).optional(),
  due: z.enum(['overdue', 'today', 'week', 'dated', 'undated']).optional(),
  /** The day at the caller. */
  today: dayInput.optional(),
  order: z.enum(['note', 'due']).default('note'),
  limit: z.int().min(1).max(500).default(100),
  cursor: pageCursor,
});

type ListInput = z.output<typeof input>;

interface Row {
  readonly note: NoteCheckboxes;
  readonly checkbox: IndexedCheckbox;
}

/** Lists the checkboxes of all notes. `tick_checkbox` ticks one, with its `path`, `line`, `mark` and `etag`. */
export const listCheckboxes = defineOperation({
  name: 'list_checkboxes',
  toolset: null,
  title: 'Checkboxes',
  summary: 'The tasks (“- [ ]”) in the text of all notes, with due day, priority and repetition, filtered, by note or by due day.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'part',
  input,
  async run({ vault }, call) {
    await vault.refresh('changed');
    const { notes, isComplete } = await vault.derived(openCheckboxIndex)();
    const today = call.today ?? dayOf(vault.ports.clock.now());
    const all = notes.flatMap((note) => note.checkboxes.map((checkbox): Row => ({ note, checkbox })));
    const found = filterRows(all, call, today);
    if (call.order === 'due') found.sort(compareDue);
    const from = Number(call.cursor ?? 0);
    const shown = found.slice(from, from + call.limit);
    const next = from + shown.length;
    return {
      checkboxes: shown.map(toShown),
      total: found.length,
      today,
      ...(from > 0 ? {} : { counts: countStates(all, today), ...listChoices(all) }),
      is_complete: isComplete,
      ...(next < found.length ? { next_cursor: String(next) } : {}),
    };
  },
});

function isOpen({ state }: IndexedCheckbox): boolean {
  return state === ' ';
}

function filterRows(rows: readonly Row[], { state, folder, tag, text, due }: ListInput, today: string): Row[] {
  const under = folder === undefined || folder === '' ? '' : `${folder.replace(/\/$/, '')}/`;
  const tagged = tag === undefined || tag === '' ? null : foldKey(tag.replace(/^#/, ''));
  const words = (text ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const week = new Date(Date.parse(today) + 7 * DAY_MS).toISOString().slice(0, 10);
  return rows.filter(({ note, checkbox }) => {
    const { entry } = note;
    if (state !== 'all' && isOpen(checkbox) !== (state === 'open')) return false;
    if (!entry.path.startsWith(under)) return false;
    const has = (own: string): boolean => own === tagged || own.startsWith(`${tagged}/`);
    if (tagged !== null && !note.tags.some(has) && !checkbox.tags.some(has)) return false;
    if (due !== undefined && !isDue(checkbox.fields.due, due, today, week)) return false;
    if (words.length === 0) return true;
    const searched = `${checkbox.text} ${checkbox.section} ${entry.title}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}

function isDue(day: string | undefined, wanted: NonNullable<ListInput['due']>, today: string, week: string): boolean {
  if (day === undefined) return wanted === 'undated';
  switch (wanted) {
    case 'overdue':
      return day < today;
    case 'today':
      return day === today;
    case 'week':
      return day >= today && day < week;
    case 'dated':
      return true;
    case 'undated':
      return false;
  }
}

const PRIORITY_ORDER: readonly (string | undefined)[] = ['highest', 'high', 'medium', undefined, 'low', 'lowest'];

/** By due day, those without one last, then by priority, then by note and line. */
function compareDue(a: Row, b: Row): number {
  const [one, other] = [a.checkbox.fields, b.checkbox.fields];
  if (one.due !== other.due) {
    if (one.due === undefined) return 1;
    return other.due === undefined ? -1 : compareText(one.due, other.due);
  }
  const byPriority = PRIORITY_ORDER.indexOf(one.priority) - PRIORITY_ORDER.indexOf(other.priority);
  return byPriority || compareText(a.note.entry.path, b.note.entry.path) || a.checkbox.line - b.checkbox.line;
}

function toShown({ note: { entry }, checkbox: { line, source, state, text, section, fields } }: Row) {
  const { repeats, ...days } = fields;
  return {
    path: entry.path,
    title: shorten(entry.title, MAX_TITLE_CHARACTERS),
    etag: etagOf(entry.hash),
    line,
    mark: lineMark(source),
    state,
    is_done: state !== ' ',
    text,
    ...(section === '' ? {} : { section: shorten(section, MAX_TITLE_CHARACTERS) }),
    ...days,
    ...(repeats === undefined ? {} : { repeats: shorten(repeats, MAX_RULE_CHARACTERS) }),
  };
}

function countStates(rows: readonly Row[], today: string) {
  const counts = { open: 0, done: 0, overdue: 0, today: 0 };
  for (const { checkbox } of rows) {
    if (!isOpen(checkbox)) counts.done += 1;
    else {
      counts.open += 1;
      const { due } = checkbox.fields;
      if (due !== undefined && due < today) counts.overdue += 1;
      if (due === today) counts.today += 1;
    }
  }
  return counts;
}

/** Lists the folders and tags that a filter can be set to: those of notes and lines with checkboxes. */
function listChoices(rows: readonly Row[]) {
  const folders = new Set<string>();
  const tags = new Map<string, number>();
  const seen = new Set<string>();
  for (const { note, checkbox } of rows) {
    const { path } = note.entry;
    for (const tag of checkbox.tags) tags.set(tag, (tags.get(tag) ?? 0) + 1);
    if (seen.has(path)) continue;
    seen.add(path);
    for (const tag of note.tags) tags.set(tag, (tags.get(tag) ?? 0) + 1);
    for (let folder = folderOf(path); folder !== '' && !folders.has(folder); folder = folderOf(folder)) folders.add(folder);
  }
  const mostUsed = [...tags].sort(([a, many], [b, others]) => others - many || compareText(a, b));
  return {
    folders: [...folders].sort(compareText).slice(0, MAX_FOLDERS),
    tags: mostUsed.slice(0, MAX_TAGS).map(([tag]) => tag),
  };
}
