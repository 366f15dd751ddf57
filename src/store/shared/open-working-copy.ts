import { foldersAbove } from '../../note/path.ts';
import { isoNow } from '../../ports.ts';
import { isSameState } from '../folder/file-system.ts';
import type { FileState } from '../folder/file-system.ts';
import type { Entered, HeldStore, Planned } from '../transaction/transact.ts';
import { eventsOfCommit, toPart, groupIndependentCommits } from './incoming/commit-groups.ts';
import { diffListing } from './incoming/diff-listing.ts';
import { createLocalChanges } from './local/local-changes.ts';
import { fetchContentsFrom } from './local/contents-in.ts';
import { findLocalMoves } from './local/find-local-moves.ts';
import { createBlockedChanges } from './incoming/blocked-changes.ts';
import { hashesAfter, squashCommits } from './incoming/squash-commits.ts';
import { checkBlockedCount, createApply } from './incoming/apply-changes.ts';
import type { Applied } from './incoming/apply-changes.ts';
import { asUnrestored, describeRestored, planRestore } from './local/missing-files.ts';
import { recordStaged } from './local/record-staged.ts';
import type { StagedFiles } from './local/record-staged.ts';
import { listUnrecordedEvents, trackRecordedCommits, RECENT_BYTES } from './incoming/recorded-commits.ts';
import { findCaseCollision } from './incoming/find-case-collision.ts';
import { hashesBefore } from './incoming/blocked-change.ts';
import type { BlockedChange } from './incoming/blocked-change.ts';
import type { SharedChange, SharedCommit, SharedVault } from './shared-vault.ts';
import { checkFollows, trackFolderIdentity } from './checkpoint/folder-identity.ts';
import { belongsToCopy, FOREIGN_CHECKPOINT, readCheckpoint, CHECKPOINT_PATH, writeCheckpoint } from './checkpoint/checkpoint.ts';
import type { Checkpoint } from './checkpoint/checkpoint.ts';
import { batchAt, listCommitsBetween, resolveCheckpoint } from './checkpoint/resolve-checkpoint.ts';
import type { WorkingCopy, WorkingCopyOptions } from './working-copy.ts';

/** With more commits to take in at once, what lies in between is not put in place, and they are not told from each other by undo. */
const MAX_DIVERGED = 20;
const PAGE = 200;

