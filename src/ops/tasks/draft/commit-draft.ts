import type { GraphView } from '../../../graph/view.ts';
import { currentTime, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { tasksOf } from '../../../vault/task-graph.ts';
import { Draft } from './draft.ts';

/**
 * Runs a writing call: `make` changes the draft and returns the result, under the write lock and on the current state of every process. A
 * repeat with the same idempotency key returns the first result and writes nothing.
 */
export async function commitDraft<Out>(context: OperationContext, operation: string, make: (draft: Draft) => Out): Promise<Out> {
  const { vault } = context;
  let made: { readonly draft: Draft; readonly result: Out } | null = null;
  const committed = await vault.writes.write(writeMeta(context, operation), (graph: GraphView) => {
    const author = { agent: context.agent, at: currentTime(context), filenames: context.config.filenames };
    const draft = new Draft(tasksOf(vault), graph, author);
    const result = make(draft);
    made = { draft, result };
    return { ...draft.toPlan(), result };
  });
  const { draft, result } = (made ?? { draft: null, result: committed.result }) as { draft: Draft | null; result: Out };
  for (const warning of [...(draft?.warnings ?? []), ...committed.warnings]) context.warn(warning);
  return result;
}
