import { findDeadlocks } from '../../../graph/tasks/deadlock.ts';
import type { Task, TaskProject } from '../../../graph/tasks/task.ts';
import type { OperationContext } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { claimEnd, claimRules, nameHolder, otherHolderOf } from './claims.ts';
import type { ClaimRules } from './claims.ts';
import { tasksOf } from '../../../vault/task-graph.ts';
import { isBelow } from './find-task.ts';

const MAX_NAMED = 4;

/** Describes problems of a project's graph: tasks that wait for one another, and links to missing tasks. */
export function findProblems(context: OperationContext, project: TaskProject): readonly string[] {
  const tasks = tasksOf(context.vault);
  const name = (summary: string): string => `"${shorten(summary, 40)}"`;
  const deadlocks = findDeadlocks(project.tasks, (path) => tasks.get(path)).map((group) => {
    const names = group.slice(0, MAX_NAMED).map((task) => name(task.note.summary));
    const more = group.length > names.length ? ` and ${group.length - names.length} more` : '';
    return `${names.join(', ')}${more} ${group.length === 1 ? 'waits for itself' : 'wait for one another'}.`;
  });
  const missing: string[] = [];
  const elsewhere: string[] = [];
  for (const task of project.tasks) {
    elsewhere.push(...leftBehind(context, task).map((other) => `${name(task.note.summary)} ${other}`));
    if (task.note.isResolved || task.openDependencies === 0) continue;
    for (const { path, text } of task.dependencies) {
      if (path === null || tasks.get(path) === null) missing.push(`${name(task.note.summary)} waits for [[${text}]], which is no task.`);
    }
  }
  return [...deadlocks, ...missing.sort(), ...elsewhere.sort()];
}

/** Describes parents and dependencies in another project, which remain when a person moves a task (X-06). */
function leftBehind(context: OperationContext, { note, dependencies }: Task): readonly string[] {
  const tasks = tasksOf(context.vault);
  const inOther = (path: string | null): Task | null => {
    const other = path === null ? null : tasks.get(path);
    return other === null || other.note.project === note.project ? null : other;
  };
  const parent = inOther(note.parent);
  const remedy = 'graph_restructure move gives it a parent here';
  return [
    ...(parent === null
      ? []
      : [`names "${parent.note.summary}" of the project ${parent.note.project} as its parent (cross_project); ${remedy}.`]),
    ...dependencies.flatMap(({ path }) => {
      const other = inOther(path);
      return other === null ? [] : [`depends on "${other.note.summary}" of the project ${other.note.project} (cross_project).`];
    }),
  ];
}

/** Explains why a project has nothing to do for this agent now. */
export function explainNothing(
  context: OperationContext,
  project: TaskProject,
  { scope, hasFilter, done }: { scope: Task | null; hasFilter: boolean; done: ReadonlyMap<string, string> },
): string {
  const inScope = (task: Task): boolean => !task.isRoot && (scope === null || isBelow(task, scope));
  const where = scope === null ? 'here' : `below "${scope.note.summary}"`;
  const all = [...project.tasks].filter(inScope);
  const open = all.filter((task) => !task.note.isResolved);
  if (all.length === 0) return `No tasks ${where} yet: add some with graph_plan.`;
  if (open.length === 0) return `All ${all.length} tasks ${where} are resolved.`;
  const actionable = open.filter((task) => task.isActionable);
  const ready = actionable.filter((task) => !done.has(task.note.id));
  if (actionable.length > 0 && ready.length === 0) {
    const branches = [...new Set(actionable.map((task) => done.get(task.note.id)))].join(', ');
    return `All ${actionable.length} actionable tasks are done in other branches (${branches}): merge those first.`;
  }
  const rules = claimRules(context);
  const held = ready.filter((task) => otherHolderOf(task, rules) !== null);
  if (ready.length > 0 && held.length === ready.length) return explainClaims(held, rules);
  if (ready.length > 0)
    return hasFilter ? `None of ${ready.length - held.length} actionable tasks fits the filter.` : 'Try again: tasks changed meanwhile.';
  const loops = findDeadlocks(open, (path) => tasksOf(context.vault).get(path)).slice(0, 1);
  const loop = loops.map((group) => ` ${group.map((task) => `"${task.note.summary}"`).join(', ')} wait for one another.`).join('');
  const blocked = open.filter((task) => task.isBlocked);
  return `Every open task ${where} is blocked:${loop === '' ? waitingFor(blocked, context) : loop}`;
}

function explainClaims(held: readonly Task[], rules: ClaimRules): string {
  const holders = [...new Set(held.map((task) => nameHolder(task.note.claim?.by ?? '', rules)))].sort();
  const [firstEnd] = held.flatMap((task) => claimEnd(task, rules) ?? []).sort();
  const until = firstEnd === undefined ? ', as long as they are connected' : `, the first until ${firstEnd}`;
  return `All ${held.length} actionable tasks are claimed by ${holders.join(', ')}${until}. If you are asked to take one over: {scope, claim: true, takeover: true}.`;
}

function blockedByHand({ note }: Task): string {
  return `"${note.summary}" was blocked by hand${note.blocked === '' ? '' : `: ${note.blocked ?? ''}`}.`;
}

/** Names one reason for blocking: an explicit one, a missing note, or another task. */
function waitingFor(blocked: readonly Task[], context: OperationContext): string {
  const tasks = tasksOf(context.vault);
  for (const task of blocked) {
    if (task.note.blocked !== null) return ` ${blockedByHand(task)}`;
    for (const { path, text } of task.dependencies) {
      const target = path === null ? null : tasks.get(path);
      if (target === null) return ` "${task.note.summary}" waits for [[${text}]], which is no task.`;
      if (!target.note.isResolved) return ` "${task.note.summary}" waits for "${target.note.summary}".`;
    }
  }
  return '';
}
