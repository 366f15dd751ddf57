import { RouxError, errorMessage, systemCode } from '../../errors.ts';
import { folderOf } from '../../note/path.ts';
import { hashAt } from '../folder/hash.ts';
import { readStable } from '../folder/read-stable.ts';
import { toStoreError } from '../folder/system-error.ts';
import { linkOrCopy, makeFolders, removeIfEmpty, removeIfThere } from '../folder/write-file.ts';
import { conflictWarning, writeConflictCopy } from './conflict-copy.ts';
import { pathsOf } from './intent.ts';
import type { Intent, Step } from './intent.ts';
import { spareNames, replaceFile } from './replace-file.ts';
import { syncFoldersOf } from './under-lock.ts';
import type { UnderLock } from './under-lock.ts';

/**
 * Undoes what a transaction did: each file that is still as the transaction left it gets its previous bytes. A file that was saved since keeps
 * its text. Safe to repeat. Returns warnings about conflict copies.
 */
export async function rollBack(under: UnderLock, intent: Intent): Promise<readonly string[]> {
  const touched = new Set<string>();
  removeSpares(under, intent);
  for (const [index, step] of [...intent.steps.entries()].reverse()) {
    await under.lock.check();
    for (const path of await undoStep(under, intent.id, index, step)) touched.add(path);
  }
  await syncFoldersOf(under, touched);
  const warnings = await copyUnseenTexts(under, intent);
  for (const folder of intent.folders) removeIfEmpty(under.files, folder);
  return warnings;
}

/** Removes temporary files beside the files of an intent. Ignores those that cannot be accessed: their folder may have been replaced. */
export function removeSpares({ files }: UnderLock, intent: Intent): void {
  for (const [index, step] of intent.steps.entries()) {
    for (const path of pathsOf(step)) {
      const spare = spareNames(intent.id, index).beside(path);
      try {
        if (files.stat(spare)?.kind === 'file') removeIfThere(files, spare);
      } catch (error) {
        if (systemCode(error) === null) throw error;
      }
    }
  }
}

/**
 * Writes conflict copies of texts that a person saved just when roux displaced the file, if only the journal has them. `among`: the kinds of
 * displaced files to check; all of them for a transaction that is undone or dropped. Returns warnings about the copies.
 */
export async function copyUnseenTexts(
  under: UnderLock,
  intent: Intent,
  among: readonly Displaced[] = ['old', 'over', 'undone', 'between'],
): Promise<readonly string[]> {
  const { files, journal } = under;
  const warnings: string[] = [];
  for (const [index, step] of intent.steps.entries()) {
    const [path = ''] = pathsOf(step);
    for (const which of among) {
      const displaced = journal.displaced(intent.id, index, which);
      if (files.stat(displaced) === null) continue;
      const isKnown = knownTexts(under, { id: intent.id, index, step, which });
      const found = await readStable(files, { path: displaced, isKnown });
      if (found === null || isKnown(found.hash) || found.bytes.length === 0) continue;
      warnings.push(conflictWarning(path, await writeConflictCopy(under, { source: displaced, path })));
    }
  }
  return warnings;
}

type Displaced = 'old' | 'over' | 'undone' | 'between';

/** Returns a predicate for hashes of displaced texts that need no copy: the vault has the same text, or roux made it. */
function knownTexts(
  { files, journal }: UnderLock,
  { id, index, step, which }: { id: string; index: number; step: Step; which: Displaced },
): (hash: string) => boolean {
  // As long as its temporary name exists, the image has not replaced the file. After that, only the journal or the trash has the earlier text.
  const isInTrash = step.kind === 'remove' && step.trash !== null && files.stat(step.trash) !== null;
  const isReplaced = which === 'old' && files.stat(spareNames(id, index).temporary) === null && !isInTrash;
  const named = hashesOf(step).filter((hash) => !(isReplaced && step.kind !== 'create' && hash === step.before));
  // An image that was built on a person's text may equal that text, so it does not show that the displaced text is roux's own.
  const images = which === 'undone' || which === 'between' ? journal.stagedImages(id, index) : [];
  return (hash) =>
    named.includes(hash) ||
    images.some((image) => image.hash !== null && hash.startsWith(image.hash)) ||
    pathsOf(step).some((path) => hashAt(files, path, hash) === hash);
}

