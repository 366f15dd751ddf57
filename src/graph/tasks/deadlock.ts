import { compareText } from '../../note/text.ts';
import type { Task } from './task.ts';

/** Looks a task up by its path. */
export type TaskLookup = (path: string) => Task | null;

/**
 * Finds groups of open tasks that wait for one another and can never be worked on: cycles of dependencies, cycles of parents, and children
 * that depend on their own ancestors. Each group is sorted by path, groups by their first path.
 */
export function findDeadlocks(tasks: Iterable<Task>, lookup: TaskLookup): readonly (readonly Task[])[] {
  const order = new Map<Task, number>();
  const low = new Map<Task, number>();
  const stack: Task[] = [];
  const onStack = new Set<Task>();
  const groups: Task[][] = [];

  const enter = (task: Task): { task: Task; next: Iterator<Task> } => {
    order.set(task, order.size);
    low.set(task, order.size - 1);
    stack.push(task);
    onStack.add(task);
    return { task, next: waitsFor(task, lookup)[Symbol.iterator]() };
  };
  const lower = (task: Task, to: number): void => void low.set(task, Math.min(low.get(task) ?? to, to));

  for (const start of tasks) {
    if (start.note.isResolved || order.has(start)) continue;
    // Tarjan's algorithm with an explicit stack, since chains can exceed the call stack.
    const frames = [enter(start)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const step = frame.next.next();
      if (step.done !== true) {
        if (!order.has(step.value)) frames.push(enter(step.value));
        else if (onStack.has(step.value)) lower(frame.task, order.get(step.value) ?? 0);
        continue;
      }
      frames.pop();
      const above = frames.at(-1);
      if (above !== undefined) lower(above.task, low.get(frame.task) ?? 0);
      if (low.get(frame.task) !== order.get(frame.task)) continue;
      const group = stack.splice(stack.lastIndexOf(frame.task));
      for (const task of group) onStack.delete(task);
      if (group.length > 1 || isSelfWaiting(group)) groups.push(group.sort(byPath));
    }
  }
  return groups.sort((a, b) => compareText(a[0]?.note.path ?? '', b[0]?.note.path ?? ''));
}

function isSelfWaiting(group: readonly Task[]): boolean {
  const [only] = group;
  return only !== undefined && (only.loop !== null || only.dependencies.some((one) => one.path === only.note.path));
}

/** Yields what an open task waits for: open dependencies, open children, and in a cycle of parents the next one up. */
export function* waitsFor(task: Task, lookup: TaskLookup): Iterable<Task> {
  for (const { path } of task.dependencies) {
    const target = path === null ? null : lookup(path);
    if (target !== null && !target.note.isResolved) yield target;
  }
  for (const child of task.children) if (!child.note.isResolved) yield child;
  if (task.loop === null) return;
  const next = task.note.parent === null ? null : lookup(task.note.parent);
  if (next !== null && !next.note.isResolved) yield next;
}

function byPath(a: Task, b: Task): number {
  return compareText(a.note.path, b.note.path);
}
