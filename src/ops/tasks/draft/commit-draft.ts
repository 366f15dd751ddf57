import { currentTime, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { errorMessage, RouxError } from '../../../errors.ts';
import type { Committed, Plan, WriteMeta } from '../../../vault/plan/plan.ts';
import { lookAtClaims, MAX_ATTEMPTS, sharedClaimsOf } from '../../../vault/claims/shared-claims.ts';
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
  const writing = { meta: writeMeta(context, operation), author: () => authorOf(context) };
  const { result, warnings, files, isReplay } = await writeDraft(vault, writing, make);
  for (const warning of warnings) context.warn(warning);
  if (writeOptions.dryRun === true || isReplay === true) return result;
  for (const { path, rev, hash } of files) if (rev !== null && hash !== null) context.readLog?.tellRevision(path, { rev, hash });
  return result;
}

/**
 * Commits a draft of tasks that come from another program, or only computes what would change. Returns the result with the batch, which
 * `undo` takes; null if nothing was written.
 */
export async function commitOrRehearse<Out>(
  context: OperationContext,
  { operation, isRehearsal }: { readonly operation: string; readonly isRehearsal: boolean },
  make: (draft: Draft) => Out,
): Promise<{ readonly result: Out; readonly batch: string | null }> {
  const { onDryRun: _, ...meta } = writeMeta(context, operation);
  const dryRun = isRehearsal || meta.dryRun === true;
  const writing = { meta: { ...meta, dryRun }, author: () => authorOf(context) };
  const { result, batch, warnings } = await writeDraft(context.vault, writing, make);
  for (const warning of warnings) context.warn(warning);
  return { result, batch: dryRun ? null : batch };
}

/** Who changes tasks, and how. */
interface Writing {
  readonly meta: WriteMeta;
  readonly author: () => Author;
}

/**
 * Makes a draft and writes its changes. Claims that are shared by worktrees, each with a lock of its own, are changed before the notes: if
 * another worktree was faster, all is decided anew. If the notes cannot be written, they are put back.
 */
export async function writeDraft<Out>(vault: Vault, { meta, author }: Writing, make: (draft: Draft) => Out): Promise<Committed<Out>> {
  let putBack: (() => void) | null = null;
  try {
    return await vault.writes.write(meta, (graph): Plan & { readonly result: Out } => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const shared = lookAtClaims(vault);
        const draft = new Draft(tasksOf(vault), graph, author());
        const result = make(draft);
        const plan = { ...draft.toPlan(), result };
        const { claims, settled } = draft;
        if (shared === null || meta.dryRun === true || claims.length + settled.length === 0) return plan;
        // Work that is done is recorded all the same where claims cannot be read.
        if (claims.length === 0 && shared.problem !== null) return plan;
        putBack = shared.replace({ claims, settled }, draft.author);
        if (putBack !== null) return plan;
      }
      throw new RouxError('LOCK_TIMEOUT', 'Other worktrees claim tasks at this moment; try again.', {}, { retryable: true });
    });
  } catch (error) {
    // What may still take effect has the claims that belong to it.
    if (error instanceof RouxError && error.code === 'UNKNOWN_OUTCOME') throw error;
    try {
      (putBack as (() => void) | null)?.();
    } catch (second) {
      // The caller has to know the first reason.
      vault.ports.log.warn(`Claims of a call that failed are not put back: ${errorMessage(second)}`);
    }
    throw error;
  }
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
