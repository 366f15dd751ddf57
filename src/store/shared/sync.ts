import { pushEdits } from './push-edits.ts';
import type { Committer } from './push-edits.ts';
import type { SyncSession } from './sync-session.ts';

/** Larger contents are uploaded before the row of the vault is taken. */
const LARGE_BYTES = 256 * 1024;

/**
 * Syncs a working copy that was pulled: applies what was blocked, and pushes local changes if `isPushing`. `hasAdvanced`: the pull has
 * applied commits.
 */
export async function sync(
  session: SyncSession,
  how: { readonly isPushing: boolean; readonly hasAdvanced: boolean; readonly committer: Committer; readonly signal: AbortSignal },
): Promise<void> {
  const { shared, copy } = session;
  const { committer, signal } = how;
  if (!how.hasAdvanced) await session.resetIfRestored();
  await session.retryBlocked();
  if (!how.isPushing || shared.isReadOnly || !committer.mayPush() || !copy.local.isDirty) return;
  const found = await session.findEdits();
  if (found.length === 0) return;
  const large = found.flatMap(({ file }) => (file !== null && file.bytes.length > LARGE_BYTES ? [file] : []));
  if (large.length > 0) await shared.upload(large, signal);
  const { pushed, seq } = await shared.decide(
    async (turn) => {
      await session.pull(turn);
      const commits = await pushEdits(session, turn, committer);
      return { pushed: commits, seq: turn.seq };
    },
    { signal },
  );
  if (pushed.length > 0) await session.confirmPush(pushed, seq);
}
