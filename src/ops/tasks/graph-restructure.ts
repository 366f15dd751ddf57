import * as z from 'zod';
import { RouxError } from '../../errors.ts';
import type { Task } from '../../graph/tasks/task.ts';
import type { NotePath } from '../../note/path.ts';
import { defineOperation } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { cleanReference, refuseAmbiguousCopy } from '../reference.ts';
import { commitDraft } from './draft/commit-draft.ts';
import { deleteTasks } from './draft/delete-tasks.ts';
import type { Draft } from './draft/draft.ts';
import { mergeTasks } from './draft/merge-tasks.ts';
import { newlyActionable } from './draft/newly-actionable.ts';
import { tasksOf } from '../../vault/task-graph.ts';
import { projectInput, requireTask } from './view/find-task.ts';
import type { NodeName } from './view/shapes.ts';

const id = z.string().min(1);

// A single object shape: clients get no useful schema for a union of three.
const operationInput = z.strictObject({
  op: z.string().describe('move node_id new_parent | merge source into target | drop node_id reason | delete node_id'),
  node_id: id.optional().describe('Id or title'),
  new_parent: id.optional().describe('For move'),
  source: id.optional().describe('For merge: it ends'),
  target: id.optional().describe('For merge: it stays'),
  reason: z.string().trim().min(1).max(4000).optional().describe('For drop'),
});

const input = z.strictObject({
  operations: z.array(operationInput).min(1).max(500).describe('In order'),
  decision_context: z.string().min(1).max(4000).optional().describe('Why; kept in the history'),
  project: projectInput,
});

/** An operation with the project of its call. */
type Placed = z.output<typeof operationInput> & { readonly project?: string | undefined };

interface Detail {
  readonly op: string;
  readonly node_id: string;
  readonly result: string;
}

/** The result of each operation, and tasks that became actionable. */
export interface Restructured {
  readonly applied: number;
  readonly details: readonly Detail[];
  readonly newly_actionable?: readonly NodeName[];
}

export const graphRestructure = defineOperation({
  name: 'graph_restructure',
  toolset: 'tasks',
  title: 'Restructure tasks',
  summary: 'Moves, merges, drops or deletes tasks, all or none. Drop resolves a subtree with a reason, delete trashes it.',
  effect: 'destroy',
  isIdempotent: false,
  input,
  run: (context, { operations, decision_context, project }) =>
    commitDraft(context, 'graph_restructure', (draft): Restructured => {
      const details = operations.map((operation, index) => restructure(context, draft, { ...operation, project }, index));
      if (decision_context !== undefined)
        for (const { node_id } of details) draft.byId(node_id)?.remark('decision_context', decision_context);
      return { applied: details.length, details, ...newlyActionable(tasksOf(context.vault), draft) };
    }),
});

function restructure(context: OperationContext, draft: Draft, operation: Placed, index: number): Detail {
  const { project } = operation;
  const field = `operations[${index}]`;
  switch (operation.op) {
    case 'move':
      return move(context, draft, {
        node: find(context, draft, requireArgument(operation.node_id, `${field}.node_id`), project),
        parent: requireArgument(operation.new_parent, `${field}.new_parent`),
      });
    case 'merge': {
      const source = find(context, draft, requireArgument(operation.source, `${field}.source`), project);
      const target = find(context, draft, requireArgument(operation.target, `${field}.target`), source.note.project);
      mergeTasks(context, draft, { source, target });
      return { op: 'merge', node_id: target.note.id, result: `absorbed ${source.note.id}` };
    }
    case 'drop':
      return drop(draft, {
        node: find(context, draft, requireArgument(operation.node_id, `${field}.node_id`), project),
        reason: requireArgument(operation.reason, `${field}.reason`),
      });
    case 'delete': {
      const task = find(context, draft, requireArgument(operation.node_id, `${field}.node_id`), project);
      const entry = draft.graph.get(task.note.path);
      if (entry !== null) refuseAmbiguousCopy(context.vault, entry, cleanReference(operation.node_id ?? ''));
      const deleted = deleteTasks(context, draft, task);
      return { op: 'delete', node_id: task.note.id, result: `deleted ${countNodes(deleted)}` };
    }
    default:
      throw new RouxError('unknown_op', `${field}.op "${operation.op}" is unknown; use move, merge, drop or delete.`, {
        op: operation.op,
      });
  }
}

function requireArgument(value: string | undefined, field: string): string {
  if (value === undefined) throw new RouxError('validation_error', `${field} is required.`, { field });
  return value;
}

/** Finds a task that earlier entries of the call have not removed. */
function find(context: OperationContext, draft: Draft, reference: string, project?: string): Task {
  const task = requireTask(context.vault, reference, project);
  if (draft.at(task.note.path) !== null) return task;
  throw new RouxError('node_not_found', `"${task.note.summary}" is gone since an earlier entry of this call.`, { node_id: reference });
}

function move(context: OperationContext, draft: Draft, { node: task, parent }: { readonly node: Task; readonly parent: string }): Detail {
  const above = find(context, draft, parent, task.note.project);
  const { id: node_id, summary, path } = task.note;
  if (task.isRoot) throw new RouxError('validation_error', `"${summary}" is the root of its project and stays on top.`, { node_id });
  if (task.note.project !== above.note.project) {
    throw new RouxError(
      'cross_project',
      `"${summary}" is in project "${task.note.project}", "${above.note.summary}" in "${above.note.project}".`,
      { node_id },
    );
  }
  // Uses the parents that the notes name: otherwise the move could create another circle.
  const upward = [above.note.path, ...draft.namedAbove(above.note.path)];
  if (upward.includes(path)) {
    const downward = upward.slice(0, upward.indexOf(path)).reverse();
    const cycle = [path, ...downward, path];
    throw new RouxError('cycle_detected', `"${summary}" would hang below itself: ${draft.namesOf(cycle).join(' → ')}.`, {
      cycle: cycle.map((one) => draft.at(one)?.id ?? one),
    });
  }
  const moved = draft.edit(task);
  if (moved.hangsBelow(above.note.path)) return { op: 'move', node_id, result: 'was there already' };
  draft.setParent(moved, above.note.path);
  moved.act('moved');
  warnOfDeadlocks(draft, path);
  if (!moved.isResolved) draft.reopenAbove(above.note.path);
  return { op: 'move', node_id, result: `moved to ${above.note.id}` };
}

/** Warns if a moved task or a descendant depends on one of its ancestors. */
function warnOfDeadlocks(draft: Draft, moved: NotePath): void {
  for (const path of draft.subtreeOf(moved)) {
    for (const dependency of draft.dependenciesOf(path)) {
      const [task, target] = [draft.at(path), draft.at(dependency)];
      if (task !== null && target !== null) draft.warnOfDeadlock(task, target);
    }
  }
}

/** Resolves a task and its open descendants, with the reason as evidence on each. */
function drop(draft: Draft, { node: task, reason }: { readonly node: Task; readonly reason: string }): Detail {
  const open = draft.subtreeOf(task.note.path).filter((path) => !draft.isResolved(path));
  for (const path of open) {
    const one = draft.at(path);
    if (one === null) continue;
    one.set(['resolved'], true);
    one.act('dropped');
    draft.addEvidence(one, { type: 'dropped', ref: reason });
  }
  return { op: 'drop', node_id: task.note.id, result: open.length === 0 ? 'was resolved already' : `dropped ${countNodes(open.length)}` };
}

function countNodes(number: number): string {
  return `${number} ${number === 1 ? 'node' : 'nodes'}`;
}
