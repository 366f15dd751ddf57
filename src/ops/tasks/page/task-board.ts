import * as z from 'zod';
import { findCriticalPath } from '../../../graph/tasks/critical-path.ts';
import { findDeadlocks } from '../../../graph/tasks/deadlock.ts';
import type { TaskGraph } from '../../../graph/tasks/task-graph.ts';
import type { Task, TaskCounts, TaskProject } from '../../../graph/tasks/task.ts';
import { isPropertyList } from '../../../note/frontmatter/property-value.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { asText, shorten } from '../../shorten.ts';
import { claimEnd, claimRules, liveClaims, otherHolderOf } from '../view/claims.ts';
import type { ClaimRules } from '../view/claims.ts';
import { connectedAgentsOf } from '../../../vault/claims/connected-agents.ts';
import type { ConnectedAgent } from '../../../vault/claims/connected-agents.ts';
import { projectName, tasksOf } from '../../../vault/task-graph.ts';
import { requireProject } from '../view/find-task.ts';
import { findProblems } from '../view/problems.ts';
import { readRev, toState, valuesOf } from '../view/shapes.ts';
import { claimOf, MAX_SUMMARY_CHARACTERS, reasonsOf, stateOf } from './task-state.ts';
import type { Reason, TaskState } from './task-state.ts';
import { readTree } from './tree-order.ts';
import { compareText } from '../../../note/text.ts';

/** Limits of a page. */
const MAX_TASKS = 1_000;
const MAX_PROJECTS = 200;
/** Limits of listed dependencies, nodes of paths and cycles, cycles, problems and blocking tasks. */
const MAX_EDGES = 50;
const MAX_PATH_NODES = 200;
const MAX_CYCLES = 20;
const MAX_PROBLEMS = 20;
const MAX_BLOCKING_TASKS = 5;
const MAX_CLAIMS = 100;
const MAX_NAME_CHARACTERS = 100;

/** A project of the board. Its own note is not counted. */
interface BoardProject extends TaskCounts {
  /** Its folder, the value of `project`. */
  readonly name: string;
  readonly title: string;
  /** Claimed tasks, and ready tasks that nobody has claimed. */
  readonly claimed: number;
  readonly ready: number;
  readonly updated_at: string;
}

export interface BoardTask {
  readonly id: string;
  readonly path: string;
  readonly rev: number;
  readonly summary: string;
  readonly state: TaskState;
  readonly parent?: string;
  readonly depth: number;
  readonly priority?: number;
  /** Reported progress. */
  readonly progress?: string;
  readonly holder?: string;
  readonly until?: string;
  readonly why?: readonly Reason[];
  readonly why_more?: number;
  /** Ids of its dependencies, done or not. */
  readonly depends_on?: readonly string[];
  readonly evidence: number;
  readonly has_older_evidence?: true;
  /** Counts of its subtree. */
  readonly below?: { readonly resolved: number; readonly total: number };
  readonly updated_at: string;
}

/** Returns all projects, and the tree of one of them with what blocks it. */
export const taskBoard = defineOperation({
  name: 'task_board',
  toolset: null,
  title: 'Task board',
  summary: 'All projects, and one of them as a tree: states, reasons, dependencies, claims, the critical path.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'refuse',
  input: z.strictObject({
    /** By default the only project, if there is just one. */
    project: z.string().min(1).max(500).optional(),
    cursor: z.string().max(500_000).optional(),
  }),
  async run(context, { project: named, cursor }) {
    const { vault } = context;
    await vault.refresh('changed');
    const rules = claimRules(context);
    const all = tasksOf(vault).projects();
    const chosen = named === undefined && all.length !== 1 ? null : requireProject(vault, named ?? all[0]?.name);
    return {
      projects: all.slice(0, MAX_PROJECTS).map((each) => toBoardProject(context, each, rules)),
      ...(all.length > MAX_PROJECTS ? { projects_omitted: all.length - MAX_PROJECTS } : {}),
      now: new Date(rules.nowMs).toISOString(),
      /** The name under which the caller holds tasks. */
      you: shorten(context.agent, MAX_NAME_CHARACTERS),
      your_claims: listYourClaims(context, all, rules),
      claim_ttl_ms: rules.ttlMs,
      connected: listConnected(context, all, rules),
      ...(chosen === null ? {} : { board: toBoard(context, chosen, rules, cursor) }),
    };
  },
});

