import type { SharedCommit, SharedVault } from '../shared-vault.ts';
import type { Checkpoint } from './checkpoint.ts';

const PAGE = 200;

/**
 * Returns the commit that a folder is at: that of its checkpoint or, if a crash came between a push and its checkpoint, the pushed commit. Null
 * if the store does not seem to be the one that the folder followed.
 */
export async function resolveCheckpoint(
  shared: SharedVault,
  checkpoint: Checkpoint | null,
): Promise<Pick<Checkpoint, 'seq' | 'batch'> | SharedCommit | null> {
  if (checkpoint?.vault !== shared.id || !(await hasCommit(shared, checkpoint))) return null;
  const { seq, batch, pushing } = checkpoint;
  if (pushing === null) return { seq, batch };
  for (let after = seq; ;) {
    const commits = (await shared.feed.commitsAfter(after, PAGE)) ?? [];
    const pushed = commits.find((commit) => commit.batch === pushing);
    if (pushed !== undefined) return pushed;
    const last = commits.at(-1);
    if (last === undefined || commits.length < PAGE) return { seq, batch };
    after = last.seq;
  }
}

/** Lists the commits after `seq` up to `last`; null if the store no longer has all of them. */
export async function listCommitsBetween(shared: SharedVault, seq: number, last: number): Promise<readonly SharedCommit[] | null> {
  const commits: SharedCommit[] = [];
  for (let after = seq; after < last; after = commits.at(-1)?.seq ?? last) {
    const page = await shared.feed.commitsAfter(after, PAGE);
    if (page === null || page.length === 0) return null;
    commits.push(...page.filter((commit) => commit.seq <= last));
  }
  return commits;
}

/** Returns the id of a commit; null if the store does not have it, or no longer has it. */
export async function batchAt(shared: SharedVault, seq: number): Promise<string | null> {
  const [commit] = seq === 0 ? [] : ((await shared.feed.commitsAfter(seq - 1, 1)) ?? []);
  return commit?.seq === seq ? commit.batch : null;
}

/** Whether the store has the commit of a checkpoint, as far as it still knows. */
async function hasCommit(shared: SharedVault, { seq, batch }: Checkpoint): Promise<boolean> {
  if ((await shared.feed.head()) < seq) return false;
  const there = batch === null ? null : await batchAt(shared, seq);
  return there === null || there === batch;
}
