import * as z from 'zod';
import { RouxError } from '../../errors.ts';
import { CLAIM_KEYS } from '../../graph/tasks/task-note.ts';
import type { Task } from '../../graph/tasks/task.ts';
import type { GraphView } from '../../graph/view.ts';
import type { PropertyValue } from '../../note/note.ts';
import { defineOperation } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { expectRevision } from '../read-log.ts';
import { commitDraft } from './draft/commit-draft.ts';
import type { DraftTask } from './draft/draft-task.ts';
import type { Draft } from './draft/draft.ts';
import { newlyActionable } from './draft/newly-actionable.ts';
import { claimRules, describeEnd, nameHolder, otherHolderOf, refuseOfOthers } from './view/claims.ts';
import { tasksOf } from '../../vault/task-graph.ts';
import { findUncommitted } from './view/branch-tasks.ts';
import { changeCriteria, criteriaOf, MAX_CRITERIA, MAX_CRITERION_CHARACTERS } from './view/criteria.ts';
import { projectInput, requireTask } from './view/find-task.ts';
import { hasEvidence } from './view/evidence-notes.ts';
import { readRev } from './view/shapes.ts';
import type { NodeName } from './view/shapes.ts';

const updateInput = z.strictObject({
  node_id: z.string().min(1).describe('Id or title'),
  resolved: z.boolean().optional().describe('Done; false opens it again'),
  resolved_reason: z.string().min(1).optional().describe('Kept as evidence').meta({ unlisted: true }),
  blocked: z.boolean().optional().describe('Give blocked_reason too'),
  blocked_reason: z.string().trim().max(2000).optional().describe('What it waits for'),
  criteria: z
    .record(z.string().trim().min(1).max(MAX_CRITERION_CHARACTERS), z.string().trim().min(1).max(2000).nullable())
    .optional()
    .describe('Criterion: what shows it, or null while open'),
  state: z.unknown().optional().describe('How far you are: any JSON'),
  summary: z.string().trim().min(1).max(2000).optional().describe('One sentence'),
  properties: z.record(z.string(), z.unknown()).optional().describe('Merged; null deletes a key'),
  add_context_links: z.array(z.string().min(1)).optional().describe('Notes, files or addresses'),
  remove_context_links: z.array(z.string().min(1)).optional().describe('As they were added'),
  add_evidence: z
    .array(
      z.strictObject({
        type: z.string().min(1).describe('Such as test, commit, note'),
        ref: z.string().describe('Hash, path, address, sentence'),
      }),
    )
    .optional()
    .describe('Proof'),
  expected_rev: z.int().min(0).optional().describe('rev as read, else CONFLICT'),
});

const input = z.strictObject({
  updates: z.array(updateInput).min(1).max(500).describe('All or none'),
  decision_context: z.string().min(1).max(4000).optional().describe('Why; kept in the history'),
  project: projectInput,
});

type UpdateInput = z.output<typeof updateInput>;

/** The changed tasks with their new revisions, and tasks that became actionable. */
export interface Updated {
  readonly updated: readonly { readonly node_id: string; readonly rev: number }[];
  readonly newly_actionable?: readonly NodeName[];
}

/** Maximum number of tasks named in a warning. */
const MAX_NAMED = 5;

export const graphUpdate = defineOperation({
  name: 'graph_update',
  toolset: 'tasks',
  title: 'Update tasks',
  summary: 'Changes tasks, all or none: resolve with evidence, set properties, state, links. Says what became actionable.',
  effect: 'write',
  overwrites: true,
  isIdempotent: false,
  input,
  run: (context, { updates, decision_context, project }) =>
    commitDraft(context, 'graph_update', (draft): Updated => {
      const drafts = updates.map((update, index) => updateTask(context, draft, { ...update, project }, index));
      refuseDoneElsewhere(context, draft);
      warnOfOpenDependencies(draft);
      if (decision_context !== undefined) for (const one of new Set(drafts)) one.remark('decision_context', decision_context);
      const updated = drafts.map(({ id, rev }) => ({ node_id: id, rev }));
      return { updated, ...newlyActionable(tasksOf(context.vault), draft) };
    }),
});

