import { RouxError, systemCode } from '../../errors.ts';
import { folderOf, foldKey } from '../../note/path.ts';
import { isSameState } from '../folder/file-system.ts';
import { hashAt, hashOf, isTooLarge } from '../folder/hash.ts';
import { readStable } from '../folder/read-stable.ts';
import type { StableFile } from '../folder/read-stable.ts';
import { linkOrCopy, makeFolders, removeIfThere, writeNewFile } from '../folder/write-file.ts';
import { conflictWarning, writeConflictCopy } from './conflict-copy.ts';
import type { Intent, Step } from './intent.ts';
import { makeNewNames } from './new-names.ts';
import { HeldBytes } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { spareNames, replaceFile } from './replace-file.ts';
import { removedConcurrently, isListed, isOneFile, isStagedFile, savedConcurrently } from './step-context.ts';
import type { StepContext } from './step-context.ts';
import { syncFoldersOf } from './under-lock.ts';
import type { UnderLock } from './under-lock.ts';

type Move = Extract<Step, { kind: 'move' }>;
type Replace = Extract<Step, { kind: 'replace' }>;

/** Attempts for a file that is saved again and again. The last number is for an image that is built after the step. */
const MAX_ATTEMPTS = 8;

/** How the steps of an intent are run. */
interface RunOptions {
  /** A crash may have interrupted an earlier run. */
  readonly isRepeat: boolean;
  /** Files to replace, by step, that need not be read again if their state is the same: a save would have changed it. */
  readonly asRead?: ReadonlyMap<number, StableFile>;
}

/**
 * Carries out a committed intent: makes new names first, so that no link dangles, then rewrites files, and removes old names last. After a
 * crash, call it again with `isRepeat` to do the rest. Throws `CONFLICT` when a file has other bytes to which the change must not be applied:
 * the caller then rolls back.
 */
export async function runSteps(under: UnderLock, intent: Intent, options: RunOptions): Promise<Outcome> {
  const run = new StepRun(under, intent, options);
  await makeNewNames(run.context);
  await run.rewriteFiles();
  await run.removeNames();
  await run.verifyDisplaced();
  return run.outcome;
}

class StepRun {
  readonly context: StepContext;
  readonly outcome: Outcome = { warnings: [], copies: [], rewritten: new Map(), displaced: [] };
  readonly #under: UnderLock;
  readonly #intent: Intent;
  readonly #asRead: ReadonlyMap<number, StableFile>;
  readonly #held = new HeldBytes();

  constructor(under: UnderLock, intent: Intent, { isRepeat, asRead = new Map() }: RunOptions) {
    this.context = { under, intent, isRepeat, touched: new Set() };
    this.#asRead = asRead;
    this.#under = under;
    this.#intent = intent;
  }

  async rewriteFiles(): Promise<void> {
    for (const [index, step] of this.#intent.steps.entries()) {
      if (step.kind !== 'replace') continue;
      await this.#under.lock.check();
      await this.#replace(index, step);
    }
    await this.#sync();
  }

  async removeNames(): Promise<void> {
    for (const [index, step] of this.#intent.steps.entries()) {
      await this.#under.lock.check();
      if (step.kind === 'move' && !step.keepsFrom && step.from !== step.to) await this.#removeOldName(index, step);
      else if (step.kind === 'remove') await this.#remove(index, step);
    }
    // If a later step fails, rollback must find the displaced files.
    if (this.context.touched.size > 0) this.context.touched.add(`${this.#under.journal.folder}/.`);
    await this.#sync();
  }

