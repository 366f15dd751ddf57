import { compareText } from '../../note/text.ts';
import { findDeadlocks, waitsFor } from './deadlock.ts';
import type { TaskLookup } from './deadlock.ts';
import type { Task } from './task.ts';

/** The longest chain of work of a project. */
export interface CriticalPath {
  /** In executable order: each waits for the one before. */
  readonly tasks: readonly Task[];
  /** Number of tasks that are work themselves: a task with open children is done with its last child. */
  readonly length: number;
}

/**
 * Finds the longest chain, by count, of open tasks that wait for one another through dependencies and children: the lower bound for
 * finishing the project. Tasks in a cycle are left out. Empty when no task waits for another. Among chains of equal length, the one whose
 * last task comes first by path.
 */
export function findCriticalPath(tasks: Iterable<Task>, lookup: TaskLookup): CriticalPath {
  const all = [...tasks].filter(({ note }) => !note.isResolved);
  const stuck = new Set(findDeadlocks(all, lookup).flat());
  const ends = new Map<Task, { readonly length: number; readonly before: Task | null }>();
  const finish = (task: Task): void => {
    let [before, longest] = [null as Task | null, 0];
    for (const next of waitsFor(task, lookup)) {
      const length = ends.get(next)?.length ?? 0;
      if (length > longest || (length === longest && before !== null && compareText(next.note.path, before.note.path) < 0))
        [before, longest] = [next, length];
    }
    ends.set(task, { length: longest + (task.openChildren > 0 ? 0 : 1), before });
  };
  for (const start of all) {
    // Explicit stack, since chains can exceed the call stack. Without deadlocked tasks there is no cycle.
    const pending = [start];
    for (let task = pending.at(-1); task !== undefined; task = pending.at(-1)) {
      const first =
        ends.has(task) || stuck.has(task) ? [] : [...waitsFor(task, lookup)].filter((each) => !ends.has(each) && !stuck.has(each));
      if (first.length > 0) {
        pending.push(...first);
        continue;
      }
      pending.pop();
      if (!ends.has(task) && !stuck.has(task)) finish(task);
    }
  }
  let last: Task | null = null;
  for (const task of [...ends.keys()].sort((a, b) => compareText(a.note.path, b.note.path)))
    // A parent adds nothing to the chain of its children: it is included only if more follows.
    if (task.openChildren === 0 && (last === null || (ends.get(task)?.length ?? 0) > (ends.get(last)?.length ?? 0))) last = task;
  const chain: Task[] = [];
  for (let task = last; task !== null; task = ends.get(task)?.before ?? null) chain.unshift(task);
  const length = last === null ? 0 : (ends.get(last)?.length ?? 0);
  return length < 2 ? { tasks: [], length: 0 } : { tasks: chain, length };
}
