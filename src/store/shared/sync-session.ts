import type { Edit } from '../pair-moves.ts';
import type { Done } from '../store.ts';
import type { Entered, HeldStore, Planned } from '../transaction/transact.ts';
import { belongsToCopy, FOREIGN_CHECKPOINT } from './checkpoint/checkpoint.ts';
import type { Checkpoint } from './checkpoint/checkpoint.ts';
import { batchAt, listCommitsBetween, resolveCheckpoint } from './checkpoint/resolve-checkpoint.ts';
import { applyChanges, checkBlockedCount } from './incoming/apply-changes.ts';
import type { Applied, ApplyContext } from './incoming/apply-changes.ts';
import { hashesBefore } from './incoming/blocked-change.ts';
import type { BlockedChange } from './incoming/blocked-change.ts';
import { eventsOfCommit, groupIndependentCommits, toPart } from './incoming/commit-groups.ts';
import { diffListing } from './incoming/diff-listing.ts';
import { listUnrecordedEvents, RECENT_BYTES } from './incoming/recorded-commits.ts';
import { hashesAfter, squashCommits } from './incoming/squash-commits.ts';
import { fetchContentsFrom } from './local/contents-in.ts';
import { findLocalMoves } from './local/find-local-moves.ts';
import { asUnrestored, describeRestored, planRestore } from './local/missing-files.ts';
import { recordStaged } from './local/record-staged.ts';
import type { CommitHead, SharedChange, SharedCommit, SharedVault, LockedVault } from './shared-vault.ts';
import type { WorkingCopy } from './working-copy.ts';

/** More commits than this are applied as one, so that undo does not tell them apart. */
const MAX_SEPARATE_COMMITS = 20;
const PAGE = 200;

/**
 * One sync of a working copy with its store, made once the writer lock of this machine is held. What the store has committed is final: a
 * session only writes it to the folder, and may write it twice.
 */
export class SyncSession {
  readonly copy: WorkingCopy;
  readonly held: HeldStore;
  readonly shared: SharedVault;
  readonly #entered: Entered;
  readonly #applying: ApplyContext;
  readonly #pulled: string[] = [];

  constructor(copy: WorkingCopy, held: HeldStore, entered: Entered, shared: SharedVault) {
    [this.copy, this.held, this.#entered, this.shared] = [copy, held, entered, shared];
    this.#applying = {
      ...copy.hooks,
      held,
      now: entered,
      shared,
      findLocalMoves: (changes) => this.#findLocalMoves(changes),
      willMove: async (moves) => {
        copy.local.rememberMoves(moves);
        await copy.checkpoint.save(shared);
      },
    };
  }

