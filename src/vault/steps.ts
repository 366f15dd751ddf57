import { RouxError, systemCode } from '../errors.ts';
import { linkOrCopy, makeFolders, removeIfThere, writeNewFile } from '../disk/atomic.ts';
import { applyChanges } from '../note/edit.ts';
import type { NoteChange } from '../note/change.ts';
import { foldKey, folderOf } from '../note/path.ts';
import { conflictWarning, keepConflictCopy } from './conflict-copy.ts';
import { hashOf, textToChange } from './content.ts';
import type { WriteGround } from './ground.ts';
import { absolute, syncFoldersOf } from './ground.ts';
import type { Intent, Step } from './intent.ts';
import { makeNewNames } from './new-names.ts';
import { goneMeanwhile, imageOf, isListed, isOurs, oldOf, savedMeanwhile, spareOf } from './pass.ts';
import type { Pass } from './pass.ts';
import { readSettled } from './settle.ts';
import { swapIn } from './swap.ts';

/** What carrying out a transaction brought to light. */
export interface Outcome {
  readonly warnings: string[];
  /** Vault-relative paths of conflict copies. */
  readonly copies: string[];
  /** Steps whose file had a newer text: what they really changed. */
  readonly rewritten: Map<number, { readonly before: Buffer; readonly after: Buffer }>;
  /** Inodes that left their names, kept until verified. */
  readonly displaced: Displaced[];
}

/** A file that a transaction displaced, under its second name. */
export interface Displaced {
  readonly step: number;
  readonly path: string;
  readonly file: string;
  /** What it held when it was last looked at. */
  hash: string;
}

type Move = Extract<Step, { kind: 'move' }>;
type Replace = Extract<Step, { kind: 'replace' }>;

/**
 * Carries out an intent that is in force: new names first, so that nothing dangles; then the files that change; old names last.
 * Running it again after any crash does what is still to be done (`isRepeat`).
 * Throws `CONFLICT` when a file holds another text and the change must not be applied to it: the caller then restores.
 */
export async function runSteps(ground: WriteGround, intent: Intent, options: { isRepeat: boolean }): Promise<Outcome> {
  const outcome: Outcome = { warnings: [], copies: [], rewritten: new Map(), displaced: [] };
  const pass: Pass = { ground, intent, isRepeat: options.isRepeat, touched: new Set() };
  const run = new Run(pass, outcome);
  await makeNewNames(pass);
  await run.rewriteFiles();
  await run.removeNames();
  await run.verifyDisplaced();
  return outcome;
}

/** One pass over an intent. */
class Run {
  readonly #pass: Pass;
  readonly #ground: WriteGround;
  readonly #intent: Intent;
  readonly #outcome: Outcome;
  readonly #touched: Set<string>;

  constructor(pass: Pass, outcome: Outcome) {
    this.#pass = pass;
    this.#ground = pass.ground;
    this.#intent = pass.intent;
    this.#touched = pass.touched;
    this.#outcome = outcome;
  }

  async rewriteFiles(): Promise<void> {
    for (const [index, step] of this.#intent.steps.entries()) {
      if (step.kind !== 'replace') continue;
      await this.#ground.lock.check();
      await this.#replace(index, step);
    }
    await this.#sync();
  }

