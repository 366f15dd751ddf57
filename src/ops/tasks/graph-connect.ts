import * as z from 'zod';
import { DEPENDS_ON, isEdgeKey } from '../../graph/tasks/task-note.ts';
import { describeMissing, isGivenId } from '../../vault/missing-note.ts';
import { defineOperation } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { warnOfUnknown } from '../names/near-names.ts';
import { cleanReference } from '../reference.ts';
import { commitDraft } from './draft/commit-draft.ts';
import type { Draft } from './draft/draft.ts';
import { newlyActionable } from './draft/newly-actionable.ts';
import { findPath } from './view/cycles.ts';
import { tasksOf } from '../../vault/task-graph.ts';
import { findTask, nearestTasks, projectInput } from './view/find-task.ts';
import type { NodeName } from './view/shapes.ts';

const edgeInput = z.strictObject({
  from: z.string().min(1).describe('For depends_on the one that waits'),
  to: z.string().min(1).describe('For depends_on the one to do first'),
  type: z.string().min(1).max(100).describe('depends_on, relates_to or your own'),
  remove: z.boolean().optional().describe('Remove this edge'),
});

const input = z.strictObject({
  edges: z.array(edgeInput).min(1).max(500).describe('All or none'),
  project: projectInput,
});

/** An edge with the project of its call. */
type Placed = z.output<typeof edgeInput> & { readonly project?: string | undefined };
type Reason =
  | 'cycle_detected'
  | 'node_not_found'
  | 'duplicate_edge'
  | 'edge_not_found'
  | 'parent_edges_not_allowed'
  | 'cross_project_edge'
  | 'self_edge'
  | 'invalid_type';

/** The number of changed edges, the rejected ones with reasons, and tasks that became actionable. */
export interface Connected {
  readonly applied: number;
  readonly rejected?: readonly { readonly from: string; readonly to: string; readonly reason: Reason }[];
  readonly newly_actionable?: readonly NodeName[];
}

export const graphConnect = defineOperation({
  name: 'graph_connect',
  toolset: 'tasks',
  title: 'Connect tasks',
  summary: 'Adds or removes edges between tasks. Parents change with graph_restructure.',
  effect: 'write',
  overwrites: true,
  isIdempotent: true,
  input,
  async run(context, { edges, project }) {
    const connected = await commitDraft(context, 'graph_connect', (draft): Connected => {
      const outcome = edges.map((edge) => ({ edge, reason: connectEdge(context, draft, { ...edge, project }) }));
      const rejected = outcome.flatMap(({ edge: { from, to }, reason }) => (reason === null ? [] : [{ from, to, reason }]));
      const applied = outcome.length - rejected.length;
      return { applied, ...(rejected.length === 0 ? {} : { rejected }), ...newlyActionable(tasksOf(context.vault), draft) };
    });
    await warnOfMissing(context, connected.rejected ?? [], project);
    return connected;
  },
});

/** Maximum number of missing ids looked up in the history. */
const MAX_DELETED_LOOKUPS = 5;

/** Adds what the history knows of tasks that were named by missing ids, and the nearest tasks to other names. */
async function warnOfMissing(context: OperationContext, rejected: NonNullable<Connected['rejected']>, project?: string): Promise<void> {
  const ends = rejected.filter(({ reason }) => reason === 'node_not_found').flatMap(({ from, to }) => [from, to]);
  const missing = ends.filter((end) => findTask(context.vault, end, project) === null);
  warnOfUnknown(context, missing, (name) => ({ what: 'task', name, nearest: nearestTasks(context.vault, name, project) }));
  for (const id of [...new Set(missing.map(cleanReference))].filter(isGivenId).slice(0, MAX_DELETED_LOOKUPS)) {
    const deleted = await describeMissing(context.vault, id);
    if (deleted !== null) context.warn(`There is no task "${id}". ${deleted}`);
  }
}

/** Applies one edge to the draft; returns the reason if it is rejected. */
function connectEdge(context: OperationContext, draft: Draft, { from, to, type, remove = false, project }: Placed): Reason | null {
  if (type === 'parent' || type === 'child') return 'parent_edges_not_allowed';
  if (!isEdgeType(type)) return 'invalid_type';
  const source = findTask(context.vault, from, project);
  if (source === null) return 'node_not_found';
  const target = findTask(context.vault, to, source.note.project);
  const edited = draft.edit(source);
  if (remove) {
    edited.act('disconnected');
    if (target !== null) return edited.removeEdge(type, target.note.path) ? null : 'edge_not_found';
    // An edge to a missing task can still be removed by its link.
    return edited.removeMissing(type, cleanReference(to)) ? null : 'node_not_found';
  }
  if (target === null) return 'node_not_found';
  if (source === target) return type === DEPENDS_ON ? 'cycle_detected' : 'self_edge';
  if (edited.hasEdge(type, target.note.path)) return 'duplicate_edge';
  if (edited.isProperty(type)) return 'invalid_type';
  if (type === DEPENDS_ON) {
    if (source.note.project !== target.note.project) return 'cross_project_edge';
    const steps = (path: string): readonly string[] => draft.dependenciesOf(path);
    if (findPath({ from: target.note.path, to: source.note.path, steps }) !== null) return 'cycle_detected';
    draft.warnOfDeadlock(source.note, target.note);
  }
  edited.act('connected');
  draft.connect(edited, type, target.note.path);
  return null;
}

/** Returns whether a type can be a frontmatter key without another meaning. */
function isEdgeType(type: string): boolean {
  return (
    /^[\p{L}\p{N}_][\p{L}\p{N}_ -]*$/u.test(type) &&
    type.trim() === type &&
    isEdgeKey(type) &&
    !/^(?:constructor|prototype|__proto__)$/.test(type)
  );
}
