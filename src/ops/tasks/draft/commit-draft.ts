import { currentTime, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { RouxError } from '../../../errors.ts';
import type { GraphView } from '../../../graph/view.ts';
import type { Plan } from '../../../vault/plan/plan.ts';
import { sharedClaimsOf } from '../../../vault/claims/shared-claims.ts';
import { tasksOf } from '../../../vault/task-graph.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { Author } from './draft-task.ts';
import { Draft } from './draft.ts';

/**
 * Runs a writing call: `make` changes the draft and returns the result, under the write lock and on the current state of every process. A
 * repeat with the same idempotency key returns the first result and writes nothing. Records the revisions that the tasks got.
 */
export async function commitDraft<Out>(context: OperationContext, operation: string, make: (draft: Draft) => Out): Promise<Out> {
  const { vault, writeOptions } = context;
  const { result, warnings, files, isReplay } = await vault.writes.write(writeMeta(context, operation), (graph) =>
    planDraft(vault, { graph, author: () => authorOf(context), isDryRun: writeOptions.dryRun === true }, make),
  );
  for (const warning of warnings) context.warn(warning);
  if (context.writeOptions.dryRun === true || isReplay === true) return result;
  for (const { path, rev, hash } of files) if (rev !== null && hash !== null) context.readLog?.tellRevision(path, { rev, hash });
  return result;
}

/** Each attempt but the last was overtaken by another worktree. */
const MAX_ATTEMPTS = 100;

/**
 * Makes a draft and plans its changes, under the write lock. Claims that are shared by worktrees, each with a lock of its own, are changed here:
 * if another one was faster, all is decided anew.
 */
export function planDraft<Out>(
  vault: Vault,
  { graph, author, isDryRun }: { readonly graph: GraphView; readonly author: () => Author; readonly isDryRun: boolean },
  make: (draft: Draft) => Out,
): Plan & { readonly result: Out } {
  const shared = sharedClaimsOf(vault);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    shared?.look();
    const draft = new Draft(tasksOf(vault), graph, author());
    const result = make(draft);
    const plan = { ...draft.toPlan(), result };
    if (shared === null || isDryRun || draft.claims.length === 0 || shared.replace(draft.claims, draft.author)) return plan;
  }
  throw new RouxError('LOCK_TIMEOUT', 'Other worktrees claim tasks at this moment; try again.', {}, { retryable: true });
}

/** Returns the author of the changes of a call. */
export function authorOf(context: OperationContext): Author {
  const { agent, connection = null, config } = context;
  return {
    agent,
    connection,
    at: currentTime(context),
    filenames: config.filenames,
    areClaimsShared: sharedClaimsOf(context.vault) !== null,
  };
}
