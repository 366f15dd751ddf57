import { RouxError, systemCode } from '../../errors.ts';
import { folderOf, foldKey } from '../../note/path.ts';
import { hashAt, hashOf, isTooLarge } from '../folder/hash.ts';
import { readStable } from '../folder/read-stable.ts';
import type { StableFile } from '../folder/read-stable.ts';
import { linkOrCopy, makeFolders, removeIfThere, writeNewFile } from '../folder/write-file.ts';
import { conflictWarning, keepConflictCopy } from './conflict-copy.ts';
import type { Intent, Step } from './intent.ts';
import { makeNewNames } from './new-names.ts';
import { HeldBytes } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { spareNames, replaceFile } from './replace-file.ts';
import { goneMeanwhile, isListed, isOneFile, isStagedFile, savedMeanwhile } from './step-context.ts';
import type { StepContext } from './step-context.ts';
import { syncFoldersOf } from './under-lock.ts';
import type { UnderLock } from './under-lock.ts';

type Move = Extract<Step, { kind: 'move' }>;
type Replace = Extract<Step, { kind: 'replace' }>;

/** So often a file that somebody saves again and again is tried; the last number is for what is found late. */
const MAX_ATTEMPTS = 8;

/**
 * Carries out an intent that is in force: new names first, so that nothing dangles; then the files that change; old names last.
 * Running it again after any crash does what is still to be done (`isRepeat`).
 * Throws `CONFLICT` when a file holds other bytes and the change must not be made on them: the caller then rolls back.
 */