  /** The state of the folder, with the paths that were pulled since the lock was taken. */
  get now(): Entered {
    const { externalChanges } = this.#entered;
    return { ...this.#entered, externalChanges: externalChanges === null ? null : [...externalChanges, ...this.#pulled] };
  }

  /**
   * Compares the folder with the store, unless that was done: finds what was edited while no process watched, and restores what is missing
   * (P-14).
   */
  async attach(): Promise<void> {
    const { copy, shared } = this;
    const { local, blocked, checkpoint, identity, onApplied } = copy;
    copy.setMaxFileBytes(shared.blobs.maxBytes);
    if (checkpoint.seq !== null && !identity.isReplaced) return;
    const read = identity.remember(shared.id);
    // What is known of a previous folder does not hold for this one.
    checkpoint.seq = null;
    const saved = read !== null && belongsToCopy(read, { vault: shared.id, copy: copy.copy }) ? read : null;
    if (saved === null && read?.vault === shared.id) onApplied([], [FOREIGN_CHECKPOINT]);
    const found = await resolveCheckpoint(shared, saved);
    const cached = found && (await copy.statCache.load(shared, found));
    const base = cached?.base ?? (found && (await shared.feed.filesAt(found.seq)));
    if (found === null || base === null) {
      await this.#reset(new Map());
      return;
    }
    await this.#recordPushed(found);
    local.rebase(base, cached?.seen);
    this.#restore(saved);
    if (blocked.message !== null) onApplied([], [blocked.message]);
    await this.#restoreMissing();
    await checkpoint.advance(shared, found.seq, found.batch ?? (await batchAt(shared, found.seq)));
  }

  /** Applies what others committed. `locked`: reads the commits under the lock of the vault. Returns the paths that were written. */
  async pull(locked?: LockedVault): Promise<readonly string[]> {
    const { checkpoint, local } = this.copy;
    const paths = [...(await this.#catchUp())];
    while (checkpoint.seq !== null && locked?.seq !== checkpoint.seq) {
      const commits: readonly SharedCommit[] | null = await (locked ?? this.shared.feed).commitsAfter(checkpoint.seq, PAGE, {
        withContents: true,
      });
      if (commits === null) {
        for (const each of await this.#reset(local.base)) paths.push(each);
        continue;
      }
      const groups = commits.length > MAX_SEPARATE_COMMITS ? [commits] : groupIndependentCommits(commits);
      for (const group of groups) for (const each of await this.apply(group)) paths.push(each);
      if (commits.length < PAGE) break;
    }
    for (const each of paths) this.#pulled.push(each);
    return paths;
  }

  /** Applies commits to the folder, and blocked changes too if `isRetry`. Returns the paths that were written. */
  async apply(commits: readonly SharedCommit[], { isRetry = false }: { readonly isRetry?: boolean } = {}): Promise<readonly string[]> {
    const { held, copy } = this;
    const { local, blocked, checkpoint } = copy;
    const last = commits.at(-1);
    const known = copy.recorded.asOf(this.#entered);
    const all = this.#squash(commits);
    const skipped = blocked.selectBlocked(all, { isRetry });
    const isSkipped = new Set(skipped);
    const changes = skipped.length === 0 ? all : all.filter((change) => !isSkipped.has(change));
    const only = commits.length === 1 ? last : undefined;
    await this.#findLocalMoves(changes);
    // Events of one complete commit are recorded together with its files; those of several commits are recorded commit by commit.
    const isRecordedWithFiles = only !== undefined && skipped.length === 0 && !known.has(only.batch);
    const applied = await applyChanges(this.#applying, {
      changes: isRecordedWithFiles ? changes : changes.map((change) => ({ ...change, event: [] })),
      head: only === undefined ? null : { id: only.batch, at: only.at, operation: only.operation, agent: only.agent },
      base: local.base,
      parts: only !== undefined || commits.length > MAX_SEPARATE_COMMITS ? [] : commits.map(toPart),
    });
    checkBlockedCount(skipped.length, applied.blocked);
    if (!isRecordedWithFiles || !applied.isRecorded)
      await held.recordAs(commits.filter(({ batch }) => !known.has(batch)).flatMap(eventsOfCommit));
    this.#settle(changes);
    this.#block(skipped, applied.blocked);
    await checkpoint.advance(this.shared, last?.seq ?? checkpoint.seq ?? 0, last?.batch ?? checkpoint.batch);
    return applied.paths;
  }

  /** Compares the folder with all files of the store if that was restored to an earlier moment, so that it has fewer commits. */
  async resetIfRestored(): Promise<void> {
    const { seq } = this.copy.checkpoint;
    if (seq !== null && (await this.shared.feed.head()) < seq) await this.#reset(new Map());
  }

  /** Applies blocked changes again, if it is time for it. */
  async retryBlocked(): Promise<void> {
    const { blocked } = this.copy;
    let hasProgress = blocked.isRetryDue;
    while (hasProgress) {
      const before = blocked.changes.length;
      await this.apply([], { isRetry: true });
      hasProgress = blocked.changes.length > 0 && blocked.changes.length < before;
    }
  }

  /** Returns the local changes that may be pushed. */
  async findEdits(): Promise<readonly Edit[]> {
    const found = await this.copy.local.find(this.held.read, fetchContentsFrom(this.shared));
    this.copy.identity.check();
    return this.copy.blocked.withoutBlocked(found);
  }

  /** Returns the small contents that the store has of edited files, by hash. */
  fetchContentsBefore(edits: readonly Edit[]): Promise<ReadonlyMap<string, Uint8Array>> {
    return fetchContentsFrom(this.shared)([...new Set(edits.flatMap(({ before }) => before ?? []))]);
  }

  /** Saves that local changes are about to be committed under this id: after a crash they are not taken for the changes of others. */
  willPush(batch: string): Promise<void> {
    return this.copy.checkpoint.save(this.shared, batch);
  }

  /** Records local changes as pushed, also in the history of this machine (H-12). `seq`: the last of the commits. */
  async confirmPush(pushed: readonly CommitHead[], seq: number): Promise<void> {
    const { copy, held, shared } = this;
    for (const commit of pushed) await held.recordAs(listUnrecordedEvents(commit, copy.lastEvents(RECENT_BYTES)));
    this.#settle(pushed.flatMap(({ changes }) => changes));
    await copy.checkpoint.advance(shared, seq, null);
  }

  /** Records that the plan of a commit was carried out in the folder. */
  async confirmCommit(commit: SharedCommit, planned: Planned, done: Extract<Done, { kind: 'done' }>): Promise<void> {
    const { copy, shared } = this;
    recordStaged(copy.local, planned, done);
    this.#settle(commit.changes);
    await copy.checkpoint.advance(shared, commit.seq, commit.batch);
  }

  /**
   * Moves the checkpoint to where another process of this machine brought the folder: its commits are applied and recorded, and files that
   * differ from them are local changes. Returns the paths that it wrote.
   */
  async #catchUp(): Promise<readonly string[]> {
    const { shared, copy } = this;
    const { checkpoint, blocked } = copy;
    const saved = await checkpoint.readOthers(shared);
    const { seq } = checkpoint;
    if (saved === null || seq === null) return [];
    const isFurther = saved.seq > seq || saved.pushing !== null;
    const hasOtherBlocked = saved.seq === seq && JSON.stringify(saved.unplaced) !== JSON.stringify(blocked.changes);
    if (!isFurther && !hasOtherBlocked) return [];
    const found = await resolveCheckpoint(shared, saved);
    if (found === null || found.seq < seq || (found.seq === seq && !hasOtherBlocked)) return [];
    const commits = found.seq === seq ? [] : await listCommitsBetween(shared, seq, found.seq);
    if (commits === null) return [];
    const changes = this.#squash(commits);
    await this.#recordPushed(found);
    this.#settle(changes);
    this.#restore(saved);
    await checkpoint.advance(shared, found.seq, found.batch);
    return changes.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath]));
  }

