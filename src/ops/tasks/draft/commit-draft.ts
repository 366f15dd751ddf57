import { currentTime, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { tasksOf } from '../../../vault/task-graph.ts';
import type { Author } from './draft-task.ts';
import { Draft } from './draft.ts';

/**
 * Runs a writing call: `make` changes the draft and returns the result, under the write lock and on the current state of every process. A
 * repeat with the same idempotency key returns the first result and writes nothing. Records the revisions that the tasks got.
 */
export async function commitDraft<Out>(context: OperationContext, operation: string, make: (draft: Draft) => Out): Promise<Out> {
  const { vault } = context;
  const { result, warnings, files, isReplay } = await vault.writes.write(writeMeta(context, operation), (graph) => {
    const draft = new Draft(tasksOf(vault), graph, authorOf(context));
    const result = make(draft);
    return { ...draft.toPlan(), result };
  });
  for (const warning of warnings) context.warn(warning);
  if (context.writeOptions.dryRun === true || isReplay === true) return result;
  for (const { path, rev, hash } of files) if (rev !== null && hash !== null) context.readLog?.tellRevision(path, { rev, hash });
  return result;
}

/** Returns the author of the changes of a call. */
export function authorOf(context: OperationContext): Author {
  const { agent, connection = null, config } = context;
  return { agent, connection, at: currentTime(context), filenames: config.filenames };
}
