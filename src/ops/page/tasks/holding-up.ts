import type { TaskGraph } from '../../../graph/tasks/task-graph.ts';
import type { Task, TaskProject } from '../../../graph/tasks/task.ts';
import { compareText } from '../../../note/text.ts';

/** An open task that can be worked on, or that somebody blocked, and how many others wait for it, directly or not. */
export interface HoldingUp {
  readonly task: Task;
  readonly waiting: number;
}

/** So many candidates are followed, those with most direct dependents first, each to so many tasks. */
const MAX_CANDIDATES = 50;
const MAX_STEPS = 5_000;

/** What most of the blocked tasks of a project wait for in the end, the one with most first. */
export function findHoldingUp(tasks: TaskGraph, project: TaskProject, limit: number): readonly HoldingUp[] {
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
