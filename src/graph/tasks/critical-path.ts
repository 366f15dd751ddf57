import { compareText } from '../../note/text.ts';
import { findDeadlocks, waitsFor } from './deadlock.ts';
import type { TaskLookup } from './deadlock.ts';
import type { Task } from './task.ts';

/** The longest chain of work of a project. */
export interface CriticalPath {
  /** In the order in which they can be done; each waits for the one before it. */
  readonly tasks: readonly Task[];
  /** How many of them are work of their own: a task with open children is done with its last child. */
  readonly length: number;
}

/**
 * The longest chain of open tasks that wait for one another, by count: dependencies, and children before their parent. Whatever is done
 * beside it, a project is not done sooner. Tasks that wait for one another in a circle end in no chain and are left out. Empty where no
 * task waits for another one. Of chains of one length the one whose last task comes first by path.
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
    // With a stack of its own: chains can be longer than the call stack. Without what is stuck there is no circle.
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
    // A parent adds nothing to the chain of its children: it is shown where more comes after it.
    if (task.openChildren === 0 && (last === null || (ends.get(task)?.length ?? 0) > (ends.get(last)?.length ?? 0))) last = task;
  const chain: Task[] = [];
  for (let task = last; task !== null; task = ends.get(task)?.before ?? null) chain.unshift(task);
  const length = last === null ? 0 : (ends.get(last)?.length ?? 0);
  return length < 2 ? { tasks: [], length: 0 } : { tasks: chain, length };
}