  /**
   * Brings the folder to the state of the store where the commits in between are unknown. `base`: the hash by path of the previous files; of a
   * file that is not in it, a version that differs is saved as a conflict copy. Returns the paths that were written.
   */
  async #reset(base: ReadonlyMap<string, string>): Promise<readonly string[]> {
    const { shared, copy } = this;
    const listing = await shared.feed.listing();
    const { paths, blocked } = await applyChanges(this.#applying, { changes: diffListing(base, listing), head: null, base });
    checkBlockedCount(0, blocked);
    copy.local.rebase(new Map(listing.files.map(({ path, hash }) => [path, hash])));
    this.#block([], blocked);
    await copy.checkpoint.advance(shared, listing.seq, await batchAt(shared, listing.seq));
    return paths;
  }

  /** Files removed while no process watched may be lost rather than deleted, say with a disk or by a backup: they come back. */
  async #restoreMissing(): Promise<void> {
    const { local, blocked, onApplied } = this.copy;
    const edits = await local.find(this.held.read, fetchContentsFrom(this.shared));
    const missing = planRestore(edits.filter(({ path }) => !blocked.isBlocked(path)));
    const { blocked: failed } = await applyChanges(this.#applying, { changes: missing, head: null, base: new Map() });
    checkBlockedCount(blocked.changes.length, failed);
    this.#block(blocked.changes, failed.map(asUnrestored));
    onApplied([], describeRestored(missing.filter(({ path }) => !blocked.isBlocked(path))));
  }

  /** Records a commit that was pushed here right before a crash, unless that was done. */
  async #recordPushed(found: Pick<Checkpoint, 'batch'> | SharedCommit): Promise<void> {
    if ('changes' in found && !this.copy.recorded.asOf(this.#entered).has(found.batch ?? ''))
      await this.held.recordAs(eventsOfCommit(found));
  }

  /** Takes over from a saved checkpoint what is pending. */
  #restore(saved: Checkpoint | null): void {
    this.copy.local.rememberMoves(new Map((saved?.moved ?? []).map(({ from, to }) => [to, from])));
    this.#block(saved?.unplaced ?? []);
  }

  /** Records that the folder and the store agree on these changes. */
  #settle(changes: readonly SharedChange[]): void {
    this.copy.local.settle(hashesAfter(changes));
    this.copy.local.forgetMoves(changes);
  }

  /** Sets the blocked changes; their files count as they were before. `failed`: those that were tried just now. */
  #block(changes: readonly BlockedChange[], failed: Applied['blocked'] = []): void {
    const { local, blocked, onApplied } = this.copy;
    const isNew = failed.some(({ change }) => !blocked.isBlocked(change.path));
    blocked.set([...changes, ...failed.map(({ change }) => change)], failed);
    local.settle(hashesBefore(blocked.changes));
    if (isNew && blocked.message !== null) onApplied([], [blocked.message]);
  }

  /** Squashes commits with the changes that were blocked before them. */
  #squash(commits: readonly SharedCommit[]): readonly SharedChange[] {
    const blocked = this.copy.blocked.changes.map((change) => ({ ...change, event: [] }));
    return squashCommits(blocked.length === 0 ? commits : [{ changes: blocked }, ...commits]);
  }

  /** Finds local moves of the files that are about to change, and saves them. */
  async #findLocalMoves(changes: readonly SharedChange[]): Promise<void> {
    const { copy, held, shared } = this;
    if (await findLocalMoves({ edits: copy.local, files: copy.files, held, shared }, changes)) await copy.checkpoint.save(shared);
  }
}
