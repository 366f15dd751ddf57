import { compareTasks } from '../../../graph/tasks/task-graph.ts';
import type { Task, TaskProject } from '../../../graph/tasks/task.ts';
import { compareText } from '../../../note/text.ts';
import { keyCursor, readKeyCursor } from '../../lists/page-cursor.ts';
import { ancestorsOf, childrenOf } from '../view/find-task.ts';

/** A page of a tree, parents before children. */
export interface TreePage {
  readonly tasks: readonly Task[];
  /** Cursor of the next page; null at the end. */
  readonly nextCursor: string | null;
}

/**
 * Returns the tasks of a project in tree order from a cursor on. A cursor names a task by the ids of its ancestors, so that changes elsewhere
 * do not shift pages.
 */
export function readTree(
  project: TaskProject,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): TreePage {
  const after = cursor === undefined ? null : readKeyCursor(cursor);
  const tops = project.root === null ? [...project.tasks].filter(({ parent }) => parent === null).sort(compareTasks) : [project.root];
  const found: Task[] = [];
  // A stack, each level reversed; chains of parents can be deeper than the call stack.
  const pending = tops.toReversed().map((task) => ({ task, after }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { task, after: place } = next;
    const [id, ...rest] = place ?? [];
    const order = id === undefined ? 1 : compareText(task.note.id, id);
    if (order < 0) continue;
    if (order > 0) {
      if (found.length === limit) return { tasks: found, nextCursor: cursorOf(found.at(-1)) };
      found.push(task);
    }
    const below = order === 0 && rest.length > 0 ? rest : null;
    for (const child of childrenOf(task).toReversed()) pending.push({ task: child, after: below });
  }
  return { tasks: found, nextCursor: null };
}

function cursorOf(task: Task | undefined): string | null {
  return task === undefined ? null : keyCursor([...ancestorsOf(task), task].map(({ note }) => note.id));
}
