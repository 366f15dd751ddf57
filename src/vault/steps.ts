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
import { placeNew, swapIn } from './swap.ts';

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
  const run = new Run(ground, intent, options.isRepeat, outcome);
  await run.makeFolders();
  await run.makeNames();
  await run.rewriteFiles();
  await run.removeNames();
  await run.verifyDisplaced();
  return outcome;
}

/** One pass over an intent. */
class Run {
  readonly #ground: WriteGround;
  readonly #intent: Intent;
  readonly #isRepeat: boolean;
  readonly #outcome: Outcome;
  readonly #touched = new Set<string>();

  constructor(ground: WriteGround, intent: Intent, isRepeat: boolean, outcome: Outcome) {
    this.#ground = ground;
    this.#intent = intent;
    this.#isRepeat = isRepeat;
    this.#outcome = outcome;
  }

  async makeFolders(): Promise<void> {
    const { files, root } = this.#ground;
    for (const folder of this.#intent.folders) await makeFolders(files, root, `${root}/${folder}`);
    await syncFoldersOf(this.#ground, this.#intent.folders);
  }

  async makeNames(): Promise<void> {
    for (const [index, step] of this.#intent.steps.entries()) {
      await this.#ground.lock.check();
      if (step.kind === 'create') await this.#create(index, step);
      else if (step.kind === 'move') await this.#makeTarget(index, step);
    }
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

  async #create(index: number, step: Extract<Step, { kind: 'create' }>): Promise<void> {
    const image = this.#image(index);
    try {
      await placeNew(this.#ground, { image, path: step.path, spare: this.#spare(index) });
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || !(await this.#isOurs(image, step.path, step.after))) throw this.#taken(error, step.path);
    }
    this.#touched.add(step.path);
  }

  async #makeTarget(index: number, step: Move): Promise<void> {
    const { files } = this.#ground;
    const image = this.#image(index);
    const hasImage = (await files.stat(image)) !== null;
    if (step.from === step.to) return;
    this.#touched.add(step.to);
    if (step.over !== null) return await this.#takeOver(index, step);
    const source = hasImage ? image : absolute(this.#ground, step.from);
    if (!hasImage && (await files.stat(source)) === null) {
      if ((await files.stat(absolute(this.#ground, step.to))) !== null) return;
      throw gone(step.from);
    }
    try {
      await placeNew(this.#ground, { image: source, path: step.to, spare: this.#spare(index) });
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
      if (await this.#isSameFile(step)) return await this.#renameCase(index, step, hasImage ? image : null);
      if (!(await this.#isOurs(source, step.to, step.after))) throw this.#taken(error, step.to);
    }
  }

  /** Another file stands at the new name and has its content brought elsewhere by the same transaction. */
  async #takeOver(index: number, step: Move): Promise<void> {
    const file = absolute(this.#ground, step.to);
    const standing = await this.#ground.files.read(file);
    if (standing !== null && (hashOf(standing) === step.after || (await this.#isOurs(this.#image(index), step.to, step.after)))) return;
    if (standing === null || hashOf(standing) !== step.over) throw conflict(step.to);
    const displaced = await swapIn(this.#ground, {
      image: this.#image(index),
      path: step.to,
      old: `${this.#image(index)}.over`,
      spare: this.#spare(index),
    });
    if (displaced === null || displaced !== step.over) throw conflict(step.to);
  }

  /** On a file system that ignores case, both names are one file: through a name of its own. */
  async #renameCase(index: number, step: Move, image: string | null): Promise<void> {
    const { files, root } = this.#ground;
    const between = `${root}/.roux/tmp/${this.#spare(index)}`;
    if (image !== null) await swapIn(this.#ground, { image, path: step.from, old: this.#old(index), spare: this.#spare(index) });
    await files.rename(absolute(this.#ground, step.from), between);
    await files.rename(between, absolute(this.#ground, step.to));
  }

  async #replace(index: number, step: Replace): Promise<void> {
    const { files } = this.#ground;
    this.#touched.add(step.path);
    let image = this.#image(index);
    let expected = step.before;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const current = await files.read(absolute(this.#ground, step.path));
      if (current === null) {
        // A note that is gone needs no links rewritten; anything else that was asked of it cannot be done.
        if (this.#isRepeat && step.isCommutative) return;
        throw gone(step.path);
      }
      const hash = hashOf(current);
      if (hash === step.after || (await this.#isOurs(image, step.path, null))) return;
      if (hash !== expected) {
        const bytes = this.#reapply(step, step.path, current);
        if (bytes === null) return;
        image = await this.#stageAgain(index, attempt, bytes, step.path);
        expected = hash;
        this.#outcome.rewritten.set(index, { before: current, after: bytes });
      }
      const displaced = await swapIn(this.#ground, { image, path: step.path, old: this.#old(index), spare: this.#spare(index) });
      if (displaced === null) continue;
      this.#outcome.displaced.push({ step: index, path: step.path, file: this.#old(index), hash: displaced });
      if (displaced !== expected) {
        const late = await files.read(this.#old(index));
        if (late !== null) await this.#keepLate(index, step.path, this.#old(index), late);
      }
      return;
    }
    throw conflict(step.path);
  }

  async #leaveName(index: number, step: Move): Promise<void> {
    const { files } = this.#ground;
    if (foldKey(step.from) === foldKey(step.to) && !(await this.#isListed(step.from))) return;
    this.#touched.add(step.from);
    const late = await this.#displace(index, step.from, step.before);
    if (late === null) return;
    const standing = await files.read(absolute(this.#ground, step.to));
    if (standing === null || hashOf(standing) === hashOf(late)) return;
    await this.#keepLate(index, step.to, this.#old(index), late);
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
    if (late !== null) await this.#copyConflict(step.path, this.#old(index));
  }

  /** Takes a name away; the inode stays in the journal. Returns its bytes when they are not the expected ones. */
  async #displace(index: number, path: string, before: string): Promise<Buffer | null> {
    const { files } = this.#ground;
    const file = absolute(this.#ground, path);
    const old = this.#old(index);
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

  /** A text that a person saved into the displaced file: the change is made on it, or it becomes a conflict copy. */
  async #keepLate(index: number, path: string, source: string, late: Buffer): Promise<void> {
    const step = this.#intent.steps[index];
    const bytes = step?.kind === 'replace' || step?.kind === 'move' ? this.#tryReapply(step, path, late) : null;
    const standing = await this.#ground.files.read(absolute(this.#ground, path));
    const isUntouched = standing !== null && (step?.kind === 'replace' || step?.kind === 'move') && hashOf(standing) === step.after;
    if (bytes !== null && isUntouched) {
      const image = await this.#stageAgain(index, MAX_ATTEMPTS, bytes, path);
      const displaced = await swapIn(this.#ground, { image, path, old: `${this.#image(index)}.mid`, spare: this.#spare(index) });
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
    if (!step.isCommutative || step.changes === null) throw conflict(path);
    const text = textToChange(path, bytes);
    const after = applyChanges(path, text, this.#isRepeat ? step.changes.map(onlyOnce) : step.changes);
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
    const image = `${this.#image(index)}.r${attempt}`;
    await removeIfThere(files, image);
    await writeNewFile(files, { path: image, bytes, like: await files.stat(absolute(this.#ground, path)), isSynced });
    return image;
  }

  /** Whether the file under this name is the staged one: the same inode, or on a repeat (also without hard links) the same bytes. */
  async #isOurs(image: string, path: string, after: string | null): Promise<boolean> {
    const { files } = this.#ground;
    const [staged, standing] = [await files.stat(image), await files.stat(absolute(this.#ground, path))];
    if (standing === null) return false;
    if (staged !== null && staged.ino === standing.ino && staged.dev === standing.dev) return true;
    if (!this.#isRepeat || after === null) return false;
    const bytes = await files.read(absolute(this.#ground, path));
    return bytes !== null && hashOf(bytes) === after;
  }

  async #isSameFile(step: Move): Promise<boolean> {
    if (foldKey(step.from) !== foldKey(step.to) || (await this.#isListed(step.to))) return false;
    return (await this.#ground.files.stat(absolute(this.#ground, step.to))) !== null;
  }

  async #isListed(path: string): Promise<boolean> {
    const folder = folderOf(path);
    const names = await this.#ground.files.list(folder === '' ? this.#ground.root : absolute(this.#ground, folder));
    return names?.includes(path.slice(path.lastIndexOf('/') + 1)) ?? false;
  }

  #taken(error: unknown, path: string): unknown {
    return systemCode(error) === 'EEXIST' ? new RouxError('NODE_EXISTS', `${path} exists already.`, { path, existing: path }) : error;
  }

  #image(index: number): string {
    return this.#ground.journal.image(this.#intent.id, index);
  }

  #old(index: number): string {
    return this.#ground.journal.displaced(this.#intent.id, index);
  }

  #spare(index: number): string {
    return `${this.#intent.id}.${index}`;
  }
}

const MAX_ATTEMPTS = 8;

function conflict(path: string): RouxError {
  return new RouxError('CONFLICT', `${path} was saved by somebody else while roux wrote; read it again and retry.`, { path });
}

function gone(path: string): RouxError {
  return new RouxError('CONFLICT', `${path} was removed by somebody else while roux wrote; nothing was changed.`, { path });
}

/** After a crash nobody can tell whether an addition was made before a person saved again: it is made at most once. */
function onlyOnce(change: NoteChange): NoteChange {
  return change.op === 'append' || change.op === 'add-line' ? { ...change, unique: true } : change;
}