/** Returns the hashes that a step names. */
function hashesOf(step: Step): readonly (string | null)[] {
  const { before, after, over } = { before: null, after: null, over: null, ...step };
  return [before, after, over];
}

async function undoStep(under: UnderLock, id: string, index: number, step: Step): Promise<readonly string[]> {
  const { files, journal } = under;
  const old = journal.displaced(id, index);
  const holds = (path: string): boolean => step.kind !== 'remove' && holdsStaged(under, { id, index, path, after: step.after });
  const restore = async (path: string, earlier: string): Promise<void> => {
    await replaceFile(under, { image: earlier, path, old: journal.displaced(id, index, 'undone'), spare: spareNames(id, index) });
  };
  switch (step.kind) {
    case 'create':
      if (holds(step.path)) await displace(under, step.path, journal.displaced(id, index, 'undone'));
      return [step.path];
    case 'replace':
      if (files.stat(old) === null || !holds(step.path)) return [];
      await restore(step.path, old);
      return [step.path];
    case 'move': {
      const returned = await restoreName(under, step.from, old);
      const over = journal.displaced(id, index, 'over');
      if (step.over !== null) {
        if (files.stat(over) !== null && holds(step.to)) await restore(step.to, over);
      } else if (step.from !== step.to && files.stat(step.from) !== null && !isOneName(under, step) && holds(step.to)) {
        await displace(under, step.to, journal.displaced(id, index, 'undone'));
      }
      return [...returned, step.to];
    }
    case 'remove': {
      const returned = await restoreName(under, step.path, old);
      if (step.trash !== null && files.stat(step.path) !== null) removeIfThere(files, step.trash);
      return returned;
    }
  }
}

/** Returns whether a path still has what the transaction put there: the bytes that the intent names, or an unchanged staged file. */
function holdsStaged({ files, journal }: UnderLock, query: { id: string; index: number; path: string; after: string }): boolean {
  const hash = hashAt(files, query.path, query.after);
  if (hash === null) return false;
  if (hash === query.after) return true;
  // The name of an image that was built on newer bytes has its hash. Other bytes were saved into it by a person.
  return journal.stagedImages(query.id, query.index).some((staged) => staged.hash !== null && hash.startsWith(staged.hash));
}

/** Moves a file into the journal, where it stays until it is checked. */
async function displace({ files, isSynced }: UnderLock, path: string, target: string): Promise<void> {
  try {
    files.rename(path, target);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    if (systemCode(error) !== 'EXDEV') throw error;
    removeIfThere(files, target);
    await linkOrCopy(files, { from: path, to: target, isSynced });
    removeIfThere(files, path);
  }
}