  async removeNames(): Promise<void> {
    for (const [index, step] of this.#intent.steps.entries()) {
      await this.#ground.lock.check();
      if (step.kind === 'move' && !step.keepsFrom && step.from !== step.to) await this.#leaveName(index, step);
      else if (step.kind === 'remove') await this.#remove(index, step);
    }
    // A later failure must find what was taken away.
    if (this.#touched.size > 0) this.#touched.add('.roux/journal/old');
    await this.#sync();
  }

  /** Looks at the displaced inodes once more: an editor that had one open may have written into it. */
  async verifyDisplaced(): Promise<void> {
    for (const displaced of this.#outcome.displaced) {
      const bytes = await this.#ground.files.read(displaced.file);
      if (bytes === null || hashOf(bytes) === displaced.hash) continue;
      displaced.hash = hashOf(bytes);
      await this.#keepLate(displaced.step, displaced.path, displaced.file, bytes);
    }
    await this.#sync();
  }

  async #sync(): Promise<void> {
    await syncFoldersOf(this.#ground, this.#touched);
    this.#touched.clear();
  }

  async #replace(index: number, step: Replace): Promise<void> {
    this.#touched.add(step.path);
    let image = imageOf(this.#pass, index);
    let expected = step.before;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const current = await this.#readNow(absolute(this.#ground, step.path), expected);
      if (current === null) {
        // A note that is gone needs no links rewritten; anything else that was asked of it cannot be done.
        if (this.#pass.isRepeat && step.isCommutative) return;
        throw goneMeanwhile(step.path);
      }
      const hash = hashOf(current);
      if (hash === step.after || (await isOurs(this.#pass, { image, path: step.path, after: null }))) return;
      if (hash !== expected) {
        const bytes = this.#reapply(step, step.path, current);
        if (bytes === null) return;
        image = await this.#stageAgain(index, attempt, bytes, step.path);
        expected = hash;
        this.#outcome.rewritten.set(index, { before: current, after: bytes });
      }
      const displaced = await swapIn(this.#ground, {
        image,
        path: step.path,
        old: oldOf(this.#pass, index),
        spare: spareOf(this.#pass, index),
      });
      if (displaced === null) continue;
      this.#outcome.displaced.push({ step: index, path: step.path, file: oldOf(this.#pass, index), hash: displaced });
      if (displaced !== expected) {
        const late = await this.#readNow(oldOf(this.#pass, index), expected);
        if (late !== null) await this.#keepLate(index, step.path, oldOf(this.#pass, index), late);
      }
      return;
    }
    throw savedMeanwhile(step.path);
  }

  async #leaveName(index: number, step: Move): Promise<void> {
    const { files } = this.#ground;
    if (foldKey(step.from) === foldKey(step.to) && !(await isListed(this.#pass, step.from))) return;
    this.#touched.add(step.from);
    const late = await this.#displace(index, step.from, step.before);
    if (late === null) return;
    const standing = await files.read(absolute(this.#ground, step.to));
    if (standing === null || hashOf(standing) === hashOf(late)) return;
    await this.#keepLate(index, step.to, oldOf(this.#pass, index), late);
  }

  async #remove(index: number, step: Extract<Step, { kind: 'remove' }>): Promise<void> {
    const { files, root } = this.#ground;
    const file = absolute(this.#ground, step.path);
    this.#touched.add(step.path);
    if (step.trash !== null && (await files.stat(file)) !== null) {
      const made = await makeFolders(files, root, `${root}/${folderOf(step.trash)}`);
      try {
        await linkOrCopy(files, { from: file, to: `${root}/${step.trash}`, isSynced: this.#ground.isSynced });
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw error;
      }
      // The second name must be on the medium before the first one goes.
      await syncFoldersOf(this.#ground, [step.trash, ...made.map((folder) => folder.slice(root.length + 1))]);
    }
    const late = await this.#displace(index, step.path, step.before);
    if (late !== null) await this.#copyConflict(step.path, oldOf(this.#pass, index));
  }

  /** Takes a name away; the inode stays in the journal. Returns its bytes when they are not the expected ones. */
  async #displace(index: number, path: string, before: string): Promise<Buffer | null> {
    const { files } = this.#ground;
    const file = absolute(this.#ground, path);
    const old = oldOf(this.#pass, index);
    const [standing, kept] = [await files.stat(file), await files.stat(old)];
    if (standing !== null && kept?.ino === standing.ino) {
      // Renaming one of two names of the same file onto the other would do nothing.
      await files.remove(file);
    } else if (standing !== null) {
      try {
        await files.rename(file, old);
      } catch (error) {
        if (systemCode(error) !== 'EXDEV') throw error;
        await removeIfThere(files, old);
        await linkOrCopy(files, { from: file, to: old, isSynced: this.#ground.isSynced });
        await files.remove(file);
      }
    }
    const bytes = await files.read(old);
    if (bytes === null) return null;
    const hash = hashOf(bytes);
    this.#outcome.displaced.push({ step: index, path, file: old, hash });
    return hash === before ? null : bytes;
  }

  /** The bytes of a file; where they are others than expected, once the save that made them so is over. */
  async #readNow(file: string, expected: string): Promise<Buffer | null> {
    const { files, ports } = this.#ground;
    const bytes = await files.read(file);
    if (bytes === null || hashOf(bytes) === expected) return bytes;
    return (await readSettled(files, { file, known: expected, clock: ports.clock }))?.bytes ?? null;
  }

  /** A text that a person saved into the displaced file: the change is made on it, or it becomes a conflict copy. */
  async #keepLate(index: number, path: string, source: string, late: Buffer): Promise<void> {
    const step = this.#intent.steps[index];
    const bytes = step?.kind === 'replace' || step?.kind === 'move' ? this.#tryReapply(step, path, late) : null;
    const standing = await this.#ground.files.read(absolute(this.#ground, path));
    const isUntouched = standing !== null && (step?.kind === 'replace' || step?.kind === 'move') && hashOf(standing) === step.after;
    if (bytes !== null && isUntouched) {
      const image = await this.#stageAgain(index, MAX_ATTEMPTS, bytes, path);
      const displaced = await swapIn(this.#ground, {
        image,
        path,
        old: `${imageOf(this.#pass, index)}.mid`,
        spare: spareOf(this.#pass, index),
      });
      if (displaced === step.after) {
        this.#outcome.rewritten.set(index, { before: late, after: bytes });
        this.#touched.add(path);
        return;
      }
    }
    if (standing !== null && hashOf(standing) === hashOf(late)) return;
    await this.#copyConflict(path, source);
  }

  async #copyConflict(path: string, source: string): Promise<void> {
    const copy = await keepConflictCopy(this.#ground, { source, path });
    this.#outcome.copies.push(copy);
    this.#outcome.warnings.push(conflictWarning(path, copy));
  }

  /** The change made on a newer text; null when it changes nothing there. Throws when it must not be made. */
  #reapply(step: Replace | Move, path: string, bytes: Buffer): Buffer | null {
    if (!step.isCommutative || step.changes === null) throw savedMeanwhile(path);
    const text = textToChange(path, bytes);
    const after = applyChanges(path, text, this.#pass.isRepeat ? step.changes.map(onlyOnce) : step.changes);
    return after.text === text ? null : Buffer.from(after.text);
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
    const { files, isSynced } = this.#ground;
    const image = `${imageOf(this.#pass, index)}.r${attempt}`;
    await removeIfThere(files, image);
    await writeNewFile(files, { path: image, bytes, like: await files.stat(absolute(this.#ground, path)), isSynced });
    return image;
  }
}

const MAX_ATTEMPTS = 8;

/** After a crash nobody can tell whether an addition was made before a person saved again: it is made at most once. */
function onlyOnce(change: NoteChange): NoteChange {
  return change.op === 'append' || change.op === 'add-line' ? { ...change, unique: true } : change;
}