/** Lists the agents that are connected, here or to another process, with the number of tasks that each holds. */
function listConnected({ vault }: OperationContext, projects: readonly TaskProject[], rules: ClaimRules) {
  const held = projects
    .flatMap((project) => liveClaims(project, rules))
    .flatMap(({ task: { note } }) => (note.claim?.session ? [{ agent: note.claim.by, connection: note.claim.session }] : []))
    .filter(({ connection }) => rules.stateOf(connection) === 'connected');
  const agents = new Map<string, { readonly agent: string; tasks: number }>();
  const of = ({ agent, connection }: ConnectedAgent) => {
    const key = `${connection}\n${agent}`;
    const known = agents.get(key) ?? { agent: shorten(agent, MAX_NAME_CHARACTERS), tasks: 0 };
    agents.set(key, known);
    return known;
  };
  for (const each of connectedAgentsOf(vault).list()) if (rules.stateOf(each.connection) !== 'ended') of(each);
  for (const each of held) of(each).tasks += 1;
  return [...agents.values()].slice(0, MAX_CLAIMS);
}

/** Lists the claims of the caller in all projects, which the page renews while it is open. */
function listYourClaims(context: OperationContext, projects: readonly TaskProject[], rules: ClaimRules) {
  return projects
    .flatMap((project) => liveClaims(project, rules))
    .filter(({ task }) => otherHolderOf(task, rules) === null)
    .slice(0, MAX_CLAIMS)
    .map(({ task }) => ({ ...toNamed(task), until: claimEnd(task, rules) ?? '' }));
}

function toBoardProject({ vault }: OperationContext, project: TaskProject, rules: ClaimRules): BoardProject {
  const [latest] = project.recent();
  const claims = liveClaims(project, rules);
  return {
    name: project.name,
    title: shorten(projectName(vault.graph, project), MAX_SUMMARY_CHARACTERS),
    ...countsBelow(project),
    claimed: claims.length,
    ready: project.counts.actionable - claims.filter(({ task }) => task.isActionable).length,
    updated_at: latest?.note.updatedAt ?? '',
  };
}

function countsBelow({ root, counts }: TaskProject): TaskCounts {
  if (root === null) return counts;
  const total = counts.total - 1;
  const resolved = counts.resolved - (root.note.isResolved ? 1 : 0);
  return { ...counts, total, resolved, unresolved: total - resolved };
}

function toBoard(context: OperationContext, project: TaskProject, rules: ClaimRules, cursor: string | undefined) {
  const tasks = tasksOf(context.vault);
  const lookup = (path: string): Task | null => tasks.get(path);
  const circles = findDeadlocks(project.tasks, lookup);
  const stuck = new Set(circles.flat());
  const path = findCriticalPath(project.tasks, lookup);
  const page = readTree(project, { limit: MAX_TASKS, cursor });
  const id = ({ note }: Task): string => note.id;
  return {
    ...toBoardProject(context, project, rules),
    ...(project.root === null ? {} : { root: id(project.root), path: project.root.note.path }),
    tasks: page.tasks.map((task) => toBoardTask(context, tasks, task, { rules, isStuck: stuck.has(task) })),
    ...(page.nextCursor === null ? {} : { next_cursor: page.nextCursor }),
    critical_path: { length: path.length, tasks: path.tasks.slice(0, MAX_PATH_NODES).map(toNamed) },
    circles: circles.slice(0, MAX_CYCLES).map((circle) => circle.slice(0, MAX_EDGES).map(toNamed)),
    holding_up: findHoldingUp(tasks, project, MAX_BLOCKING_TASKS).map(({ task, waiting }) => ({
      ...toNamed(task),
      waiting,
      state: stateOf(task, rules),
      ...claimOf(task, rules),
      ...reasonsOf(tasks, task, rules, false),
    })),
    problems: findProblems(context, project)
      .slice(0, MAX_PROBLEMS)
      .map((problem) => shorten(problem, 2 * MAX_SUMMARY_CHARACTERS)),
  };
}

