import { DEPENDS_ON } from '../../../graph/tasks/task-note.ts';
import { isPropertyList, isPropertyMap, sameValue } from '../../../note/frontmatter/property-value.ts';
import type { PropertyValue } from '../../../note/note.ts';
import { isLower, parseOrigin } from '../../../note/origin.ts';
import type { NotePath } from '../../../note/path.ts';
import type { DraftTask } from '../draft/draft-task.ts';
import type { Draft } from '../draft/draft.ts';
import { compareField, fieldsOfIssue, fieldsOfTask, SHARED_FIELDS } from './compare-fields.ts';
import type { SharedField } from './compare-fields.ts';
import { connectDrafts, moveBelow } from '../draft/link-drafts.ts';
import { readTextBlock, writeTextBlock } from '../draft/text-block.ts';
import { addressOf, keyOf, toBody, toLine, toTags, toTitle } from './issue.ts';
import type { Issue } from './issue.ts';
import { ISSUE_PROPERTY, ISSUE_SECTION, SYNC_KEY, toSyncValue } from './sync-state.ts';
import type { SyncState } from './sync-state.ts';

/** What applying issues needs of the vault. */
export interface Applying {
  readonly draft: Draft;
  /** Returns the task of an issue that has one, also a new one; null otherwise. */
  readonly findTask: (issue: string) => DraftTask | null;
  /** Returns the text of a note; '' for a new one. */
  readonly readNote: (task: DraftTask) => string;
  /** Returns the root of the project of a task; null if it has none. */
  readonly rootOf: (task: DraftTask) => NotePath | null;
  /** GitHub's side wins where both changed a field. */
  readonly isForced: boolean;
}

/** What an issue changed in its task. */
export interface Applied {
  readonly fields: readonly string[];
  /** Fields that both sides changed, to different values. */
  readonly conflicts: readonly SharedField[];
  /** Issues on which it depends or below which it belongs, and that have no task that it can be linked to. */
  readonly missing: readonly string[];
}

/**
 * Brings a task up to date with its issue. Each field is compared with what both sides had at the last sync: what only GitHub changed is
 * taken over, what only the task changed is left for a push, and a conflict is left as it is on both sides.
 */
export function applyIssue(
  applying: Applying,
  task: DraftTask,
  { issue, base }: { readonly issue: Issue; readonly base: SyncState },
): Applied {
  const fields: string[] = [];
  const conflicts: SharedField[] = [];
  const next: NextState = { ...base, id: issue.id };
  const text = applying.readNote(task);
  const [ours, theirs] = [
    fieldsOfTask({ summary: task.summary, issueText: readTextBlock(text, ISSUE_SECTION), isResolved: task.isResolved }),
    fieldsOfIssue(issue),
  ];
  for (const field of SHARED_FIELDS) {
    const verdict = compareField(field, base, ours, theirs);
    // A task for which the issue was opened holds its text in its own words.
    const isOwnText = field === 'body' && issue.task !== undefined && ours.body === null;
    const isWanted = verdict === 'theirs' || (verdict === 'conflict' && applying.isForced);
    const isTaken = isWanted && (isOwnText || take[field](applying, task, issue, text));
    if (isTaken && !isOwnText) fields.push(field);
    if (isTaken || verdict === 'same') next[field] = theirs[field] ?? undefined;
    else if (verdict === 'conflict') conflicts.push(field);
  }
  if (task.task === null || fields.includes('title') || fields.includes('body')) lowerOrigin(task);
  if (nameIssue(task, issue)) fields.push('issue');
  if (applyTags(task, base.tags ?? [], toTags(issue.labels))) fields.push('labels');
  next.tags = toTags(issue.labels);
  const logins = issue.assignees.map((login) => toLine(login)).filter((login) => login !== '');
  if (applyProperty(task, 'assignees', base.assignees, logins.length === 0 ? undefined : logins)) fields.push('assignees');
  next.assignees = logins;
  const milestone = issue.milestone === null ? undefined : toLine(issue.milestone);
  if (applyProperty(task, 'milestone', base.milestone, milestone)) fields.push('milestone');
  next.milestone = milestone;
  const missing = [...applyParent(applying, task, { issue, next, fields }), ...applyDependencies(applying, task, { issue, next, fields })];
  task.set([SYNC_KEY], toSyncValue(next));
  return { fields, conflicts, missing };
}

type Take = (applying: Applying, task: DraftTask, issue: Issue, text: string) => boolean;

/** Takes a shared field over from the issue. Returns false if the note does not take it. */
const take: Readonly<Record<SharedField, Take>> = {
  title: (_, task, issue) => task.set(['summary'], toTitle(issue)),
  body: ({ draft }, task, issue, text) => {
    const changes = writeTextBlock(text, toBody(issue.body) ?? '', ISSUE_SECTION);
    if (changes === null)
      draft.warn(
        `${task.path} does not take the text of ${keyOf(issue)}: it has two sections for it, or a code block that is never closed.`,
      );
    else task.adopt(changes);
    return changes !== null;
  },
  state: ({ draft }, task, issue) => {
    task.set(['resolved'], !issue.is_open);
    if (issue.is_open) task.act('reopened');
    else {
      task.act(issue.is_planned ? 'resolved' : 'dropped');
      const how = issue.is_planned ? 'closed on GitHub' : 'closed on GitHub as not planned';
      draft.addEvidence(task, { type: issue.is_planned ? 'github' : 'dropped', ref: `${how}: ${addressOf(issue)}` });
    }
    return true;
  },
};

