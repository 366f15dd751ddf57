import { DEPENDS_ON } from '../../../graph/tasks/task-note.ts';
import type { NotePath } from '../../../note/path.ts';
import { findPath } from '../view/cycles.ts';
import type { DraftTask } from './draft-task.ts';
import type { Draft } from './draft.ts';

/** Returns false if the task cannot be there: it is a root, or would be below itself. */
export function moveBelow(draft: Draft, task: DraftTask, parent: NotePath): boolean {
  if (task.task?.isRoot === true || [parent, ...draft.namedAbove(parent)].includes(task.path)) return false;
  if (task.hangsBelow(parent)) return true;
  draft.setParent(task, parent);
  task.act('moved');
  return true;
}

/** Lets a task wait for another one. Returns false for a dependency that the task graph cannot have: in another project, or in a circle. */
export function connectDrafts(draft: Draft, task: DraftTask, target: DraftTask): boolean {
  if (target.project !== task.project || target === task) return false;
  if (task.hasEdge(DEPENDS_ON, target.path)) return true;
  const steps = (path: string): readonly NotePath[] => draft.dependenciesOf(path);
  if (findPath({ from: target.path, to: task.path, steps }) !== null) return false;
  draft.warnOfDeadlock(task, target);
  return draft.connect(task, DEPENDS_ON, target.path);
}
