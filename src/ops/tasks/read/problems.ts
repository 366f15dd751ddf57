import { findDeadlocks } from '../../../graph/tasks/deadlock.ts';
import type { TaskProject } from '../../../graph/tasks/task.ts';
import type { NotePath } from '../../../note/path.ts';
import type { OperationContext } from '../../operation.ts';
import type { Draft } from '../change/draft.ts';
import { tasksOf } from './find-task.ts';
import { clip } from './within-budget.ts';

const MAX_NAMED = 4;

/** What is wrong with the graph of a project, in sentences: tasks that wait for one another, and links that lead to no task. */
export function findProblems(context: OperationContext, project: TaskProject): readonly string[] {
  const tasks = tasksOf(context.vault);
  const name = (summary: string): string => `"${clip(summary, 40)}"`;
  const deadlocks = findDeadlocks(project.tasks, (path) => tasks.get(path)).map((group) => {
    const names = group.slice(0, MAX_NAMED).map((task) => name(task.note.summary));
    const more = group.length > names.length ? ` and ${group.length - names.length} more` : '';
    return `${names.join(', ')}${more} ${group.length === 1 ? 'waits for itself' : 'wait for one another'}.`;
  });
  const missing: string[] = [];
  for (const task of project.tasks) {
    if (task.note.isResolved || task.openDependencies === 0) continue;
    for (const { path, text } of task.dependencies) {
      if (path === null || tasks.get(path) === null) missing.push(`${name(task.note.summary)} waits for [[${text}]], which is no task.`);
    }
  }
  return [...deadlocks, ...missing.sort()];
}

/** A task, made or to be made. */
interface Named {
  readonly path: NotePath;
  readonly summary: string;
}

/** Warns of a task that is to wait for one above it, which waits for its children. */
export function warnOfDeadlock(draft: Draft, task: Named, target: Named): void {
  if (!draft.ancestorsOf(task.path).includes(target.path)) return;
  draft.warn(`"${task.summary}" is below "${target.summary}" and now waits for it: neither can be worked on.`);
}
