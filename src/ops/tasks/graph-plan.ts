import * as z from 'zod';
import { RouxError } from '../../errors.ts';
import { DEPENDS_ON } from '../../graph/tasks/task-note.ts';
import type { Task } from '../../graph/tasks/task.ts';
import type { Properties } from '../../note/note.ts';
import { defineOperation } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { nearestIn } from '../names/near-names.ts';
import { takeWhileFits, withFit, shorten } from '../shorten.ts';
import { commitDraft } from './draft/commit-draft.ts';
import type { DraftTask } from './draft/draft-task.ts';
import type { Draft } from './draft/draft.ts';
import { findDuplicates } from './draft/duplicates.ts';
import type { Duplicate } from './draft/duplicates.ts';
import { FileNames, MARK_CHARACTERS } from './draft/file-names.ts';
import { addCriteria, MAX_CRITERIA, MAX_CRITERION_CHARACTERS } from './view/criteria.ts';
import { findCycle } from './view/cycles.ts';
import { findTask, nearestTasks, projectFolder, requireProject } from './view/find-task.ts';
import { keyOf, toCursor } from './view/query.ts';

const MAX_NODES = 2000;

const nodeInput = z.strictObject({
  ref: z.string().min(1).max(200).describe('Any name, for this call'),
  parent_ref: z.string().min(1).optional().describe('ref or id; default: the root'),
  summary: z.string().trim().min(1).max(2000).describe('One sentence: what is true when done'),
  context_links: z.array(z.string().min(1)).optional().describe('Notes, files, addresses'),
  depends_on: z.array(z.string().min(1)).optional().describe('refs or ids to do before'),
  criteria: z.array(z.string().trim().min(1).max(MAX_CRITERION_CHARACTERS)).max(MAX_CRITERIA).optional().describe('Acceptance criteria'),
  properties: z.record(z.string(), z.unknown()).optional().describe('Your own keys; priority: a number'),
});

const input = z.strictObject({
  nodes: z.array(nodeInput).min(1).max(MAX_NODES).describe('In any order'),
  project: z.string().min(1).optional().describe('Needed without parent_ref'),
  decision_context: z.string().min(1).max(4000).optional().describe('Why; kept in the history'),
});

type PlanInput = z.output<typeof input>;
type NodeInput = z.output<typeof nodeInput>;

/** The ids of the new tasks by their refs in the call. */
export interface Planned {
  readonly created: readonly { readonly ref: string; readonly id: string }[];
  readonly potential_duplicates?: readonly Duplicate[];
  /** Present if `created` is incomplete: a cursor for `graph_query` sorted by creation, for the rest in the order of the call. */
  readonly next_cursor?: string;
  readonly hint?: string;
}

/** The parent of a new node: another one of the call, or an existing task. */
type PlannedParent = { readonly kind: 'new'; readonly ref: string } | { readonly kind: 'task'; readonly task: Task };

export const graphPlan = defineOperation({
  name: 'graph_plan',
  toolset: 'tasks',
  title: 'Plan tasks',
  summary: 'Creates tasks with parents and dependencies, all or none.',
  effect: 'write',
  isIdempotent: false,
  input,
  async run(context, call) {
    const planned = await commitDraft(context, 'graph_plan', (draft) => planNodes(context, draft, call));
    return withFit(planned, (characters) => toFirstPage(context, planned, characters));
  },
});

/** Maximum characters of the cursor and hint, except for projects with very long names. */
const MAX_HINT_CHARACTERS = 1_000;

/**
 * Returns as many of the new tasks as fit. Ids are created in the order of the call, so a query by creation lists the rest in this order.
 */
