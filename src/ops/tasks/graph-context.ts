import * as z from 'zod';
import type { Task } from '../../graph/tasks/task.ts';
import type { PropertyValue } from '../../note/note.ts';
import { defineOperation } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { tasksOf } from '../../vault/task-graph.ts';
import { ancestorsOf, childrenOf, projectInput, requireTask } from './view/find-task.ts';
import { toHandoff } from './handoff/handoff.ts';
import { toCriteria } from './view/criteria.ts';
import { olderEvidence } from './view/evidence-notes.ts';
import { toNode, toState, valuesOf } from './view/shapes.ts';
import type { NodeShape } from './view/shapes.ts';

/** Children beyond this number of nodes are only counted. */
const MAX_TREE_NODES = 250;
/** Neighbors are shown in full; those beyond this number are counted in a warning. */
const MAX_NEIGHBORS = 40;

const input = z.strictObject({
  node_id: z.string().min(1).describe('Id or title'),
  depth: z.int().min(0).max(10).default(2).describe('Levels of subtasks'),
  project: projectInput,
});

/** A task and its descendants to the requested depth. */
export interface NodeTree {
  readonly id: string;
  readonly summary: string;
  readonly resolved: boolean;
  readonly state?: PropertyValue;
  readonly children?: readonly NodeTree[];
  /** Present if children were omitted. */
  readonly child_count?: number;
  /** Progress of all descendants, present if children were omitted. */
  readonly progress?: { readonly resolved: number; readonly total: number };
}

/** One end of a dependency. */
type Neighbor =
  | { readonly node: NodeShape; readonly satisfied: boolean }
  | {
      readonly node: { readonly id: string; readonly summary: string; readonly resolved: false };
      readonly satisfied: false;
      readonly missing: true;
    };

export const graphContext = defineOperation({
  name: 'graph_context',
  toolset: 'tasks',
  title: 'Task context',
  summary: 'Reads a task with ancestors, subtree and dependencies both ways.',
  effect: 'read',
  isIdempotent: true,
  input,
  // A note that is not indexed yet may be a task that others depend on.
  early: () => 'refuse',
  async run(context, { node_id, depth, project }) {
    await context.vault.refresh('changed');
    const task = requireTask(context.vault, node_id, project);
    const tasks = tasksOf(context.vault);
    const dependents = tasks.dependents(task.note.path);
    const shown = { dependencies: task.dependencies.slice(0, MAX_NEIGHBORS), dependents: dependents.slice(0, MAX_NEIGHBORS) };
    const left = task.dependencies.length + dependents.length - shown.dependencies.length - shown.dependents.length;
    if (left > 0) context.warn(`${left} dependencies were left out for length.`);
    return {
      node: toNode(context, task),
      ...olderEvidence(context, task),
      ...toCriteria(context, task.note.path),
      ...toHandoff(context, task),
      ancestors: ancestorsOf(task).map(({ note }) => ({ id: note.id, summary: note.summary, resolved: note.isResolved })),
      children: toTree(context, task, depth, { left: MAX_TREE_NODES }),
      depends_on: shown.dependencies.map(({ path, text }): Neighbor => {
        const target = path === null ? null : tasks.get(path);
        if (target === null) return { node: { id: text, summary: text, resolved: false }, satisfied: false, missing: true };
        return { node: toNode(context, target), satisfied: target.note.isResolved };
      }),
      depended_by: shown.dependents.map((dependent) => ({ node: toNode(context, dependent), satisfied: task.note.isResolved })),
    };
  },
});

function toTree(context: OperationContext, task: Task, depth: number, budget: { left: number }): NodeTree {
  const { note } = task;
  const self = { id: note.id, summary: note.summary, resolved: note.isResolved, ...toState(valuesOf(context.vault.graph, task)) };
  const count = task.children.size;
  if (count === 0) return self;
  if (depth === 0 || budget.left < count) {
    // For leaves that are all open, the count says everything.
    const progress =
      task.below.total === count && task.below.resolved === 0
        ? {}
        : { progress: { resolved: task.below.resolved, total: task.below.total } };
    return { ...self, child_count: count, ...progress };
  }
  budget.left -= count;
  return { ...self, children: childrenOf(task).map((child) => toTree(context, child, depth - 1, budget)) };
}