function updateTask(
  context: OperationContext,
  draft: Draft,
  update: UpdateInput & { readonly project?: string | undefined },
  index: number,
): DraftTask {
  const task = requireTask(context.vault, update.node_id, update.project);
  if (update.expected_rev !== undefined) expectRev(draft.graph, task, update.expected_rev, index);
  const edited = draft.edit(task);
  if (update.expected_rev !== undefined) edited.expect = expectRevision(context, edited.path, update.expected_rev);
  if (update.summary !== undefined) edited.set(['summary'], update.summary);
  block(edited, update, index);
  changeCriteriaOf(context, edited, update, index);
  if (update.state !== undefined) edited.set(['state'], update.state as PropertyValue);
  for (const [name, value] of Object.entries(update.properties ?? {})) {
    if (isClaimKey(name)) giveUpClaim(context, draft, edited, { task, name, value, index });
    else edited.setProperty(name, value as PropertyValue);
  }
  for (const link of update.add_context_links ?? []) edited.change({ op: 'append', key: ['context_links'], value: link, unique: true });
  for (const link of update.remove_context_links ?? []) edited.change({ op: 'take', key: ['context_links'], value: link });
  const reason = update.resolved_reason === undefined ? [] : [{ type: 'note', ref: update.resolved_reason }];
  for (const one of [...(update.add_evidence ?? []), ...reason]) draft.addEvidence(edited, one);
  if (update.resolved !== undefined && update.resolved !== edited.isResolved) {
    if (update.resolved) {
      checkResolvable(context, draft, edited);
      warnOfClaim(context, draft, task);
    }
    edited.set(['resolved'], update.resolved);
    edited.act(update.resolved ? 'resolved' : 'reopened');
  }
  return edited;
}

/** Adds criteria, meets them with evidence, or opens them again. */
function changeCriteriaOf(context: OperationContext, task: DraftTask, { criteria }: UpdateInput, index: number): void {
  if (criteria === undefined) return;
  const changes = changeCriteria(context, task, criteria, `updates[${index}].criteria`);
  if (criteriaOf(context, task).length + changes.filter(({ op }) => op === 'add-line').length > MAX_CRITERIA)
    throw new RouxError('validation_error', `updates[${index}].criteria: a task has at most ${MAX_CRITERIA} criteria.`, {
      node_id: task.id,
    });
  task.adopt(changes);
  task.remark('criteria', criteria);
}

/** Refuses to resolve what another worktree has resolved: once it is merged, the task is resolved here too (T-05). */
function refuseDoneElsewhere({ vault }: OperationContext, draft: Draft): void {
  const resolved = new Set(draft.settled.filter(({ isResolved }) => isResolved).map(({ id }) => id));
  if (resolved.size === 0) return;
  const [done] = findUncommitted(vault, (id) => resolved.has(id));
  if (done === undefined) return;
  const { id, summary, branch } = done;
  throw new RouxError(
    'CONFLICT',
    `"${summary}" (${id}) is resolved already in another worktree, on ${branch}. Merge it here once it is committed there, or reopen it there. Nothing was changed.`,
    { node_id: id, branch },
  );
}

/** Warns about tasks that this call resolves while their dependencies remain open (T-07). */
function warnOfOpenDependencies(draft: Draft): void {
  for (const { path, id, summary } of draft.settled.filter(({ isResolved }) => isResolved)) {
    const open = draft.dependenciesOf(path).filter((dependency) => !draft.isResolved(dependency));
    if (open.length === 0) continue;
    const names = draft.namesOf(open.slice(0, MAX_NAMED)).join(', ');
    const rest = open.length > MAX_NAMED ? ` and ${open.length - MAX_NAMED} more` : '';
    draft.warn(`"${summary}" (${id}) is resolved, but depends on ${open.length === 1 ? 'an open task' : 'open tasks'}: ${names}${rest}.`);
  }
}