  /** Checks the displaced inodes: an editor may have saved between the last read and the swap, or may write into one that it has open. */
  async verifyDisplaced(): Promise<void> {
    for (const displaced of this.outcome.displaced) {
      if (this.#isSafeUnderNewName(this.#intent.steps[displaced.step], displaced.file)) continue;
      const found = await this.#readStable(displaced.file, displaced.hash);
      if (found === null || found.hash === displaced.hash) continue;
      displaced.hash = found.hash;
      await this.#mergeSavedText(displaced.step, displaced.path, displaced.file, found.bytes);
    }
    await this.#sync();
  }

  async #sync(): Promise<void> {
    await syncFoldersOf(this.#under, this.context.touched);
    this.context.touched.clear();
  }

  async #replace(index: number, step: Replace): Promise<void> {
    const { files, journal } = this.#under;
    const { id } = this.#intent;
    this.context.touched.add(step.path);
    let image = journal.image(id, index);
    let expected = step.before;
    const old = journal.displaced(id, index);
    const known = this.context.isRepeat ? await this.#mergeEarlierText(index, step, old) : step.before;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const found = this.#unchanged(index, step.path) ?? (await this.#readStable(step.path, expected));
      if (found === null) {
        // Links in a note that is gone need not be rewritten; other changes are impossible.
        if (this.context.isRepeat && step.isCommutative) return;
        throw removedConcurrently(step.path);
      }
      const { bytes: current, hash } = found;
      if (hash === step.after || (hash !== expected && isStagedFile(this.context, { image, path: step.path, after: null }))) {
        // Done before a crash that came before the displaced file was checked.
        if (files.stat(old) !== null) this.outcome.displaced.push({ step: index, path: step.path, file: old, hash: known, before: null });
        return;
      }
      if (hash !== expected) {
        const bytes = this.#reapply(step, step.path, current);
        if (bytes === null) return;
        image = await this.#stageAgain(index, attempt, bytes, step.path);
        expected = hash;
        this.outcome.rewritten.set(index, { before: current, after: bytes });
      }
      if (!(await replaceFile(this.#under, { image, path: step.path, old, spare: spareNames(id, index) }))) continue;
      this.outcome.displaced.push({ step: index, path: step.path, file: old, hash: expected, before: this.#held.keep(current) });
      return;
    }
    if (files.stat(step.path) === null) throw removedConcurrently(step.path);
    throw savedConcurrently(step.path);
  }

  /** Returns a file that is as it was read for the plan, without reading it; what its state does not show, `verifyDisplaced` finds. */
  #unchanged(index: number, path: string): StableFile | null {
    const read = this.#asRead.get(index);
    const state = read === undefined ? null : this.#under.files.stat(path);
    return read !== undefined && state?.kind === 'file' && isSameState(state, read.state) ? read : null;
  }

  /**
   * Handles a text that a person saved just before the swap of an earlier run, and that a crash left unchecked: the next swap would overwrite
   * it. Returns the hash of the displaced file.
   */
  async #mergeEarlierText(index: number, step: Replace, old: string): Promise<string> {
    const found = await this.#readStable(old, step.before);
    if (found !== null && found.hash !== step.before) await this.#mergeSavedText(index, step.path, old, found.bytes);
    return found?.hash ?? step.before;
  }

  async #removeOldName(index: number, step: Move): Promise<void> {
    const { journal } = this.#under;
    const hasLeft = foldKey(step.from) === foldKey(step.to) && !isListed(this.context, step.from);
    this.context.touched.add(step.from);
    const savedBytes = hasLeft
      ? await this.#recordDisplaced(index, step.from, step.before)
      : await this.#displace(index, step.from, step.before);
    if (savedBytes !== null) await this.#mergeSavedText(index, step.to, journal.displaced(this.#intent.id, index), savedBytes);
  }

  async #remove(index: number, step: Extract<Step, { kind: 'remove' }>): Promise<void> {
    const { files, journal, isSynced } = this.#under;
    this.context.touched.add(step.path);
    if (step.trash !== null && files.stat(step.path) !== null) {
      const made = makeFolders(files, folderOf(step.trash));
      try {
        await linkOrCopy(files, { from: step.path, to: step.trash, isSynced });
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw error;
        // A crash interrupted the copy.
        const [current, copy] = [hashAt(files, step.path, step.before), hashAt(files, step.trash, step.before)];
        if (current === step.before && copy !== step.before) {
          removeIfThere(files, step.trash);
          await linkOrCopy(files, { from: step.path, to: step.trash, isSynced });
        }
      }
      // The name in the trash must be durable before the first one is removed.
      await syncFoldersOf(this.#under, [step.trash, ...made]);
    }
    const savedBytes = await this.#displace(index, step.path, step.before);
    if (savedBytes !== null) await this.#copyConflict(step.path, journal.displaced(this.#intent.id, index));
  }

  /** Moves a file into the journal. Returns its bytes when they are not the expected ones, else null. */
  async #displace(index: number, path: string, before: string): Promise<Buffer | null> {
    const { files, journal, isSynced } = this.#under;
    const old = journal.displaced(this.#intent.id, index);
    const [current, displaced] = [files.stat(path), files.stat(old)];
    if (current !== null && displaced !== null && !isOneFile(displaced, current)) {
      // Displaced before a crash, and the name exists again: an unchecked text would lose its last name.
      const earlier = await this.#readStable(old, before);
      if (earlier !== null && earlier.hash !== before && earlier.bytes.length > 0 && files.read(path)?.bytes.equals(earlier.bytes) !== true)
        await this.#copyConflict(path, old);
    }
    if (isOneFile(displaced, current)) {
      // Renaming one of two names of the same file onto the other would do nothing.
      files.remove(path);
    } else if (current !== null) {
      try {
        files.rename(path, old);
      } catch (error) {
        if (systemCode(error) !== 'EXDEV') throw error;
        removeIfThere(files, old);
        await linkOrCopy(files, { from: path, to: old, isSynced });
        files.remove(path);
      }
    }
    return await this.#recordDisplaced(index, path, before);
  }

  /** Records the displaced file of a step, if there is one. Returns what a person saved into it, or null. */
  async #recordDisplaced(index: number, path: string, before: string): Promise<Buffer | null> {
    const old = this.#under.journal.displaced(this.#intent.id, index);
    if (this.#isSafeUnderNewName(this.#intent.steps[index], old)) return null;
    const found = await this.#readStable(old, before);
    if (found === null) return null;
    // A large file was not read.
    const held = found.hash === before && !isTooLarge(found.state) ? this.#held.keep(found.bytes) : null;
    this.outcome.displaced.push({ step: index, path, file: old, hash: found.hash, before: held });
    return found.hash === before ? null : found.bytes;
  }

  /** Returns whether a displaced file is too large to be read and has its new name, so that nothing saved into it is lost. */
  #isSafeUnderNewName(step: Step | undefined, file: string): boolean {
    if (step?.kind !== 'move') return false;
    const { files } = this.#under;
    const state = files.stat(file);
    return state !== null && isTooLarge(state) && isOneFile(state, files.stat(step.to));
  }

