import { compareTasks } from '../../../graph/tasks/task-graph.ts';
import type { Task } from '../../../graph/tasks/task.ts';

/** Whether a task is a descendant of another. */
export function isBelow(task: Task, above: Task): boolean {
  for (let next = task.parent; next !== null; next = next.parent) if (next === above) return true;
  return false;
}

/** The way down to a task, root first, the task left out. */
export function ancestorsOf(task: Task): readonly Task[] {
  const way: Task[] = [];
  for (let next = task.parent; next !== null; next = next.parent) way.push(next);
  return way.reverse();
}

/** The children of a task in the order of their ids. */
export function childrenOf(task: Task): readonly Task[] {
  return [...task.children].sort(compareTasks);
}