/** Gives a displaced inode its name back, unless that is taken. Creates missing folders. Returns the paths that were made. */
async function restoreName({ files, isSynced }: UnderLock, path: string, old: string): Promise<readonly string[]> {
  if (files.stat(old) === null) return [path];
  const made = makeFolders(files, folderOf(path));
  try {
    await linkOrCopy(files, { from: old, to: path, isSynced });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  return [path, ...made];
}

/** Returns whether both names of a move are one file, as on a file system that ignores case: removing either would remove the file. */
function isOneName({ files }: UnderLock, step: { from: string; to: string }): boolean {
  const [from, to] = [files.stat(step.from), files.stat(step.to)];
  return from !== null && to !== null && from.ino === to.ino && from.links === 1;
}

/** Removes what was staged for a transaction that was never committed. If that fails, recovery does it before the next write. */
export async function clearStaged({ journal, isSynced, ports }: UnderLock, { id }: Intent): Promise<void> {
  try {
    await journal.clear(id, { isSynced });
  } catch (error) {
    if (systemCode(error) === null && !(error instanceof RouxError)) throw error;
    ports.log.error(`Clearing up after transaction ${id} failed: ${errorMessage(error)}`);
  }
}

/**
 * Undoes a transaction that failed while this process runs, and returns the error to answer with. Only a durable mark keeps recovery from
 * carrying the intent out: without it, it cannot be promised that the write never happens.
 */
export async function withdraw(under: UnderLock, intent: Intent, cause: unknown): Promise<unknown> {
  // Another process holds the lock now, and has completed or undone this already.
  if (cause instanceof RouxError && cause.code === 'LOCK_TIMEOUT') return unknownOutcome(intent.id, cause);
  const { journal, isSynced } = under;
  let isMarked = false;
  try {
    let warnings: readonly string[] = [];
    if (journal.isEnacted(intent.id)) {
      // Its lines are in the history and could not be removed, so recovery will take it for done.
      if (missingEvents(under, intent).length < intent.events.length) return unknownOutcome(intent.id, cause);
      await journal.abort(intent.id, isSynced);
      isMarked = true;
      warnings = await rollBack(under, intent);
    }
    await clearStaged(under, intent);
    for (const warning of warnings) under.ports.log.warn(warning);
    if (warnings.length > 0 && cause instanceof RouxError) {
      return new RouxError(cause.code, [cause.message, ...warnings].join(' '), cause.details, { cause });
    }
    return cause;
  } catch (error) {
    if (systemCode(error) === null && !(error instanceof RouxError)) throw error;
    under.ports.log.error(`Undoing transaction ${intent.id} failed and is tried again before the next write: ${errorMessage(error)}`);
    return isMarked ? notUndoneYet(intent.id, cause) : unknownOutcome(intent.id, cause);
  }
}

/** Returns the error for a write that recovery will complete or undo. `batch`: its id in the history if it is completed. */
export function unknownOutcome(batch: string, cause: unknown): RouxError {
  const message =
    `It is not known yet whether this write happens: it failed half-way (${errorMessage(cause)}) and will be completed or undone before the next ` +
    `write, or when roux starts again. If it was completed, the history has it as batch ${batch}, and "roux undo ${batch}" undoes it. ` +
    'Check that before you repeat it. A repeat with the same idempotency_key has no second effect.';
  return new RouxError('UNKNOWN_OUTCOME', message, { batch }, { cause });
}

/** Returns the error for a write that will certainly be undone, although files still have parts of it. */
function notUndoneYet(batch: string, cause: unknown): unknown {
  const known = toStoreError(cause);
  if (!(known instanceof RouxError)) return cause;
  const message =
    `This write failed (${errorMessage(cause)}) and will not happen, but it could not be undone completely yet, so files may still show parts of it. ` +
    'roux undoes the rest before the next write, or when it starts again.';
  return new RouxError(known.code, message, { ...known.details, batch }, { cause });
}

const MIN_TAIL_BYTES = 64 * 1024;
/** Maximum length of a line with its marks, as a multiple of the length of its content. */
const MARKED_LINE_FACTOR = 4;

/** Returns how many bytes at the end of a record are read to find lines that were appended last. */
export function tailBytesFor(lines: unknown): number {
  return MIN_TAIL_BYTES + MARKED_LINE_FACTOR * Buffer.byteLength(JSON.stringify(lines));
}

/** Returns the events of an intent that the history does not have. */
export function missingEvents({ records }: UnderLock, intent: Intent): Intent['events'] {
  const written = records.events.tail(tailBytesFor(intent.events));
  const seen = new Set(written.filter((event) => event.batch === intent.id).map((event) => event.seq));
  return intent.events.filter((event) => !seen.has(event.seq));
}