/** Says that the task holds text from the web, where anyone may have written it. */
function lowerOrigin(task: DraftTask): void {
  const { origin } = task.values;
  const known = parseOrigin(origin);
  if (origin === undefined || (known !== null && isLower('web', known))) task.set(['origin'], 'web');
}

/** Names the issue in the properties and links of its task. Returns whether that was another issue, which was moved or renamed. */
function nameIssue(task: DraftTask, issue: Issue): boolean {
  const map = task.values['properties'];
  const [known, key] = [isPropertyMap(map) ? map[ISSUE_PROPERTY] : undefined, keyOf(issue)];
  if (known === key) return false;
  task.setProperty(ISSUE_PROPERTY, key);
  if (typeof known === 'string') {
    const [end, links] = [`/${known.replace('#', '/issues/')}`, task.values['context_links']];
    const old = isPropertyList(links) ? links.filter((link) => typeof link === 'string' && link.endsWith(end)) : [];
    for (const value of old) task.change({ op: 'take', key: ['context_links'], value });
  }
  task.change({ op: 'append', key: ['context_links'], value: addressOf(issue), unique: true });
  return known !== undefined;
}

/** Adds the tags of new labels and removes those of removed ones. Tags of the user stay. */
function applyTags(task: DraftTask, before: readonly string[], after: readonly string[]): boolean {
  const present = task.values['tags'];
  // A list of tags written as one text is a person's; it becomes a list when a label is added.
  const changes = [
    ...after.filter((tag) => !before.includes(tag)).map((value) => ({ op: 'append' as const, key: ['tags'], value, unique: true })),
    ...before.filter((tag) => !after.includes(tag)).map((value) => ({ op: 'take' as const, key: ['tags'], value })),
  ];
  for (const change of changes) task.change(change);
  return task.values['tags'] !== present;
}

/** Sets a property that only GitHub determines, unless the user changed it. */
function applyProperty(task: DraftTask, name: string, before: PropertyValue | undefined, after: PropertyValue | undefined): boolean {
  const map = task.values['properties'];
  const present = isPropertyMap(map) ? map[name] : undefined;
  const isOurs = sameValue(present ?? null, emptyToNull(before));
  if (!isOurs || sameValue(present ?? null, after ?? null)) return false;
  task.setProperty(name, after ?? null);
  return true;
}

function emptyToNull(value: PropertyValue | undefined): PropertyValue {
  return value === undefined || (isPropertyList(value) && value.length === 0) ? null : value;
}

/** The state of this sync while it is put together. */
type NextState = { -readonly [Key in keyof SyncState]: SyncState[Key] };

interface Linking {
  readonly issue: Issue;
  readonly next: NextState;
  readonly fields: string[];
}

/** Moves the task where GitHub moved its issue. Returns the parent if it has no task. */
function applyParent({ draft, findTask, rootOf }: Applying, task: DraftTask, { issue, next, fields }: Linking): readonly string[] {
  const { parent } = issue;
  if (parent === undefined || parent === (next.parent ?? null)) return [];
  if (parent === null) {
    const above = findTask(next.parent ?? '')?.path;
    const root = rootOf(task);
    if (root !== null && task.parent === above && moveBelow(draft, task, root)) fields.push('parent');
    delete next.parent;
    return [];
  }
  const above = findTask(parent);
  if (above === null || above.project !== task.project || !moveBelow(draft, task, above.path)) return [parent];
  next.parent = parent;
  fields.push('parent');
  return [];
}

/** Adds and removes dependencies as GitHub did. What waits for an issue without a task is blocked. Returns those issues. */
function applyDependencies({ draft, findTask }: Applying, task: DraftTask, { issue, next, fields }: Linking): readonly string[] {
  if (issue.blocked_by === undefined) return [];
  const linked = new Set(next.blocked_by);
  const before = linked.size;
  const [missing, waiting]: [string[], string[]] = [[], []];
  let isChanged = false;
  for (const { issue: key, is_open: isOpen } of issue.blocked_by) {
    if (linked.has(key)) continue;
    const target = findTask(key);
    if (target !== null && connectDrafts(draft, task, target)) {
      linked.add(key);
      isChanged = true;
    } else {
      missing.push(key);
      if (isOpen && issue.is_open) waiting.push(key);
    }
  }
  const wanted = new Set(issue.blocked_by.map((each) => each.issue));
  for (const key of [...linked].filter((each) => !wanted.has(each))) {
    const target = findTask(key);
    if (target !== null && task.removeEdge(DEPENDS_ON, target.path)) isChanged = true;
    linked.delete(key);
  }
  if (isChanged || linked.size !== before) fields.push('dependencies');
  next.blocked_by = [...linked].sort();
  const reason = waiting.length === 0 ? undefined : `waits for ${waiting.sort().join(', ')}`;
  if ((task.blocked ?? undefined) === next.blocked && reason !== next.blocked) {
    if (reason === undefined) task.change({ op: 'unset', key: ['blocked'] });
    else task.set(['blocked'], reason);
    fields.push('blocked');
    next.blocked = reason;
  }
  return missing;
}
