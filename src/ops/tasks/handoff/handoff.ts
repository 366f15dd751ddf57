import { decodeText, encodeText, readsBack } from '../../../note/body/entry-text.ts';
import { RouxError } from '../../../errors.ts';
import type { NoteChange } from '../../../note/change.ts';
import { applyChanges } from '../../../note/edit.ts';
import { valueAt } from '../../../note/frontmatter/property-edit.ts';
import { readNamedSections } from '../../../note/body/section.ts';
import type { BodySection } from '../../../note/body/section.ts';
import { compareText } from '../../../note/text.ts';
import type { Properties } from '../../../note/note.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import type { OperationContext } from '../../operation.ts';
import { takeWhileFits } from '../../shorten.ts';
import type { Draft } from '../draft/draft.ts';
import type { DraftTask } from '../draft/draft-task.ts';

/** The section of a task's note with its latest handoff. */
export const HANDOFF_SECTION = 'Handoff';
/** The properties of a task whose handoff nobody has taken yet: who handed it over, and when (ISO 8601). */
export const HANDOFF_BY = '_handoff_by';
export const HANDOFF_AT = '_handoff_at';

/** Characters of each list of a handoff in an answer; the note has the rest. */
const MAX_LIST_CHARACTERS = 3_000;

/** The labels of the lines in the section, by what they list. */
const LABELS = { done: 'Done', left: 'Left', decisions: 'Decided', pitfalls: 'Pitfall', evidence: 'Evidence' } as const;

type ListName = keyof typeof LABELS;
const LISTS = Object.keys(LABELS) as readonly ListName[];

/** What one holder of a task tells the next. */
export type HandoffLists = Readonly<Record<ListName, readonly string[]>>;

/** A handoff as answers show it; empty lists are left out. */
export interface HandoffShape extends Partial<HandoffLists> {
  readonly from: string;
  /** ISO 8601. */
  readonly at: string;
  /** Who took the task over, and when; absent while nobody has. */
  readonly taken_by?: string;
  readonly taken_at?: string;
  /** Lines that did not fit. */
  readonly omitted?: number;
}

/** Returns who handed a task over if nobody has taken it yet; null otherwise. */
export function openHandoff(properties: Properties): { readonly from: string; readonly at: string } | null {
  const [from, at] = [properties[HANDOFF_BY], properties[HANDOFF_AT]];
  return typeof from === 'string' && from !== '' ? { from, at: typeof at === 'string' ? at : '' } : null;
}

/** Writes a handoff into the note, in place of the one before, and marks it as open. */
export function writeHandoff(context: OperationContext, draft: Draft, task: DraftTask, lists: HandoffLists): void {
  const { agent, at } = draft.author;
  const sections = sectionsOf(context, task.path);
  const own = (sections[0]?.entries ?? []).map(({ line }) => line).filter((line) => readLine(line) !== null);
  const lines = [
    writeLine('From', `${agent}, ${at}`),
    ...LISTS.flatMap((name) => lists[name].map((text) => writeLine(LABELS[name], text))),
  ];
  const drop = (old: readonly string[]) => old.map((line) => ({ op: 'drop-line' as const, section: HANDOFF_SECTION, line }));
  const add = (made: readonly string[]) => made.map((line) => ({ op: 'add-line' as const, section: HANDOFF_SECTION, line }));
  // A section that is emptied goes; where there is a second one, that would get the new lines.
  if (sections.length < 2) task.adopt([...drop(own), ...add(lines)]);
  else task.adopt([...add(lines.filter((line) => !own.includes(line))), ...drop(own.filter((line) => !lines.includes(line)))]);
  task.setProperty(HANDOFF_BY, agent);
  task.setProperty(HANDOFF_AT, at);
  task.remark('handoff', Object.fromEntries(Object.entries(lists).filter(([, { length }]) => length > 0)));
}