/** Warns if another agent has claimed the resolved task. */
function warnOfClaim(context: OperationContext, draft: Draft, task: Task): void {
  const rules = claimRules(context);
  const holder = otherHolderOf(task, rules);
  if (holder !== null) draft.warn(`"${task.note.summary}" is held by ${nameHolder(holder, rules)} ${describeEnd(task, rules)}.`);
}

function isClaimKey(name: string): boolean {
  return Object.values<string>(CLAIM_KEYS).includes(name);
}

/** Ends the caller's own claim. Throws if another session holds the task, or the property has another value than null. */
function giveUpClaim(
  context: OperationContext,
  draft: Draft,
  edited: DraftTask,
  { task, name, value, index }: { readonly task: Task; readonly name: string; readonly value: unknown; readonly index: number },
): void {
  if (value !== null)
    throw new RouxError(
      'validation_error',
      `updates[${index}]: properties.${name}: graph_next with claim: true claims tasks; null gives a claim up.`,
      {
        node_id: task.note.id,
      },
    );
  refuseOfOthers(task, claimRules(context));
  draft.setClaim(edited, null);
}

/** Blocks with a reason, or unblocks. A reason alone blocks too. */
function block(task: DraftTask, { blocked, blocked_reason: reason = '' }: UpdateInput, index: number): void {
  if (blocked === false) task.change({ op: 'unset', key: ['blocked'] });
  else if (reason !== '') task.set(['blocked'], reason);
  else if (blocked === true && task.blocked === null) {
    throw new RouxError('blocked_reason_required', `updates[${index}]: say in blocked_reason what "${task.summary}" waits for.`, {
      node_id: task.id,
    });
  }
}

function expectRev(graph: GraphView, task: Task, expected: number, index: number): void {
  const entry = graph.get(task.note.path);
  const rev = readRev(entry?.properties ?? {});
  if (rev === expected) return;
  throw new RouxError(
    'rev_mismatch',
    `updates[${index}]: "${task.note.summary}" is at rev ${rev}, not ${expected}. Read it again and retry.`,
    {
      node_id: task.note.id,
      rev,
      expected_rev: expected,
    },
  );
}

/** Checks what the configuration requires of a resolved task; warns about what it does not require. */
function checkResolvable(context: OperationContext, draft: Draft, task: DraftTask): void {
  const { requireEvidence, strictParents, strictCriteria } = context.config.tasks;
  const open = draft.childrenOf(task.path).filter((child) => !draft.isResolved(child));
  if (open.length > 0) {
    const message = `"${task.summary}" (${task.id}) has ${open.length} open ${open.length === 1 ? 'child' : 'children'}`;
    if (strictParents) throw new RouxError('unresolved_children', `${message}; resolve or drop them first.`, { node_id: task.id });
    draft.warn(`${message}.`);
  }
  const criteria = criteriaOf(context, task);
  const unmet = criteria.filter(({ met }) => !met).map(({ text }) => JSON.stringify(text));
  if (unmet.length > 0) {
    const named = unmet.slice(0, MAX_NAMED).join(', ') + (unmet.length > MAX_NAMED ? ` and ${unmet.length - MAX_NAMED} more` : '');
    const message = `"${task.summary}" (${task.id}) has open acceptance criteria: ${named}`;
    if (strictCriteria)
      throw new RouxError('criteria_open', `${message}; meet them with criteria and what shows each.`, { node_id: task.id });
    draft.warn(`${message}.`);
  }
  if (hasEvidence(task.values) || criteria.some(({ evidence }) => evidence !== undefined)) return;
  if (requireEvidence) {
    throw new RouxError('evidence_required', `"${task.summary}" (${task.id}) has no evidence; resolve it with add_evidence.`, {
      node_id: task.id,
    });
  }
  draft.warn(`${task.id} has no evidence.`);
}