export function toNamed({ note }: Task): { readonly id: string; readonly summary: string } {
  return { id: note.id, summary: shorten(note.summary, MAX_SUMMARY_CHARACTERS) };
}

/** Converts a task to an item of a board. `isStuck`: it is part of a cycle. */
export function toBoardTask(
  { vault }: OperationContext,
  tasks: TaskGraph,
  task: Task,
  { rules, isStuck }: { readonly rules: ClaimRules; readonly isStuck: boolean },
): BoardTask {
  const { note, parent, below } = task;
  const values = valuesOf(vault.graph, task);
  const progress = asText(toState(values).state, 200);
  const dependsOn = task.dependencies.flatMap(({ path }) => (path === null ? [] : (tasks.get(path)?.note.id ?? [])));
  const { evidence } = values;
  return {
    id: note.id,
    path: note.path,
    rev: readRev(values),
    summary: shorten(note.summary, MAX_SUMMARY_CHARACTERS),
    state: stateOf(task, rules),
    ...(parent === null ? {} : { parent: parent.note.id }),
    depth: task.depth,
    ...(note.priority === 0 ? {} : { priority: note.priority }),
    ...(progress === null ? {} : { progress }),
    ...claimOf(task, rules),
    ...reasonsOf(tasks, task, rules, isStuck),
    ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn.slice(0, MAX_EDGES) }),
    evidence: isPropertyList(evidence) ? evidence.length : 0,
    ...(note.hasOlderEvidence ? { has_older_evidence: true as const } : {}),
    ...(below.total === 0 ? {} : { below: { resolved: below.resolved, total: below.total } }),
    updated_at: note.updatedAt,
  };
}

/** An open task that is ready or blocked by a person, with the number of tasks that depend on it, directly or not. */
interface BlockingTask {
  readonly task: Task;
  readonly waiting: number;
}

/** Limits of the search: candidates with the most direct dependents, and tasks visited from each. */
const MAX_CANDIDATES = 50;
const MAX_STEPS = 5_000;

/** Returns the tasks of a project on which most blocked tasks depend, in descending order. */
function findHoldingUp(tasks: TaskGraph, project: TaskProject, limit: number): readonly BlockingTask[] {
  const candidates = [...project.tasks]
    .filter((task) => !task.note.isResolved && task.openDependencies === 0 && task.loop === null)
    .map((task) => ({ task, direct: openDependents(tasks, task).length }))
    .filter(({ direct }) => direct > 0)
    .sort((a, b) => b.direct - a.direct || compareText(a.task.note.path, b.task.note.path))
    .slice(0, MAX_CANDIDATES);
  return candidates
    .map(({ task }) => ({ task, waiting: countWaiting(tasks, task) }))
    .sort((a, b) => b.waiting - a.waiting || compareText(a.task.note.path, b.task.note.path))
    .slice(0, limit);
}

function openDependents(tasks: TaskGraph, task: Task): readonly Task[] {
  return tasks.dependents(task.note.path).filter(({ note }) => !note.isResolved);
}

function countWaiting(tasks: TaskGraph, first: Task): number {
  const seen = new Set<Task>([first]);
  const pending = [first];
  for (let task = pending.pop(); task !== undefined && seen.size <= MAX_STEPS; task = pending.pop())
    for (const dependent of openDependents(tasks, task)) {
      if (seen.has(dependent)) continue;
      seen.add(dependent);
      pending.push(dependent);
    }
  return seen.size - 1;
}
