import { compareRank } from '../../../graph/tasks/task.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import type { TaskGraph } from '../../../graph/tasks/task-graph.ts';
import { toName } from '../view/shapes.ts';
import type { NodeName } from '../view/shapes.ts';
import type { Draft } from './draft.ts';

/**
 * Returns the tasks that become actionable by a draft, best first, or nothing. Only the tasks that the draft changes, their old and new
 * parents and their dependents need to be checked.
 */
export function newlyActionable(tasks: TaskGraph, draft: Draft): { newly_actionable?: readonly NodeName[] } {
  const found = new Set<Task>();
  const consider = (task: Task | null): void => {
    if (task !== null && !task.isActionable && draft.isActionable(task)) found.add(task);
  };
  for (const task of draft.touched()) {
    consider(task);
    consider(task.parent);
    const parent = draft.parentOf(task.note.path);
    consider(parent === null ? null : tasks.get(parent));
    for (const dependent of tasks.dependents(task.note.path)) consider(dependent);
    // Moving out of a loop of parents unblocks all its members.
    for (const member of task.loop ?? []) consider(member);
  }
  if (found.size === 0) return {};
  const ranked = [...found].sort((a, b) => compareRank({ ...a.note, depth: a.depth }, { ...b.note, depth: b.depth }));
  return { newly_actionable: ranked.map((task) => ({ ...toName(task), summary: draft.summaryOf(task) })) };
}
