import { findDeadlocks } from '../../../graph/tasks/deadlock.ts';
import { tasksOf } from '../../../vault/task-graph.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { ToolsetFinding } from '../../operation.ts';
import { listSome } from '../../shorten.ts';

/** Finds cycles of open tasks, none of which can be completed. */
export function findTaskCycles(vault: Vault): readonly ToolsetFinding[] {
  const tasks = tasksOf(vault);
  const all = tasks.projects().flatMap((project) => [...project.tasks]);
  return findDeadlocks(all, (path) => tasks.get(path)).map((group): ToolsetFinding => {
    const paths = group.map(({ note }) => note.path);
    const what = group.length === 1 ? 'waits for itself' : 'wait for one another';
    return { kind: 'task-cycle', paths, message: `${listSome(paths)} ${what}; take one dependency or parent away` };
  });
}
