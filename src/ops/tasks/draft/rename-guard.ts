import { RouxError } from '../../../errors.ts';
import { projectOf } from '../../../graph/tasks/task-note.ts';
import type { GraphView } from '../../../graph/view.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import { isTaskNote } from '../../node-properties.ts';
import type { OperationContext } from '../../operation.ts';

/** Refuses to move a task out of the root folder of projects, where the task tools would not find it and what depends on it. */
export function checkTaskRenames(context: Pick<OperationContext, 'config'>, graph: GraphView, files: readonly FileChange[]): void {
  const { root } = context.config.tasks;
  for (const file of files) {
    const entry = file.kind === 'move' ? graph.get(file.from) : null;
    if (entry === null || file.kind !== 'move' || !isTaskNote(context, entry) || projectOf(file.to, root) !== null) continue;
    throw new RouxError(
      'INVALID_PARAMS',
      `${file.from} is a task: outside of ${root}/ the task tools would not find it. Move it with graph_restructure, or a whole project within ${root}/.`,
      { path: file.from },
    );
  }
}