export async function runSteps(under: UnderLock, intent: Intent, options: { isRepeat: boolean }): Promise<Outcome> {
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
  readonly #held = new HeldBytes();

  constructor(under: UnderLock, intent: Intent, { isRepeat }: { isRepeat: boolean }) {
    this.context = { under, intent, isRepeat, touched: new Set() };
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
      if (step.kind === 'move' && !step.keepsFrom && step.from !== step.to) await this.#leaveName(index, step);
      else if (step.kind === 'remove') await this.#remove(index, step);
    }
    // A later failure must find what was taken away.
    if (this.context.touched.size > 0) this.context.touched.add(`${this.#under.journal.folder}/.`);
    await this.#sync();
  }

  /** Looks at the displaced inodes: somebody may have saved between the last look and the swap, or have one open and write into it. */
  async verifyDisplaced(): Promise<void> {
    for (const displaced of this.outcome.displaced) {
      if (this.#livesOn(this.#intent.steps[displaced.step], displaced.file)) continue;
      const found = await this.#readNow(displaced.file, displaced.hash);
      if (found === null || found.hash === displaced.hash) continue;
      displaced.hash = found.hash;
      await this.#keepSavedText(displaced.step, displaced.path, displaced.file, found.bytes);
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
    const known = this.context.isRepeat ? await this.#keepEarlierText(index, step, old) : step.before;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const found = await this.#readNow(step.path, expected);
      if (found === null) {
        // A note that is gone needs no links rewritten; anything else that was asked of it cannot be done.
        if (this.context.isRepeat && step.isCommutative) return;
        throw goneMeanwhile(step.path);
      }
      const { bytes: current, hash } = found;
      if (hash === step.after || (hash !== expected && isStagedFile(this.context, { image, path: step.path, after: null }))) {
        // Done before a crash, which came before what was displaced was looked at.
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
    if (files.stat(step.path) === null) throw goneMeanwhile(step.path);
    throw savedMeanwhile(step.path);
  }

  /**
   * What a person saved in the instant of the swap, before a crash, and nobody has looked at: the next swap would take its place.
   * Returns the hash of what is displaced so far.
   */
  async #keepEarlierText(index: number, step: Replace, old: string): Promise<string> {
    const found = await this.#readNow(old, step.before);
    if (found !== null && found.hash !== step.before) await this.#keepSavedText(index, step.path, old, found.bytes);
    return found?.hash ?? step.before;
  }

  async #leaveName(index: number, step: Move): Promise<void> {
    const { journal } = this.#under;
    const hasLeft = foldKey(step.from) === foldKey(step.to) && !isListed(this.context, step.from);
    this.context.touched.add(step.from);
    const former = [index, step.from, step.before] as const;
    const savedBytes = await (hasLeft ? this.#lookAtDisplaced(...former) : this.#displace(...former));
    if (savedBytes !== null) await this.#keepSavedText(index, step.to, journal.displaced(this.#intent.id, index), savedBytes);
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
        // A crash came while it was copied.
        const [standing, copy] = [hashAt(files, step.path, step.before), hashAt(files, step.trash, step.before)];
        if (standing === step.before && copy !== step.before) {
          removeIfThere(files, step.trash);
          await linkOrCopy(files, { from: step.path, to: step.trash, isSynced });
        }
      }
      // The second name must be on the medium before the first one goes.
      await syncFoldersOf(this.#under, [step.trash, ...made]);
    }
    const savedBytes = await this.#displace(index, step.path, step.before);
    if (savedBytes !== null) await this.#copyConflict(step.path, journal.displaced(this.#intent.id, index));
  }

  /** Takes a name away; the inode stays in the journal. Returns its bytes when they are not the expected ones. */
  async #displace(index: number, path: string, before: string): Promise<Buffer | null> {
    const { files, journal, isSynced } = this.#under;
    const old = journal.displaced(this.#intent.id, index);
    const [standing, kept] = [files.stat(path), files.stat(old)];
    if (standing !== null && kept !== null && !isOneFile(kept, standing)) {
      // Displaced before a crash, and somebody has made the name anew: what nobody has looked at would lose its last name.
      const earlier = await this.#readNow(old, before);
      if (earlier !== null && earlier.hash !== before && earlier.bytes.length > 0 && files.read(path)?.bytes.equals(earlier.bytes) !== true)
        await this.#copyConflict(path, old);
    }
    if (isOneFile(kept, standing)) {
      // Renaming one of two names of the same file onto the other would do nothing.
      files.remove(path);
    } else if (standing !== null) {
      try {
        files.rename(path, old);
      } catch (error) {
        if (systemCode(error) !== 'EXDEV') throw error;
        removeIfThere(files, old);
        await linkOrCopy(files, { from: path, to: old, isSynced });
        files.remove(path);
      }
    }
    return await this.#lookAtDisplaced(index, path, before);
  }

  /** Notes the displaced file of a step, where there is one; returns what a person saved into it, or null. */
  async #lookAtDisplaced(index: number, path: string, before: string): Promise<Buffer | null> {
    const old = this.#under.journal.displaced(this.#intent.id, index);
    if (this.#livesOn(this.#intent.steps[index], old)) return null;
    const found = await this.#readNow(old, before);
    if (found === null) return null;
    // A large file was not read.
    const held = found.hash === before && !isTooLarge(found.state) ? this.#held.keep(found.bytes) : null;
    this.outcome.displaced.push({ step: index, path, file: old, hash: found.hash, before: held });
    return found.hash === before ? null : found.bytes;
  }

  /** Whether a displaced file is too large to be read, and has its new name: whatever is saved into it is there too. */
  #livesOn(step: Step | undefined, file: string): boolean {
    if (step?.kind !== 'move') return false;
    const { files } = this.#under;
    const state = files.stat(file);
    return state !== null && isTooLarge(state) && isOneFile(state, files.stat(step.to));
  }

  /** Reads a file; where it holds something else than expected, once the save that made it so is over. A large one that is as expected is not read. */
  #readNow(path: string, expected: string): Promise<StableFile | null> {
    return readStable(this.#under.files, { path, isKnown: (hash) => hash === expected });
  }

  /** Bytes that a person saved into the displaced file: the change is made on them, or they become a conflict copy. */
  async #keepSavedText(index: number, path: string, source: string, savedBytes: Buffer): Promise<void> {
    const { files, journal } = this.#under;
    const { id, steps } = this.#intent;
    const step = steps[index];
    const standing = files.read(path)?.bytes;
    if (standing?.equals(savedBytes) === true) return;
    const isRewrite = step?.kind === 'replace' || step?.kind === 'move';
    const bytes = isRewrite ? this.#tryReapply(step, path, savedBytes) : null;
    if (bytes !== null && standing?.equals(bytes) === true) {
      // A crash came after the change had been made on this very text.
      this.outcome.rewritten.set(index, { before: savedBytes, after: bytes });
      return;
    }
    if (bytes !== null && isRewrite && standing !== undefined && hashOf(standing) === step.after) {
      const image = await this.#stageAgain(index, MAX_ATTEMPTS, bytes, path);
      const old = journal.displaced(id, index, 'between');
      const isDone = await replaceFile(this.#under, { image, path, old, spare: spareNames(id, index) });
      const between = isDone ? files.read(old)?.bytes : undefined;
      if (between !== undefined && hashOf(between) === step.after) {
        this.outcome.rewritten.set(index, { before: savedBytes, after: bytes });
        this.context.touched.add(path);
        return;
      }
      // Somebody has saved again meanwhile.
      if (between !== undefined) await this.#copyConflict(path, old);
    }
    await this.#copyConflict(path, source);
  }

  async #copyConflict(path: string, source: string): Promise<void> {
    const copy = await keepConflictCopy(this.#under, { source, path });
    this.outcome.copies.push(copy);
    this.outcome.warnings.push(conflictWarning(path, copy));
  }

  /** The change made on newer bytes; null when it changes nothing there. Throws when it must not be made. */
  #reapply(step: Replace | Move, path: string, bytes: Buffer): Buffer | null {
    if (!step.isCommutative || step.changes === null) throw savedMeanwhile(path);
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