/** The working copy in a folder. */
export function openWorkingCopy({
  files,
  ports,
  merge,
  statCache: kept,
  idOf,
  copy,
  lastEvents,
  onTaken,
}: WorkingCopyOptions): WorkingCopy {
  const toldLeft = new Set<string>();
  const edits = createLocalChanges(files, {
    idOf,
    maxBytes: () => maxFileBytes,
    onSkipped(path, why) {
      if ([path, ...foldersAbove(path)].some((each) => toldLeft.has(each))) return;
      toldLeft.add(path);
      onTaken([], [`${path} is not shared: ${why}`]);
    },
  });
  /** As the store has it that was reached last. */
  let maxFileBytes = Infinity;
  let seq: number | null = null;
  /** The id of the commit at which the folder stands, as far as it is known. */
  let standingAt: string | null = null;
  /** The state of the mark as this process left it; another one is another process's. */
  let noted: FileState | null = null;
  const recorded = trackRecordedCommits(() => lastEvents());
  const place = trackFolderIdentity(files);
  const leftOut = createBlockedChanges();

  const placed = (planned: Planned, done: StagedFiles): void => recordStaged(edits, planned, done);
  const putInPlace = createApply({
    now: () => isoNow(ports.clock),
    newId: () => ports.newId(),
    moves: () => edits.moves,
    findLocalMoves: noteMoved,
    async willMove(shared, moves) {
      edits.rememberMoves(moves);
      await note(shared, null);
    },
    findCaseCollision: (path) => (edits.mayCollide(path) ? findCaseCollision(files, path) : null),
    mayCollide: (path) => edits.mayCollide(path),
    merge,
    onStaged: placed,
    onApplied: onTaken,
  });

  async function note(shared: SharedVault, pushing: string | null): Promise<void> {
    if (seq === null) return;
    // Somebody took it away meanwhile: it is not made anew.
    if (noted !== null && files.hint(CHECKPOINT_PATH) === null) checkFollows(null, shared.id);
    await writeCheckpoint(files, { vault: shared.id, seq, batch: standingAt, pushing, copy, unplaced: leftOut.changes, moved: movedNow() });
    noted = files.hint(CHECKPOINT_PATH);
  }

  /** What was moved here and is a file of the store under its former name. */
  const movedNow = (): Checkpoint['moved'] => [...edits.moves].flatMap(([to, from]) => (edits.base.has(from) ? [{ from, to }] : []));
  const rememberMoved = (moved: Checkpoint['moved']): void => edits.rememberMoves(new Map(moved.map(({ from, to }) => [to, from])));

  /** The store has these changes, and they are in the folder. */
  function settle(changes: readonly SharedChange[]): void {
    edits.settle(hashesAfter(changes));
    edits.forgetMoves(changes);
  }

  async function stand(shared: SharedVault, next: number, batch: string | null): Promise<void> {
    [seq, standingAt] = [next, batch];
    await note(shared, null);
    shared.standAt(next);
  }

  /**
   * Another process of this machine may have brought the folder further than this one knows: its commits are in place and recorded, and
   * what a person has made of the files since is an edit of those, not of what they were before. Gives the paths that it wrote.
   */
  async function catchUp(shared: SharedVault): Promise<readonly string[]> {
    const state = files.hint(CHECKPOINT_PATH);
    if (seq === null || (state !== null && noted !== null && isSameState(state, noted))) return [];
    const mark = readCheckpoint(files);
    if (mark !== null || state === null) checkFollows(mark, shared.id);
    noted = state;
    // What came from elsewhere says nothing of these files.
    if (mark === null || !belongsToCopy(mark, { vault: shared.id, copy })) {
      await note(shared, null);
      return [];
    }
    const isFurther = mark.seq > seq || mark.pushing !== null;
    const isOtherwise = mark.seq === seq && JSON.stringify(mark.unplaced) !== JSON.stringify(leftOut.changes);
    if (!isFurther && !isOtherwise) return [];
    const found = await resolveCheckpoint(shared, mark);
    if (found === null || found.seq < seq || (found.seq === seq && !isOtherwise)) return [];
    const commits = found.seq === seq ? [] : await listCommitsBetween(shared, seq, found.seq);
    if (commits === null) return [];
    const changes = sinceThen(commits);
    settle(changes);
    rememberMoved(mark.moved);
    leaveOut(mark.unplaced);
    await stand(shared, found.seq, found.batch);
    return changes.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath]));
  }

  /** What commits come to for this folder, with what it was left without before them. */
  const sinceThen = (commits: readonly SharedCommit[]): readonly SharedChange[] => {
    const before = leftOut.changes.map((change) => ({ ...change, event: [] }));
    return squashCommits(before.length === 0 ? commits : [{ changes: before }, ...commits]);
  };

  /** The folder is without these changes from now on, and their files are what they were. `left`: those that were tried just now. */
  function leaveOut(changes: readonly BlockedChange[], left: Applied['blocked'] = []): void {
    const isMore = left.some(({ change }) => !leftOut.isBlocked(change.path));
    leftOut.set([...changes, ...left.map(({ change }) => change)], left);
    edits.settle(hashesBefore(leftOut.changes));
    if (isMore && leftOut.message !== null) onTaken([], [leftOut.message]);
  }

  /** Finds what somebody moved here, as far as changes of the store are about it, and notes it. */
  async function noteMoved(held: HeldStore, shared: SharedVault, changes: readonly SharedChange[]): Promise<void> {
    if (await findLocalMoves({ edits, files, held, shared }, changes)) await note(shared, null);
  }

  async function takeIn(
    held: HeldStore,
    now: Entered,
    shared: SharedVault,
    { commits, isRetry = false }: { readonly commits: readonly SharedCommit[]; readonly isRetry?: boolean },
  ): Promise<readonly string[]> {
    const last = commits.at(-1);
    const known = recorded.asOf(now);
    const all = sinceThen(commits);
    const stuck = leftOut.selectBlocked(all, { isRetry });
    const isStuck = new Set(stuck);
    const changes = stuck.length === 0 ? all : all.filter((change) => !isStuck.has(change));
    const isOne = commits.length === 1;
    await noteMoved(held, shared, changes);
    // The events of several are told as they were made; those of one go with the files, if it comes whole.
    const isTold = isOne && stuck.length === 0 && last !== undefined && !known.has(last.batch);
    const {
      paths,
      isRecorded,
      blocked: left,
    } = await putInPlace(held, now, shared, {
      changes: isTold ? changes : changes.map((change) => ({ ...change, event: [] })),
      head: isOne && last !== undefined ? { id: last.batch, at: last.at, operation: last.operation, agent: last.agent } : null,
      base: edits.base,
      parts: isOne || commits.length > MAX_DIVERGED ? [] : commits.map(toPart),
    });
    checkBlockedCount(stuck.length, left);
    if (!isTold || !isRecorded) await held.recordAs(commits.filter(({ batch }) => !known.has(batch)).flatMap(eventsOfCommit));
    settle(changes);
    leaveOut(stuck, left);
    await stand(shared, last?.seq ?? seq ?? 0, last?.batch ?? standingAt);
    return paths;
  }

  /**
   * Takes in what the store has, without the commits that led there. `base`: the hash by path of what the files were; of one of which
   * nothing is known, what differs is kept beside what the store has.
   */
  async function adopt(
    held: HeldStore,
    now: Entered,
    shared: SharedVault,
    base: ReadonlyMap<string, string> = new Map(),
  ): Promise<readonly string[]> {
    const listing = await shared.listing();
    const { paths, blocked: left } = await putInPlace(held, now, shared, { changes: diffListing(base, listing), head: null, base });
    checkBlockedCount(0, left);
    edits.rebase(new Map(listing.files.map(({ path, hash }) => [path, hash])));
    leaveOut([], left);
    await stand(shared, listing.seq, await batchAt(shared, listing.seq));
    return paths;
  }

  return {
    edits,
    get seq() {
      return seq;
    },
    async begin(held, now, shared) {
      ({ maxFileBytes } = shared);
      if (seq !== null && !place.isReplaced) return;
      const read = place.remember(shared.id);
      // Nothing that was known of a former folder says what was edited in this one.
      seq = null;
      const mark = read !== null && belongsToCopy(read, { vault: shared.id, copy }) ? read : null;
      if (mark === null && read?.vault === shared.id) onTaken([], [FOREIGN_CHECKPOINT]);
      const found = await resolveCheckpoint(shared, mark);
      const known = found && (await kept.load(shared, found));
      const base = known?.base ?? (found && (await shared.filesAt(found.seq)));
      if (found === null || base === null) return adopt(held, now, shared).then(() => undefined);
      if ('changes' in found && !recorded.asOf(now).has(found.batch ?? '')) await held.recordAs(eventsOfCommit(found));
      edits.rebase(base, known?.seen);
      rememberMoved(mark?.moved ?? []);
      leaveOut(mark?.unplaced ?? []);
      if (leftOut.message !== null) onTaken([], [leftOut.message]);
      // Whoever removed them while nobody looked, a person, a backup or a lost disk: none of that is told, so none of it is a deletion.
      const missing = planRestore((await edits.find(held.read, fetchContentsFrom(shared))).filter(({ path }) => !leftOut.isBlocked(path)));
      if (missing.length > 0) {
        const { blocked: left } = await putInPlace(held, now, shared, { changes: missing, head: null, base: new Map() });
        checkBlockedCount(leftOut.changes.length, left);
        leaveOut(leftOut.changes, left.map(asUnrestored));
        onTaken([], describeRestored(missing.filter(({ path }) => !leftOut.isBlocked(path))));
      }
      await stand(shared, found.seq, found.batch ?? (await batchAt(shared, found.seq)));
    },
    async pull(held, now, from, shared) {
      const paths = [...(await catchUp(shared))];
      while (seq !== null) {
        if ('seq' in from && from.seq === seq) break;
        const commits: readonly SharedCommit[] | null = await from.commitsAfter(seq, PAGE, { withContents: true });
        if (commits === null) {
          paths.push(...(await adopt(held, now, shared, edits.base)));
          continue;
        }
        const groups = commits.length > MAX_DIVERGED ? [commits] : groupIndependentCommits(commits);
        for (const group of groups) paths.push(...(await takeIn(held, now, shared, { commits: group })));
        if (commits.length < PAGE) break;
      }
      return paths;
    },
    async compareAnew(held, now, shared) {
      if (seq !== null && (await shared.head()) < seq) await adopt(held, now, shared);
    },
    async findEdits(held, shared) {
      const found = await edits.find(held.read, fetchContentsFrom(shared));
      place.check();
      return leftOut.withoutBlocked(found);
    },
    leftOut,
    async tryAgain(held, now, shared) {
      const paths: string[] = [];
      let isFewer = leftOut.isRetryDue;
      while (isFewer) {
        const before = leftOut.changes.length;
        paths.push(...(await takeIn(held, now, shared, { commits: [], isRetry: true })));
        isFewer = leftOut.changes.length > 0 && leftOut.changes.length < before;
      }
      return paths;
    },
    willPush: note,
    contentsBefore: (shared, found) => fetchContentsFrom(shared)([...new Set(found.flatMap(({ before }) => before ?? []))]),
    async hasPushed(held, shared, { seq: next, pushed }) {
      for (const commit of pushed) await held.recordAs(listUnrecordedEvents(commit, lastEvents(RECENT_BYTES)));
      settle(pushed.flatMap(({ changes }) => changes));
      recorded.markCertain();
      await stand(shared, next, null);
    },
    placed,
    async keep(shared, how) {
      // What is kept is what the store has: that can be told of all files or of none.
      if (seq !== null && leftOut.changes.length === 0) await kept.save(edits, shared, { seq, batch: standingAt }, how);
    },
    async standAt(shared, { seq: next, batch }, changes) {
      settle(changes);
      recorded.markCertain();
      await stand(shared, next, batch);
    },
    takeIn: (held, now, shared, commit) => takeIn(held, now, shared, { commits: [commit] }),
  };
}
