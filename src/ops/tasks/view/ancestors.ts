import { compareTasks } from '../../../graph/tasks/dependencies.ts';
import type { Task } from '../../../graph/tasks/task.ts';

/** Whether a task is a descendant of another. */
export function isBelow(task: Task, above: Task): boolean {
  for (let next = task.parent; next !== null; next = next.parent) if (next === above) return true;
  return false;
}

/** The tasks above a task, the root first. */
export function ancestorsOf(task: Task): readonly Task[] {
  const ancestors: Task[] = [];
  for (let next = task.parent; next !== null; next = next.parent) ancestors.push(next);
  return ancestors.reverse();
}

/** The children of a task in the order of their ids. */
export function childrenOf(task: Task): readonly Task[] {
  return [...task.children].sort(compareTasks);
}
