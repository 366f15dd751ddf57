import { createHash } from 'node:crypto';
import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { listSections } from '../../../note/body/find-heading.ts';
import { bodyStartOf } from '../../../note/frontmatter/read-frontmatter.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { requireTask } from '../view/find-task.ts';
import { readEvidence } from '../view/shapes.ts';
import { compareField, fieldsOfIssue, fieldsOfTask, SHARED_FIELDS } from './compare-fields.ts';
import type { SharedField, Verdict } from './compare-fields.ts';
import { issueInput, keyOf, toBody } from './issue.ts';
import type { Issue } from './issue.ts';
import { readTextBlock } from '../draft/text-block.ts';
import { findLinkedTasks, ISSUE_SECTION } from './sync-state.ts';
import type { LinkedTask } from './sync-state.ts';

/** What GitHub takes. */
const MAX_TITLE_CHARACTERS = 256;
const MAX_BODY_CHARACTERS = 65_536;
/** Of the evidence that a comment names: the newest. */
const MAX_EVIDENCE = 20;
const MAX_EVIDENCE_CHARACTERS = 500;
/** Sections of a task's note that a new issue does not get. */
const OWN_SECTIONS: ReadonlySet<string> = new Set(['handoff', 'observations', 'relations']);

const input = z.strictObject({
  /** The issues of the tasks, as GitHub has them now. */
  issues: z.array(issueInput),
  /** Tasks for which issues are opened. */
  opened: z.array(z.string().min(1)).max(100),
  /** The task's side wins where both changed a field. */
  force: z.boolean().default(false),
});

/** What a push changes at one issue. */
export interface PlannedPush {
  readonly issue: string;
  readonly id: string;
  readonly task: string;
  readonly summary: string;
  readonly title?: { readonly from: string; readonly to: string };
  readonly body?: { readonly from: string; readonly to: string };
  readonly state?: 'completed' | 'not_planned' | 'open';
  /** The comment with which it is closed. It ends with a mark by which a repeat finds it. */
  readonly comment?: { readonly text: string; readonly mark: string };
}

/** An issue that a push opens. */
export interface PlannedIssue {
  readonly task: string;
  readonly title: string;
  readonly body: string;
  readonly mark: string;
}

export interface PlannedPushes {
  readonly pushes: readonly PlannedPush[];
  readonly opened: readonly PlannedIssue[];
  /** Fields that both sides changed, to different values. */
  readonly conflicts: readonly { readonly issue: string; readonly summary: string; readonly fields: readonly SharedField[] }[];
  /** Tasks whose texts GitHub does not take. */
  readonly problems: readonly string[];
  /** Issues that only GitHub changed: a pull brings that here. */
  readonly behind: number;
}

/** Compares tasks with their issues, and says what a push would change on GitHub. */
export const planPush = defineOperation({
  name: 'plan_push',
  toolset: null,
  title: 'Plan a push',
  summary: 'Says what the tasks would change at their issues.',
  effect: 'read',
  isIdempotent: true,
  input,
  run(context, { issues, opened, force }): PlannedPushes {
    const linked = findLinkedTasks(context.vault);
    const pushes: PlannedPush[] = [];
    const conflicts: PlannedPushes['conflicts'][number][] = [];
    const problems: string[] = [];
    let behind = 0;
    for (const issue of issues) {
      const known = linked.byId.get(issue.id);
      if (known === undefined) continue;
      const verdicts = compare(context, known, issue);
      const fields = SHARED_FIELDS.filter((field) => verdicts[field] === 'conflict');
      if (fields.length > 0 && !force) conflicts.push({ issue: keyOf(issue), summary: known.task.note.summary, fields });
      if (SHARED_FIELDS.some((field) => verdicts[field] === 'theirs')) behind += 1;
      const isPushed = (field: SharedField): boolean => verdicts[field] === 'ours' || (force && verdicts[field] === 'conflict');
      try {
        const push = toPush(context, known, { issue, isPushed });
        if (push !== null) pushes.push(push);
      } catch (error) {
        if (!(error instanceof RouxError)) throw error;
        problems.push(error.message);
      }
    }
    return { pushes, opened: opened.map((reference) => toOpened(context, reference)), conflicts, problems, behind };
  },
});

function textOf({ vault }: OperationContext, { note }: Task): string {
  return vault.notes.readTextUnstable(note.path) ?? '';
}

function compare(context: OperationContext, { task, state }: LinkedTask, issue: Issue): Readonly<Record<SharedField, Verdict>> {
  const { summary, isResolved } = task.note;
  const ours = fieldsOfTask({ summary, isResolved, issueText: readTextBlock(textOf(context, task), ISSUE_SECTION) });
  const theirs = fieldsOfIssue(issue);
  const verdictOf = (field: SharedField): Verdict => compareField(field, state ?? {}, ours, theirs);
  return { title: verdictOf('title'), body: verdictOf('body'), state: verdictOf('state') };
}

