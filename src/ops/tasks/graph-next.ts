import * as z from 'zod';
import type { TaskGraph } from '../../graph/tasks/task-graph.ts';
import type { Task, TaskProject } from '../../graph/tasks/task.ts';
import { defineOperation } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { takeWhileFits, shorten } from '../shorten.ts';
import { commitDraft } from './draft/commit-draft.ts';
import type { Draft } from './draft/draft.ts';
import { claimedMs, claimRules, holderOf, liveClaims, nameHolder, otherHolderOf } from './view/claims.ts';
import { tasksOf } from '../../vault/task-graph.ts';
import { openHandoff, takeHandoff, toHandoff } from './handoff/handoff.ts';
import type { HandoffShape } from './handoff/handoff.ts';
import { doneElsewhere, findBranchTasks, findUncommitted } from './view/branch-tasks.ts';
import type { BranchTask } from './view/branch-tasks.ts';
import { toCriteria } from './view/criteria.ts';
import type { Criterion } from './view/criteria.ts';
import { ancestorsOf, isBelow, requireProject, requireTask } from './view/find-task.ts';
import { explainNothing } from './view/problems.ts';
import { matchesProperties } from './view/query.ts';
import { readContextLinks, readEvidence, toName, toNode, valuesOf } from './view/shapes.ts';
import type { EvidenceShape, NodeName, NodeShape } from './view/shapes.ts';

/** Maximum characters of a result; the rest is left for the next call. */
const MAX_CHARACTERS = 36_000;
const MAX_CLAIMS = 5;
const MAX_BRANCH_TASKS = 5;

const input = z.strictObject({
  project: z.string().min(1).optional().describe('If there are several'),
  scope: z.string().min(1).optional().describe('Below this task'),
  filter: z.record(z.string(), z.unknown()).optional().describe('Equal properties: {"area": "db"}'),
  count: z.int().min(1).max(100).default(1).describe('Tasks; at most 5 with claim'),
  claim: z.boolean().default(false).describe('Yours until resolved, or your session ends'),
  takeover: z
    .boolean()
    .default(false)
    .describe('With claim: after what is free also what others hold, and scope itself')
    .meta({ unlisted: true }),
});

type NextInput = z.output<typeof input>;

interface WorkNode {
  readonly node: NodeShape;
  readonly ancestors: readonly NodeName[];
  readonly context_links: {
    readonly self: readonly string[];
    readonly inherited: readonly { readonly node_id: string; readonly links: readonly string[] }[];
  };
  readonly resolved_deps: readonly (NodeName & { readonly evidence: readonly EvidenceShape[] })[];
  /** What has to be true when it is done; absent if nothing is named. */
  readonly criteria?: readonly Criterion[];
  /** What the holder before wrote for the next; with `claim` it is taken. */
  readonly handoff?: HandoffShape;
}

/** The best tasks to work on now. */
export interface NextAnswer {
  readonly nodes: readonly WorkNode[];
  /** Why there is nothing to do, or what was omitted. */
  readonly hint?: string;
  /** Other unresolved tasks that the agent has claimed. */
  readonly your_claims?: readonly NodeName[];
  /** The first tasks that other branches of the repository did, or that only they have, and how many there are. */
  readonly other_branches?: readonly BranchTask[];
  readonly branch_tasks?: number;
}

export const graphNext = defineOperation({
  name: 'graph_next',
  toolset: 'tasks',
  title: 'Next task',
  summary: 'The best tasks to work on now, with their context. Set claim when you start one.',
  effect: 'write',
  writesByOption: true,
  isIdempotent: false,
  input,
  // A note that is not indexed yet may be a task that others depend on.
  early: () => 'refuse',
  async run(context, call): Promise<NextAnswer> {
    await context.vault.refresh('changed');
    const elsewhere = await findBranchTasks(context);
    const done = doneElsewhere(elsewhere);
    const { chosen, taken } = call.claim ? await claim(context, call, done) : { chosen: choose(context, call, done), taken: [] };
    const { project, scope } = target(context, call);
    const branches = elsewhere.filter((task) => task.project === project.name);
    const told = branches.length === 0 ? {} : { other_branches: branches.slice(0, MAX_BRANCH_TASKS), branch_tasks: branches.length };
    const claims = otherClaims(context, project, chosen);
    if (chosen.length > 0) return { ...toAnswer(context, chosen, taken), ...claims, ...told };
    return { nodes: [], hint: explainNothing(context, project, { scope, hasFilter: call.filter !== undefined, done }), ...claims, ...told };
  },
});

function target(context: OperationContext, call: NextInput): { project: TaskProject; scope: Task | null } {
  const scope = call.scope === undefined ? null : requireTask(context.vault, call.scope, call.project);
  // A scope implies its project.
  const project = requireProject(context.vault, call.project ?? scope?.note.project);
  return { project, scope };
}

