import { RouxError } from '../../errors.ts';
import type { Done, Now, Prepared, TransactionMeta } from '../store.ts';
import { pathsOf } from '../transaction/intent.ts';
import type { Planned } from '../transaction/transact.ts';
import { eventsOfPlan, planToChanges } from './local/outgoing.ts';
import { pushEdits, pushLateEdits } from './push-edits.ts';
import type { Committer } from './push-edits.ts';
import type { CommitHead, SharedCommit, LockedVault } from './shared-vault.ts';
import type { SyncSession } from './sync-session.ts';

/** What was committed under the lock of the vault. */
export type Committed =
  | Extract<Done, { kind: 'repeated' }>
  | {
      readonly kind: 'committed';
      readonly planned: Planned;
      /** The commits of local changes before it. */
      readonly pushed: readonly CommitHead[];
      /** Null for a plan that changes nothing. */
      readonly commit: SharedCommit | null;
      /** The last commit of the store. */
      readonly seq: number;
    };

/** A requested write. */
export interface WriteRequest {
  readonly meta: TransactionMeta;
  readonly prepare: (now: Now) => Promise<Prepared>;
}

/** Commits a write under the lock of the vault: pulls, pushes local changes, and makes the plan on the result. */
export async function commitPlan(
  session: SyncSession,
  locked: LockedVault,
  { meta, prepare, committer }: WriteRequest & { readonly committer: Committer },
): Promise<Committed> {
  await session.pull(locked);
  const edits = await pushEdits(session, locked, committer);
  const { idempotencyKey: key, payloadHash = '' } = meta;
  const first = key === undefined ? null : await locked.findKey(key);
  if (first !== null && first.payloadHash !== payloadHash) {
    const message = `The idempotency key ${JSON.stringify(key)} was used for another request; use a new key.`;
    throw new RouxError('IDEMPOTENCY_MISMATCH', message, { idempotency_key: key });
  }
  // The edits that were pushed under this lock are found again by the next sync.
  if (first !== null) return { kind: 'repeated', answer: first.answer };
  const { now } = session;
  const planned = await session.held.plan(meta, now, prepare);
  if (planned.kind === 'repeated') return planned;
  for (const { step } of planned.steps) for (const path of pathsOf(step)) checkNotBlocked(session, path);
  if (planned.steps.length === 0) return { kind: 'committed', planned, pushed: edits, commit: null, seq: locked.seq };
  const pushed = [...edits, ...(await pushLateEdits(session, locked, { planned, pushed: edits, committer }))];
  const { id, at } = planned;
  const { operation, agent } = meta;
  const { changes, blobs } = planToChanges(planned);
  const commit = { batch: id, at, operation, agent, machine: committer.machine, changes, blobs };
  const answer = (): unknown => planned.prepared.answer?.({ batch: id, events: eventsOfPlan(planned, now.seq + 1) }) ?? null;
  const seq = await locked.append({ ...commit, ...(key === undefined ? {} : { key: { key, payloadHash, answer: answer() } }) });
  return { kind: 'committed', planned, pushed, commit: { ...commit, seq }, seq };
}

/** Throws `CONFLICT` for a path that is blocked: a plan made on the old file would undo what others made of it. */
function checkNotBlocked({ copy: { blocked } }: SyncSession, path: string): void {
  if (!blocked.isBlocked(path)) return;
  const message = `${path} cannot be written on this machine now: the store's version of it could not be applied to the folder (${blocked.reasonFor(path)}). Fix that; roux then tries again.`;
  throw new RouxError('CONFLICT', message, { path });
}