function toPush(
  context: OperationContext,
  { task }: LinkedTask,
  { issue, isPushed }: { readonly issue: Issue; readonly isPushed: (field: SharedField) => boolean },
): PlannedPush | null {
  const { id, summary, isResolved } = task.note;
  const head = { issue: keyOf(issue), id: issue.id, task: id, summary };
  const title = isPushed('title') ? { title: { from: issue.title, to: requireTitle(head.issue, summary) } } : {};
  const text = isPushed('body') ? toBody(readTextBlock(textOf(context, task), ISSUE_SECTION) ?? '') : null;
  const body = text === null ? {} : { body: { from: toBody(issue.body) ?? '', to: requireBody(head.issue, text) } };
  const closed = isPushed('state') && isResolved ? describeClosing(context, task) : null;
  const state = closed ?? (isPushed('state') && !isResolved ? { state: 'open' as const } : {});
  const push: PlannedPush = { ...head, ...title, ...body, ...state };
  return Object.keys(push).length === Object.keys(head).length ? null : push;
}

function requireTitle(what: string, summary: string): string {
  const title = summary.replace(/\s+/g, ' ').trim();
  if (title !== '' && title.length <= MAX_TITLE_CHARACTERS) return title;
  throw new RouxError(
    'validation_error',
    `${what}: a title on GitHub has 1 to ${MAX_TITLE_CHARACTERS} characters. Shorten the summary of the task.`,
  );
}

function requireBody(what: string, body: string): string {
  if (body.length <= MAX_BODY_CHARACTERS) return body;
  throw new RouxError(
    'validation_error',
    `${what}: a text on GitHub has at most ${MAX_BODY_CHARACTERS} characters. Shorten that of the task.`,
  );
}

/** Returns how an issue is closed: as the task was resolved, with its evidence. */
function describeClosing({ vault }: OperationContext, { note }: Task): Pick<PlannedPush, 'state' | 'comment'> {
  const evidence = readEvidence(vault.graph.get(note.path)?.properties ?? {}).filter(({ type }) => type !== 'github');
  const dropped = evidence.at(-1)?.type === 'dropped' ? evidence.at(-1) : undefined;
  const state = dropped === undefined ? 'completed' : 'not_planned';
  const shown = dropped === undefined ? evidence.filter(({ type }) => type !== 'dropped').slice(-MAX_EVIDENCE) : [];
  const lines = [
    ...(dropped === undefined ? [] : [`Not planned: ${toInline(dropped.ref)}`]),
    ...(shown.length === 0 ? [] : ['Done:', '', ...shown.map(({ type, ref }) => `- ${toInline(type)}: ${toInline(ref)}`)]),
  ];
  if (lines.length === 0) return { state };
  const text = lines.join('\n');
  const mark = markOf('closed', `${note.id}\n${state}\n${text}`);
  return { state, comment: { text: `${text}\n\n${mark}`, mark } };
}

/** Returns a text as Markdown that mentions no user, closes no issue and embeds nothing: as code, unless it is plain. */
function toInline(text: string): string {
  const line = shorten(text.replace(/[\p{Cc}\s]+/gu, ' ').trim(), MAX_EVIDENCE_CHARACTERS);
  if (/^https:\/\/[\w./?=&%+~-]+$/.test(line) || /^[\p{L}\p{N} .,;:'"()/+-]*$/u.test(line)) return line;
  const ticks = '`'.repeat(1 + Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length)));
  return `${ticks} ${line} ${ticks}`;
}

function markOf(what: 'opened' | 'closed', text: string): string {
  return `<!-- roux:${what}:${createHash('sha256').update(text).digest('hex').slice(0, 24)} -->`;
}

function toOpened(context: OperationContext, reference: string): PlannedIssue {
  const task = requireTask(context.vault, reference);
  const { id, summary, properties } = task.note;
  if (typeof properties['github'] === 'string')
    throw new RouxError(
      'validation_error',
      `"${summary}" belongs to ${properties['github']} already; push changes that issue without --new.`,
      { node_id: id },
    );
  const title = requireTitle(`"${shorten(summary, MAX_TITLE_CHARACTERS)}"`, summary);
  const text = textOf(context, task);
  const body = (readTextBlock(text, ISSUE_SECTION) ?? ownText(text)).trim();
  const mark = markOf('opened', id);
  return { task: id, title, body: requireBody(`"${title}"`, `${body}${body === '' ? '' : '\n\n'}${mark}`), mark };
}

/** Returns the text of a note without its properties and without sections that are for agents. */
function ownText(note: string): string {
  const start = bodyStartOf(note);
  const left = listSections(note).filter(({ heading }) => OWN_SECTIONS.has(heading.text.trim().toLowerCase()));
  let [text, at] = ['', start];
  for (const section of left) {
    if (section.start < at) continue;
    text += note.slice(at, section.start);
    at = section.end;
  }
  return (text + note.slice(at)).replace(/\r\n?/g, '\n');
}