function toFirstPage(context: OperationContext, planned: Planned, characters: number): Planned {
  const { created, ...others } = planned;
  const shown = takeWhileFits(created, characters - JSON.stringify(others).length - MAX_HINT_CHARACTERS);
  const last = findTask(context.vault, shown.at(-1)?.id ?? '');
  const rest = created.slice(shown.length);
  if (rest.length === 0 || last === null) return planned;
  const projects = new Set(rest.flatMap(({ id }) => findTask(context.vault, id)?.note.project ?? []));
  const named = shorten([...projects].map((project) => JSON.stringify(project)).join(', '), MAX_HINT_CHARACTERS / 2);
  return {
    ...others,
    created: shown,
    next_cursor: toCursor(keyOf(last, 'created'), 'created'),
    hint: `All ${created.length} were created. The ids of the other ${rest.length}, in the order of this call: graph_query with project ${named}, sort "created", limit 100 and this cursor.`,
  };
}

function planNodes(context: OperationContext, draft: Draft, { nodes, project, decision_context }: PlanInput): Planned {
  const byRef = indexByRef(nodes);
  const parents = findParents(context, nodes, byRef, project);
  const names = new FileNames(draft.graph, context.config.filenames);
  const drafted = new Map<string, DraftTask>();
  const isInRepository = context.vault.settings.isInRepository();
  // Names are chosen first, because a node may be a child of a later one.
  const files = new Map(
    nodes.map(({ ref, summary }) => {
      const folder = projectOfRef(ref, parents);
      const id = `t_${context.vault.ports.newId()}`;
      const path = names.choose(projectFolder(context.vault, folder), summary, isInRepository ? id.slice(-MARK_CHARACTERS) : null);
      return [ref, { id, project: folder, path }];
    }),
  );
  for (const node of nodes) {
    const planned = parents.get(node.ref);
    const file = files.get(node.ref);
    if (planned === undefined || file === undefined) continue;
    const parent = planned.kind === 'task' ? planned.task.note.path : (files.get(planned.ref)?.path ?? null);
    const made = draft.create(file.path, {
      id: file.id,
      type: 'task',
      summary: node.summary,
      folder: file.project,
      parent,
      properties: (node.properties ?? {}) as Properties,
      contextLinks: node.context_links ?? [],
    });
    if (node.criteria !== undefined) {
      made.adopt(addCriteria(node.criteria));
      made.remark('criteria', node.criteria);
    }
    if (decision_context !== undefined) made.remark('decision_context', decision_context);
    drafted.set(node.ref, made);
  }
  for (const [index, node] of nodes.entries()) connect(context, draft, drafted, node, index);
  refuseCycle(drafted, (ref) => drafted.get(ref)?.targets(DEPENDS_ON) ?? []);
  for (const parent of new Set(parents.values())) {
    if (parent.kind === 'task') draft.reopenAbove(parent.task.note.path);
  }
  const duplicates = findDuplicates(
    context.vault,
    nodes.flatMap(({ ref, summary, properties = {} }) => {
      const parent = parents.get(ref);
      return parent?.kind === 'task' ? [{ ref, summary, properties: properties as Properties, parent: parent.task }] : [];
    }),
  );
  const created = nodes.map(({ ref }) => ({ ref, id: drafted.get(ref)?.id ?? '' }));
  return { created, ...(duplicates.length === 0 ? {} : { potential_duplicates: duplicates }) };
}

function indexByRef(nodes: readonly NodeInput[]): ReadonlyMap<string, number> {
  const byRef = new Map<string, number>();
  for (const [index, { ref }] of nodes.entries()) {
    const first = byRef.get(ref);
    if (first !== undefined) {
      throw new RouxError('duplicate_ref', `nodes[${index}].ref "${ref}" is taken by nodes[${first}]; give each node a ref of its own.`, {
        ref,
      });
    }
    byRef.set(ref, index);
  }
  return byRef;
}

/** Finds the parent of each node; throws for loops. */
function findParents(
  context: OperationContext,
  nodes: readonly NodeInput[],
  byRef: ReadonlyMap<string, number>,
  project: string | undefined,
): ReadonlyMap<string, PlannedParent> {
  const parents = new Map<string, PlannedParent>();
  const parentless: { readonly node: NodeInput; readonly index: number }[] = [];
  for (const [index, node] of nodes.entries()) {
    if (node.parent_ref === undefined) parentless.push({ node, index });
    else if (byRef.has(node.parent_ref)) parents.set(node.ref, { kind: 'new', ref: node.parent_ref });
    else parents.set(node.ref, { kind: 'task', task: requireParent(context, node.parent_ref, { index, project }) });
  }
  refuseCycle(byRef, (ref) => {
    const parent = parents.get(ref);
    return parent?.kind === 'new' ? [parent.ref] : [];
  });
  if (parentless.length === 0) return parents;
  const root = rootFor(context, [...parents.values()], project, parentless[0]?.index ?? 0);
  for (const { node } of parentless) parents.set(node.ref, { kind: 'task', task: root });
  return parents;
}

