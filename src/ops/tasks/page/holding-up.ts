import type { TaskGraph } from '../../../graph/tasks/task-graph.ts';
import type { Task, TaskProject } from '../../../graph/tasks/task.ts';
import { compareText } from '../../../note/text.ts';

/** An open task that is ready or blocked by a person, with the number of tasks that depend on it, directly or not. */
export interface BlockingTask {
  readonly task: Task;
  readonly waiting: number;
}

/** Limits of the search: candidates with the most direct dependents, and tasks visited from each. */
const MAX_CANDIDATES = 50;
const MAX_STEPS = 5_000;

/** Returns the tasks of a project on which most blocked tasks depend, in descending order. */
export function findHoldingUp(tasks: TaskGraph, project: TaskProject, limit: number): readonly BlockingTask[] {
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
