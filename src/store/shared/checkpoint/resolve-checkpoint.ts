import type { SharedCommit, SharedVault } from '../shared-vault.ts';
import type { Checkpoint } from './checkpoint.ts';

const PAGE = 200;

/**
 * The commit at which a folder stands: the one that it noted, or, where a crash came between a commit of what was edited there and its
 * note, that commit. Null when the store is not the one that it followed, as far as that can be told.
 */
export async function resolveCheckpoint(
  shared: SharedVault,
  standing: Checkpoint | null,
): Promise<Pick<Checkpoint, 'seq' | 'batch'> | SharedCommit | null> {
  if (standing?.vault !== shared.id || !(await isCommitOf(shared, standing))) return null;
  const { seq, batch, pushing } = standing;
  if (pushing === null) return { seq, batch };
  for (let after = seq; ;) {
    const commits = (await shared.commitsAfter(after, PAGE)) ?? [];
    const pushed = commits.find((commit) => commit.batch === pushing);
    if (pushed !== undefined) return pushed;
    const last = commits.at(-1);
    if (last === undefined || commits.length < PAGE) return { seq, batch };
    after = last.seq;
  }
}

/** The commits after one up to another; null where the store has not got all of them any more. */
export async function listCommitsBetween(shared: SharedVault, seq: number, last: number): Promise<readonly SharedCommit[] | null> {
  const commits: SharedCommit[] = [];
  for (let after = seq; after < last; after = commits.at(-1)?.seq ?? last) {
    const page = await shared.commitsAfter(after, PAGE);
    if (page === null || page.length === 0) return null;
    commits.push(...page.filter((commit) => commit.seq <= last));
  }
  return commits;
}

/** The id of the commit with a number; null where there is none, or none any more. */
export async function batchAt(shared: SharedVault, seq: number): Promise<string | null> {
  const [commit] = seq === 0 ? [] : ((await shared.commitsAfter(seq - 1, 1)) ?? []);
  return commit?.seq === seq ? commit.batch : null;
}

/** Whether the store has the commit at which a folder stands, as far as that can be told. */
async function isCommitOf(shared: SharedVault, { seq, batch }: Checkpoint): Promise<boolean> {
  if ((await shared.head()) < seq) return false;
  const there = batch === null ? null : await batchAt(shared, seq);
  return there === null || there === batch;
}