/**
 * Returns the best tasks that no other agent has claimed; to take over, held ones too if these are not enough. A claim takes the caller's own
 * last: those it has already.
 */
function choose(context: OperationContext, call: NextInput, done: ReadonlyMap<string, string>): readonly Task[] {
  const { project, scope } = target(context, call);
  const rules = claimRules(context);
  const isTaking = call.claim && call.takeover;
  const free: Task[] = [];
  const own: Task[] = [];
  const held: Task[] = [];
  for (const task of project.ranked()) {
    if (done.has(task.note.id)) continue;
    const isHeld = otherHolderOf(task, rules) !== null;
    if (isHeld && (!isTaking || held.length === call.count)) continue;
    if (scope !== null && !isBelow(task, scope) && !(isTaking && task === scope)) continue;
    if (call.filter !== undefined && !matchesProperties(task.note.properties, call.filter)) continue;
    const isOwn = call.claim && !isHeld && holderOf(task, rules) !== null;
    (isHeld ? held : isOwn ? own : free).push(task);
    if (free.length === call.count) break;
  }
  return [...free, ...own, ...held].slice(0, call.count);
}

/** Chooses and claims under the write lock, so that each task has one winner among all processes. */
async function claim(
  context: OperationContext,
  call: NextInput,
  done: ReadonlyMap<string, string>,
): Promise<{ chosen: readonly Task[]; taken: readonly string[] }> {
  const claims = await commitDraft(context, 'graph_next', (draft) =>
    // What another worktree resolved since is known under the lock alone.
    choose(context, call, new Map([...done, ...doneElsewhere(findUncommitted(context.vault, (id) => !done.has(id)))])).map((task) => {
      warnOfTakeover(context, draft, task);
      draft.claim(task);
      return { path: task.note.path, isTaken: takeHandoff(context, draft, draft.edit(task)) };
    }),
  );
  const paths = claims.map(({ path }) => path);
  return { chosen: present(tasksOf(context.vault), paths), taken: claims.flatMap(({ path, isTaken }) => (isTaken ? [path] : [])) };
}

/** Says whose the task was. */
function warnOfTakeover(context: OperationContext, draft: Draft, task: Task): void {
  const rules = claimRules(context);
  const holder = otherHolderOf(task, rules);
  if (holder === null) return;
  const since = new Date(claimedMs(task, rules)).toISOString();
  draft.warn(`You took over "${task.note.summary}" from ${nameHolder(holder, rules)}, who held it since ${since}.`);
}

function present(tasks: TaskGraph, paths: readonly string[]): readonly Task[] {
  return paths.map((path) => tasks.get(path)).filter((task) => task !== null);
}

function otherClaims(context: OperationContext, project: TaskProject, chosen: readonly Task[]): Pick<NextAnswer, 'your_claims'> {
  const rules = claimRules(context);
  const own = liveClaims(project, rules).filter(({ task }) => otherHolderOf(task, rules) === null && !chosen.includes(task));
  if (own.length === 0) return {};
  return { your_claims: own.slice(0, MAX_CLAIMS).map(({ task }) => ({ id: task.note.id, summary: shorten(task.note.summary, 60) })) };
}

/** `taken`: paths of the tasks whose handoff this call took. */
function toAnswer(context: OperationContext, tasks: readonly Task[], taken: readonly string[]): NextAnswer {
  const nodes = takeWhileFits(toWorkNodes(context, tasks, taken), MAX_CHARACTERS);
  const left = tasks.length - nodes.length;
  return {
    nodes,
    ...(left === 0 ? {} : { hint: `${left} more left out for length; ask for fewer at a time, or read them with graph_context.` }),
  };
}

function* toWorkNodes(context: OperationContext, tasks: readonly Task[], taken: readonly string[]): IterableIterator<WorkNode> {
  for (const task of tasks) {
    const isHandedOver = taken.includes(task.note.path) || openHandoff(task.note.properties) !== null;
    yield { ...toWorkNode(context, task), ...(isHandedOver ? toHandoff(context, task) : {}) };
  }
}

function toWorkNode(context: OperationContext, task: Task): WorkNode {
  const { graph } = context.vault;
  const tasks = tasksOf(context.vault);
  const ancestors = ancestorsOf(task);
  const inherited = ancestors
    .map((above) => ({ node_id: above.note.id, links: readContextLinks(valuesOf(graph, above)) }))
    .filter(({ links }) => links.length > 0);
  const resolved = task.dependencies.map(({ path }) => (path === null ? null : tasks.get(path))).filter((one) => one !== null);
  return {
    node: toNode(context, task),
    ancestors: ancestors.map(toName),
    context_links: { self: readContextLinks(valuesOf(graph, task)), inherited },
    ...toCriteria(context, task.note.path),
    resolved_deps: resolved.map((one) => ({ ...toName(one), evidence: readEvidence(valuesOf(graph, one)) })),
  };
}
