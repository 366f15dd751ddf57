import { errorMessage, RouxError } from '../../errors.ts';
import type { Ports } from '../../ports.ts';
import type { Done } from '../store.ts';
import type { Planned } from '../transaction/transact.ts';
import { commitPlan } from './commit-plan.ts';
import type { Committed, WriteRequest } from './commit-plan.ts';
import { eventsOfPlan } from './local/outgoing.ts';
import type { Prefetch } from './prefetch.ts';
import type { Committer } from './push-edits.ts';
import type { SharedCommit } from './shared-vault.ts';
import type { SyncSession } from './sync-session.ts';

/** What a write needs beside its session. */
export interface WriteContext {
  readonly committer: Committer;
  readonly prefetch: Prefetch;
  readonly log: Ports['log'];
  /** The write is in the store, and not in the folder yet. */
  readonly onDelayed: () => void;
}

/** Commits a write to the store, then carries it out in the folder. */
export async function writeThrough(session: SyncSession, request: WriteRequest, context: WriteContext): Promise<Done> {
  const { shared, held } = session;
  if (shared.isReadOnly) throw new RouxError('READ_ONLY', 'The role with which the store was opened may only read.');
  const endPrefetch = context.prefetch.start(session);
  let committed: Committed;
  try {
    committed = await shared.commitUnderLock(
      async (locked) => {
        await endPrefetch();
        return commitPlan(session, locked, { ...request, committer: context.committer });
      },
      { signal: held.signal },
    );
  } finally {
    await endPrefetch();
  }
  if (committed.kind === 'repeated') return committed;
  const { planned, pushed, commit, seq } = committed;
  if (pushed.length > 0) await session.confirmPush(pushed, commit === null ? seq : seq - 1);
  if (commit === null) return held.carryOut(planned);
  try {
    const done = await held.carryOut(planned);
    await session.confirmCommit(commit, planned, done);
    return done;
  } catch (error) {
    return applyAfterFailure(session, { planned, commit, error, context });
  }
}

/** Applies a commit that the folder refused as those of others are applied: what a user saved in between is merged. It does not fail, as the write has happened. */
async function applyAfterFailure(
  session: SyncSession,
  how: { readonly planned: Planned; readonly commit: SharedCommit; readonly error: unknown; readonly context: WriteContext },
): Promise<Done> {
  const { planned, commit, error, context } = how;
  const { blocked } = session.copy;
  const warnings: string[] = [];
  let paths: readonly string[] = [];
  try {
    paths = await session.apply([commit]);
    if (commit.changes.some(({ path }) => blocked.isBlocked(path)))
      warnings.push(`This is in the store, and not all of it in the folder of this machine: ${blocked.message}`);
  } catch (again) {
    context.log.warn(`Commit ${commit.seq} is in the store and not in the folder yet: ${errorMessage(error)}; ${errorMessage(again)}`);
    warnings.push('This is in the store, and the folder of this machine gets it later: it could not be written now.');
    context.onDelayed();
  }
  const hashes = commit.changes.map(({ hash }) => hash);
  const { seq } = session.now;
  const events = eventsOfPlan(planned, seq + 1);
  return { kind: 'done', batch: planned.id, seq, events, hashes, staged: hashes.map(() => null), paths, warnings };
}