  /** Reads a file, after waiting for the end of a save if it is not as expected. A large file that is as expected is not read. */
  #readStable(path: string, expected: string): Promise<StableFile | null> {
    return readStable(this.#under.files, { path, isKnown: (hash) => hash === expected });
  }

  /** Applies the change to bytes that a person saved into the displaced file, or writes them to a conflict copy. */
  async #mergeSavedText(index: number, path: string, source: string, savedBytes: Buffer): Promise<void> {
    const { files, journal } = this.#under;
    const { id, steps } = this.#intent;
    const step = steps[index];
    const current = files.read(path)?.bytes;
    if (current?.equals(savedBytes) === true) return;
    const isRewrite = step?.kind === 'replace' || step?.kind === 'move';
    const bytes = isRewrite ? this.#tryReapply(step, path, savedBytes) : null;
    if (bytes !== null && current?.equals(bytes) === true) {
      // The change was applied to this text before a crash.
      this.outcome.rewritten.set(index, { before: savedBytes, after: bytes });
      return;
    }
    if (bytes !== null && isRewrite && current !== undefined && hashOf(current) === step.after) {
      const image = await this.#stageAgain(index, MAX_ATTEMPTS, bytes, path);
      const old = journal.displaced(id, index, 'between');
      const isDone = await replaceFile(this.#under, { image, path, old, spare: spareNames(id, index) });
      const between = isDone ? files.read(old)?.bytes : undefined;
      if (between !== undefined && hashOf(between) === step.after) {
        this.outcome.rewritten.set(index, { before: savedBytes, after: bytes });
        this.context.touched.add(path);
        return;
      }
      // The file was saved once more in between.
      if (between !== undefined) await this.#copyConflict(path, old);
    }
    await this.#copyConflict(path, source);
  }

  async #copyConflict(path: string, source: string): Promise<void> {
    const copy = await writeConflictCopy(this.#under, { source, path });
    this.outcome.copies.push(copy);
    this.outcome.warnings.push(conflictWarning(path, copy));
  }

  /** Applies the change to newer bytes. Returns null when it changes nothing there. Throws when it must not be applied. */
  #reapply(step: Replace | Move, path: string, bytes: Buffer): Buffer | null {
    if (!step.isCommutative || step.changes === null) throw savedConcurrently(path);
    const after = this.#under.reapply({ path, bytes, changes: step.changes, isRepeat: this.context.isRepeat });
    return after === null ? null : Buffer.from(after);
  }

  #tryReapply(step: Replace | Move, path: string, bytes: Buffer): Buffer | null {
    if (!step.isCommutative) return null;
    try {
      return step.changes === null ? bytes : (this.#reapply(step, path, bytes) ?? bytes);
    } catch (error) {
      if (error instanceof RouxError) return null;
      throw error;
    }
  }

  async #stageAgain(index: number, attempt: number, bytes: Buffer, path: string): Promise<string> {
    const { files, journal, isSynced } = this.#under;
    const image = journal.newerImage(this.#intent.id, index, { attempt, hash: hashOf(bytes) });
    removeIfThere(files, image);
    await writeNewFile(files, { path: image, bytes, like: files.stat(path), isSynced, isImage: true });
    return image;
  }
}