function requireParent(
  { vault }: OperationContext,
  reference: string,
  { index, project }: { readonly index: number; readonly project: string | undefined },
): Task {
  const task = findTask(vault, reference, project);
  if (task !== null) return task;
  const { text, details } = nearestIn(nearestTasks(vault, reference, project));
  throw new RouxError('invalid_parent_ref', `nodes[${index}].parent_ref "${reference}" is neither a ref of this call nor a task.${text}`, {
    parent_ref: reference,
    ...details,
  });
}

/** Finds the root for nodes without a parent: of the named project, else of the one that the call refers to, else of the only one. */
function rootFor(context: OperationContext, parents: readonly PlannedParent[], project: string | undefined, index: number): Task {
  const spoken = new Set(parents.flatMap((parent) => (parent.kind === 'task' ? [parent.task.note.project] : [])));
  const [only] = spoken;
  const name = project ?? (spoken.size === 1 ? only : undefined);
  try {
    const { root, name: found } = requireProject(context.vault, name);
    if (root !== null) return root;
    throw new RouxError('project_not_found', `Project "${found}" has no root yet; call graph_open with it first.`);
  } catch (error) {
    if (name !== undefined || !(error instanceof RouxError) || error.code !== 'project_not_found') throw error;
    throw new RouxError('missing_parent', `nodes[${index}].parent_ref is missing. ${error.message}`, error.details, { cause: error });
  }
}

function projectOfRef(ref: string, parents: ReadonlyMap<string, PlannedParent>): string {
  let parent = parents.get(ref);
  while (parent?.kind === 'new') parent = parents.get(parent.ref);
  if (parent === undefined) throw new RouxError('missing_parent', `Node "${ref}" hangs from no task.`, { ref });
  return parent.task.note.project;
}

function connect(context: OperationContext, draft: Draft, drafted: ReadonlyMap<string, DraftTask>, node: NodeInput, index: number): void {
  const made = drafted.get(node.ref);
  if (made === undefined) return;
  for (const [at, reference] of (node.depends_on ?? []).entries()) {
    const target = drafted.get(reference) ?? findTask(context.vault, reference, made.project)?.note ?? null;
    const field = `nodes[${index}].depends_on[${at}] "${reference}"`;
    if (target === null) {
      const { text, details } = nearestIn(nearestTasks(context.vault, reference, made.project));
      throw new RouxError('invalid_depends_on', `${field} is neither a ref of this call nor a task.${text}`, {
        depends_on: reference,
        ...details,
      });
    }
    if (target.project !== made.project) {
      throw new RouxError('cross_project', `${field} is in project "${target.project}"; tasks depend on tasks of their own project.`);
    }
    draft.warnOfDeadlock(made, target);
    draft.connect(made, DEPENDS_ON, target.path);
  }
}

/** Throws for a cycle, naming its nodes by their refs. */
function refuseCycle(nodes: ReadonlyMap<string, number | DraftTask>, steps: (ref: string) => readonly string[]): void {
  const refs = new Map<string, string>();
  for (const [ref, node] of nodes) if (typeof node !== 'number') refs.set(node.path, ref);
  const cycle = findCycle(nodes.keys(), (ref) =>
    steps(ref)
      .map((step) => refs.get(step) ?? step)
      .filter((step) => nodes.has(step)),
  );
  if (cycle === null) return;
  throw new RouxError('cycle_detected', `These nodes would wait for one another: ${cycle.join(' → ')}. Nothing was created.`, {
    cycle,
  });
}
