import { RouxError } from '../../../errors.ts';
import { decodeText, encodeText, readsBack } from '../../../note/body/entry-text.ts';
import { readBodySection } from '../../../note/body/section.ts';
import type { NoteChange } from '../../../note/change.ts';
import { applyChanges } from '../../../note/edit.ts';
import type { NotePath } from '../../../note/path.ts';
import { foldKey } from '../../../note/path.ts';
import type { OperationContext } from '../../operation.ts';

/** The section of a task's note with what has to be true when it is done: checkboxes, which a person can tick. */
const CRITERIA_SECTION = 'Acceptance criteria';
/** The inline field of Dataview that holds what shows a criterion. */
const EVIDENCE_FIELD = '[evidence::';

export const MAX_CRITERIA = 50;
export const MAX_CRITERION_CHARACTERS = 500;

/** One acceptance criterion of a task. */
export interface Criterion {
  readonly text: string;
  readonly met: boolean;
  /** What shows it. */
  readonly evidence?: string;
}

/** A criterion with its list item. */
interface WrittenCriterion extends Criterion {
  readonly line: string;
}

/** Criteria to add, meet or open again: each text with its evidence, or null while it is open. */
export type CriteriaChanges = Readonly<Record<string, string | null>>;

/** A note and the changes of its body that are planned. */
interface PlannedNote {
  readonly path: NotePath;
  readonly bodyChanges?: readonly NoteChange[];
}

/** Returns the acceptance criteria of a task as they will be after its planned changes. */
export function criteriaOf(context: OperationContext, note: PlannedNote): readonly Criterion[] {
  const criteria = new Map<string, Criterion>();
  // A merge of two branches can leave one criterion twice.
  for (const { text, met, evidence } of readCriteria(context, note)) {
    const known = criteria.get(foldKey(text));
    const shown = known?.evidence ?? evidence;
    criteria.set(foldKey(text), { text, met: met || known?.met === true, ...(shown === undefined ? {} : { evidence: shown }) });
  }
  return [...criteria.values()];
}

/** Returns the criteria of a task for an answer; empty if there are none. */
export function toCriteria(context: OperationContext, path: NotePath): { criteria?: readonly Criterion[] } {
  const criteria = criteriaOf(context, { path });
  return criteria.length === 0 ? {} : { criteria };
}

/** Returns the changes of the note that add new criteria, open. */
export function addCriteria(texts: readonly string[]): readonly NoteChange[] {
  return texts.map((text) => addLine({ text, met: false }));
}

/** Returns the changes of the note for the criteria of a call. `field`: names the argument in an error. */
export function changeCriteria(
  context: OperationContext,
  note: PlannedNote,
  changes: CriteriaChanges,
  field: string,
): readonly NoteChange[] {
  const known = readCriteria(context, note);
  return Object.entries(changes).flatMap(([given, evidence]): readonly NoteChange[] => {
    const text = given.trim();
    const fitting = known.filter((each) => foldKey(each.text) === foldKey(text));
    const criterion = { text: fitting[0]?.text ?? text, met: evidence !== null, ...(evidence === null ? {} : { evidence }) };
    if (fitting.length === 0 && evidence === null) return [addLine(criterion)];
    // A text that was misspelled must not become a criterion that is met.
    if (fitting.length === 0) throw criterionNotFound(known, text, field);
    return fitting.map(({ line }) => ({ op: 'replace-line', section: CRITERIA_SECTION, line, by: replaceFirstLine(line, criterion) }));
  });
}

/** Returns the changes that bring the criteria of a task that is merged into another along, those alone that the other does not have. */
export function bringCriteria(context: OperationContext, from: PlannedNote, into: PlannedNote): readonly NoteChange[] {
  const known = new Set(readCriteria(context, into).map(({ text }) => foldKey(text)));
  return criteriaOf(context, from)
    .filter(({ text }) => !known.has(foldKey(text)))
    .map(addLine);
}

function criterionNotFound(known: readonly Criterion[], text: string, field: string): RouxError {
  const there = known.map((each) => each.text);
  const listed = there.length === 0 ? 'it has none' : `it has ${there.map((each) => JSON.stringify(each)).join(', ')}`;
  const message = `${field}: ${JSON.stringify(text)} is no criterion of this task: ${listed}. null adds one.`;
  return new RouxError('criterion_not_found', message, { criteria: there });
}

function readCriteria({ vault }: OperationContext, { path, bodyChanges = [] }: PlannedNote): readonly WrittenCriterion[] {
  const present = vault.notes.readTextUnstable(path) ?? '';
  const text = bodyChanges.length === 0 ? present : applyChanges(path, present, bodyChanges).text;
  const entries = readBodySection(text, CRITERIA_SECTION)?.entries ?? [];
  return entries.flatMap(({ line }) => {
    const criterion = readLine(line);
    return criterion === null ? [] : [{ ...criterion, line }];
  });
}

/** Reads the first line of a list item; null if it has no box or was crossed out (`[-]`). */
function readLine(item: string): Criterion | null {
  const [first = ''] = item.split(/[\r\n]/, 1);
  const [, state = '', rest = ''] = /^\[([^\]])\][ \t]+(\S.*)$/u.exec(first) ?? [];
  if (state === '' || state === '-') return null;
  const met = state.toLowerCase() === 'x';
  // The plugin Tasks adds the day on which a person ticked it.
  const text = rest.replace(/✅\uFE0F?[ \t]?\d{4}-\d{2}-\d{2}$/u, '').trimEnd();
  const at = text.endsWith(']') ? text.lastIndexOf(EVIDENCE_FIELD) : -1;
  if (at < 0) return { text: decodeText(text), met };
  const evidence = decodeText(text.slice(at + EVIDENCE_FIELD.length, -1).trim());
  return { text: decodeText(text.slice(0, at).trim()), met, ...(evidence === '' ? {} : { evidence }) };
}

function writeLine({ text, met, evidence }: Criterion): string {
  const isInline = (form: string): boolean => readsBack(`x ${form}`);
  const written = `[${met ? 'x' : ' '}] ${encodeText(text, (form) => isInline(form) && !form.includes(EVIDENCE_FIELD))}`;
  if (evidence === undefined) return written;
  return `${written} ${EVIDENCE_FIELD} ${encodeText(evidence, (form) => isInline(form) && !/[[\]]/.test(form))}]`;
}

function addLine(criterion: Criterion): NoteChange {
  return { op: 'add-line', section: CRITERIA_SECTION, line: writeLine(criterion), unique: true };
}

/** What a person wrote below the line stays. */
function replaceFirstLine(item: string, criterion: Criterion): string {
  const end = item.search(/[\r\n]/);
  return writeLine(criterion) + (end < 0 ? '' : item.slice(end));
}