/** Takes the open handoff of a task for the agent of the call, who claims it; returns false if there is none. */
export function takeHandoff({ vault }: OperationContext, draft: Draft, task: DraftTask): boolean {
  if (!task.hasProperty(HANDOFF_BY)) return false;
  const { agent, at } = draft.author;
  task.remark('handoff_taken', valueAt(task.values, ['properties', HANDOFF_BY]) ?? null);
  task.setProperty(HANDOFF_BY, null);
  task.setProperty(HANDOFF_AT, null);
  const line: NoteChange = { op: 'add-line', section: HANDOFF_SECTION, line: writeLine('Taken', `${agent}, ${at}`) };
  // In a body that takes no line, as behind an unclosed fence, the task is taken all the same: the history says by whom.
  if (takesLine(task.path, vault.notes.readTextUnstable(task.path) ?? '', line)) task.adopt([line]);
  return true;
}

/** Returns the latest handoff of a task, taken or not; empty if its note has none. */
export function toHandoff(context: OperationContext, { note }: Task): { handoff?: HandoffShape } {
  const open = openHandoff(note.properties);
  const sections = sectionsOf(context, note.path).map(readSection);
  // A person or a merge may have left several: the latest counts, wherever the line is that says who took it.
  const latest = sections.toSorted((a, b) => compareText(b.from?.at ?? '', a.from?.at ?? '')).at(0);
  const from = open ?? latest?.from ?? null;
  if (from === null) return {};
  const lists = latest?.lists ?? {};
  const taken = latest?.taken ?? sections.map((section) => section.taken).find((each) => each !== null && each.at >= from.at) ?? null;
  const shown = Object.entries(lists).map(([name, texts]) => [name, takeWhileFits(texts, MAX_LIST_CHARACTERS)] as const);
  const omitted = shown.reduce((sum, [name, texts]) => sum + (lists[name as ListName]?.length ?? 0) - texts.length, 0);
  return {
    handoff: {
      ...from,
      ...(Object.fromEntries(shown) as Partial<HandoffLists>),
      ...(open !== null || taken === null ? {} : { taken_by: taken.from, taken_at: taken.at }),
      ...(omitted === 0 ? {} : { omitted }),
    },
  };
}

/** Who handed a task over or took it, and when. */
interface Signed {
  readonly from: string;
  readonly at: string;
}

interface HandoffSection {
  readonly from: Signed | null;
  readonly taken: Signed | null;
  readonly lists: Partial<HandoffLists>;
}

function readSection({ entries }: Pick<BodySection, 'entries'>): HandoffSection {
  const lists: Partial<Record<ListName, string[]>> = {};
  let [from, taken] = [null as Signed | null, null as Signed | null];
  for (const { line } of entries) {
    const { label = '', text = '' } = readLine(line) ?? {};
    const name = LISTS.find((each) => LABELS[each].toLowerCase() === label);
    if (name !== undefined) (lists[name] ??= []).push(text);
    else if (label === 'from') from = splitAuthor(text);
    else if (label === 'taken') taken = splitAuthor(text);
  }
  return { from, taken, lists };
}

function sectionsOf({ vault }: OperationContext, path: Task['note']['path']): readonly BodySection[] {
  return readNamedSections(vault.notes.readTextUnstable(path) ?? '', HANDOFF_SECTION);
}

function takesLine(path: string, text: string, line: NoteChange): boolean {
  try {
    applyChanges(path, text, [line]);
    return true;
  } catch (error) {
    if (error instanceof RouxError) return false;
    throw error;
  }
}

/** `**Left:** the door`: plain in every editor, one line for each thing. */
function writeLine(label: string, text: string): string {
  const written = (form: string): string => `**${label}:** ${form}`;
  return written(encodeText(text, (form) => form === form.trim() && readsBack(written(form))));
}

function readLine(line: string): { readonly label: string; readonly text: string } | null {
  const [, label, text] = /^\*\*(from|done|left|decided|pitfall|evidence|taken):\*\*[ \t]*(.*)$/is.exec(line) ?? [];
  return label === undefined || text === undefined ? null : { label: label.toLowerCase(), text: decodeText(text) };
}

/** Splits `ada, 2026-11-29T12:00:00.000Z`; a person may have written only a name. */
function splitAuthor(text: string): Signed {
  const comma = text.lastIndexOf(', ');
  return comma < 0 ? { from: text, at: '' } : { from: text.slice(0, comma), at: text.slice(comma + 2) };
}
