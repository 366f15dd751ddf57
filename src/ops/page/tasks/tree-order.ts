import { RouxError } from '../../../errors.ts';
import { compareTasks } from '../../../graph/tasks/task-graph.ts';
import type { Task, TaskProject } from '../../../graph/tasks/task.ts';
import { compareText } from '../../../note/text.ts';
import { ancestorsOf, childrenOf } from '../../tasks/view/find-task.ts';

/** A page of a tree, parents before their children. */
export interface TreePage {
  readonly tasks: readonly Task[];
  /** The place of the last one, for going on; null at the end. */
  readonly nextCursor: string | null;
}

/**
 * The tasks of a project in the order of its tree, from a cursor on. The cursor names the place of a task by the ids above it, so that what
 * comes or goes elsewhere shifts nothing.
 */
export function readTree(
  project: TaskProject,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): TreePage {
  const after = cursor === undefined ? null : readCursor(cursor);
  const tops = project.root === null ? [...project.tasks].filter(({ parent }) => parent === null).sort(compareTasks) : [project.root];
  const found: Task[] = [];
  // The next of each level last; chains of parents can be longer than the call stack.
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
  return task === undefined ? null : JSON.stringify([...ancestorsOf(task), task].map(({ note }) => note.id));
}

function readCursor(cursor: string): readonly string[] {
  try {
    const read: unknown = JSON.parse(cursor);
    if (Array.isArray(read) && read.length > 0 && read.every((each) => typeof each === 'string')) return read;
  } catch {
    // Told below.
  }
  throw new RouxError('INVALID_PARAMS', 'cursor is none of a task board; give the one that the last page returned.', {});
}
