import { RouxError, errorMessage, systemCode } from '../../errors.ts';
import { folderOf } from '../../note/path.ts';
import { hashAt } from '../folder/hash.ts';
import { readStable } from '../folder/read-stable.ts';
import { toStoreError } from '../folder/system-error.ts';
import { linkOrCopy, makeFolders, removeIfEmpty, removeIfThere } from '../folder/write-file.ts';
import { conflictWarning, keepConflictCopy } from './conflict-copy.ts';
import { pathsOf } from './intent.ts';
import type { Intent, Step } from './intent.ts';
import { spareNames, replaceFile } from './replace-file.ts';
import { syncFoldersOf } from './under-lock.ts';
import type { UnderLock } from './under-lock.ts';

/**
 * Takes back what a transaction did: each file that still holds what it was given gets its former bytes.
 * A file that somebody saved since keeps that text. Running it again does what is left.
 * Returns what is to be told of conflict copies.
 */
export async function rollBack(under: UnderLock, intent: Intent): Promise<readonly string[]> {
  const touched = new Set<string>();
  removeSpares(under, intent);
  for (const [index, step] of [...intent.steps.entries()].reverse()) {
    await under.lock.check();
    for (const path of await undoStep(under, intent.id, index, step)) touched.add(path);
  }
  await syncFoldersOf(under, touched);
  const warnings = await keepUnseenTexts(under, intent);
  for (const folder of intent.folders) removeIfEmpty(under.files, folder);
  return warnings;
}

/** Removes what was staged beside files. What cannot be looked at keeps no write from ending: its folder may be another by now. */
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
 * What a person saved in the instant in which roux displaced the file, and what nothing but the journal holds any more of it,
 * becomes a conflict copy: of a transaction that is undone or dropped all of it, else what no step looks at again (`among`).
 * Returns what is to be told of them.
 */
export async function keepUnseenTexts(
  under: UnderLock,
  intent: Intent,
  among: readonly Displaced[] = ['old', 'over', 'undone', 'between'],
): Promise<readonly string[]> {
  const { files, journal } = under;
  const warnings: string[] = [];
  for (const [index, step] of intent.steps.entries()) {
    const [path = ''] = pathsOf(step);
    for (const which of among) {
      const kept = journal.displaced(intent.id, index, which);
      if (files.stat(kept) === null) continue;
      const isKnown = knownTexts(under, { id: intent.id, index, step, which });
      const found = await readStable(files, { path: kept, isKnown });
      if (found === null || isKnown(found.hash) || found.bytes.length === 0) continue;
      warnings.push(conflictWarning(path, await keepConflictCopy(under, { source: kept, path })));
    }
  }
  return warnings;
}

type Displaced = 'old' | 'over' | 'undone' | 'between';

/** Tells by its hash whether a displaced text is one that need not be kept: it stands in the vault, or roux made it. */
function knownTexts(
  { files, journal }: UnderLock,
  { id, index, step, which }: { id: string; index: number; step: Step; which: Displaced },
): (hash: string) => boolean {
  // While its spare name is there, a replacement has not taken the place of the file. What it has replaced is nowhere else, but for the trash.
  const isInTrash = step.kind === 'remove' && step.trash !== null && files.stat(step.trash) !== null;
  const isReplaced = which === 'old' && files.stat(spareNames(id, index).temporary) === null && !isInTrash;
  const named = hashesOf(step).filter((hash) => !(isReplaced && step.kind !== 'create' && hash === step.before));
  // An image that was made again on a person's text may be that very text: it says nothing of what stood there before.
  const images = which === 'undone' || which === 'between' ? journal.stagedImages(id, index) : [];
  return (hash) =>
    named.includes(hash) ||
    images.some((image) => image.hash !== null && hash.startsWith(image.hash)) ||
    pathsOf(step).some((path) => hashAt(files, path, hash) === hash);
}

/** The states of a file that a step names. */
function hashesOf(step: Step): readonly (string | null)[] {
  const { before, after, over } = { before: null, after: null, over: null, ...step };
  return [before, after, over];
}

async function undoStep(under: UnderLock, id: string, index: number, step: Step): Promise<readonly string[]> {
  const { files, journal } = under;
  const old = journal.displaced(id, index);
  const holds = (path: string): boolean => step.kind !== 'remove' && holdsStaged(under, { id, index, path, after: step.after });
  const putBack = async (path: string, kept: string): Promise<void> => {
    await replaceFile(under, { image: kept, path, old: journal.displaced(id, index, 'undone'), spare: spareNames(id, index) });
  };
  switch (step.kind) {
    case 'create':
      if (holds(step.path)) await takeAway(under, step.path, journal.displaced(id, index, 'undone'));
      return [step.path];
    case 'replace':
      if (files.stat(old) === null || !holds(step.path)) return [];
      await putBack(step.path, old);
      return [step.path];
    case 'move': {
      const returned = await returnName(under, step.from, old);
      const over = journal.displaced(id, index, 'over');
      if (step.over !== null) {
        if (files.stat(over) !== null && holds(step.to)) await putBack(step.to, over);
      } else if (step.from !== step.to && files.stat(step.from) !== null && !isOneName(under, step) && holds(step.to)) {
        await takeAway(under, step.to, journal.displaced(id, index, 'undone'));
      }
      return [...returned, step.to];
    }
    case 'remove': {
      const returned = await returnName(under, step.path, old);
      if (step.trash !== null && files.stat(step.path) !== null) removeIfThere(files, step.trash);
      return returned;
    }
  }
}

/** Whether a name leads to what the transaction put there: the bytes that the intent names, or a staged file as it was staged. */
function holdsStaged({ files, journal }: UnderLock, query: { id: string; index: number; path: string; after: string }): boolean {
  const hash = hashAt(files, query.path, query.after);
  if (hash === null) return false;
  if (hash === query.after) return true;
  // A change that was made again on newer bytes is staged under a name that tells them; what was saved into it since is a person's.
  return journal.stagedImages(query.id, query.index).some((staged) => staged.hash !== null && hash.startsWith(staged.hash));
}

/** Takes a name away; what it leads to stays in the journal until it is looked at. */
async function takeAway({ files, isSynced }: UnderLock, path: string, kept: string): Promise<void> {
  try {
    files.rename(path, kept);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    if (systemCode(error) !== 'EXDEV') throw error;
    removeIfThere(files, kept);
    await linkOrCopy(files, { from: path, to: kept, isSynced });
    removeIfThere(files, path);
  }
}

/** Gives a displaced inode its name again, unless somebody has taken it, and its folder if that is gone. Returns the paths that were made. */
async function returnName({ files, isSynced }: UnderLock, path: string, old: string): Promise<readonly string[]> {
  if (files.stat(old) === null) return [path];
  const made = makeFolders(files, folderOf(path));
  try {
    await linkOrCopy(files, { from: old, to: path, isSynced });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  return [path, ...made];
}

/** On a file system that ignores case, removing one of two such names would remove the file. */
function isOneName({ files }: UnderLock, step: { from: string; to: string }): boolean {
  const [from, to] = [files.stat(step.from), files.stat(step.to)];
  return from !== null && to !== null && from.ino === to.ino && from.links === 1;
}

/** Removes what was staged for a transaction that never began; what cannot be removed now is cleared before the next write. */
export async function clearStaged({ journal, isSynced, ports }: UnderLock, { id }: Intent): Promise<void> {
  try {
    await journal.clear(id, { isSynced });
  } catch (error) {
    if (systemCode(error) === null && !(error instanceof RouxError)) throw error;
    ports.log.error(`Clearing up after transaction ${id} failed: ${errorMessage(error)}`);
  }
}

/**
 * Takes back a transaction that failed while this process lives, and returns the error to answer with. Only a mark that is on the medium
 * keeps recovery from carrying the intent out: until then nobody can promise that the write never happens.
 */
export async function withdraw(under: UnderLock, intent: Intent, cause: unknown): Promise<unknown> {
  // Another process holds the lock now, and has completed or undone this already.
  if (cause instanceof RouxError && cause.code === 'LOCK_TIMEOUT') return unknownOutcome(intent.id, cause);
  const { journal, isSynced } = under;
  let isMarked = false;
  try {
    let warnings: readonly string[] = [];
    if (journal.isEnacted(intent.id)) {
      // Lines that are in the history and could not be removed from it say that it is done: recovery goes by them.
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

/** The error of a write of which nobody knows yet whether it will have happened. `batch`: what the history calls it if it has. */
export function unknownOutcome(batch: string, cause: unknown): RouxError {
  const message =
    `Whether this write happens is not known yet: it failed half-way (${errorMessage(cause)}), and is completed or undone before the next write, ` +
    `or when roux starts again. Its batch is ${batch}: once that is over, the history has it if it happened, and "roux undo ${batch}" takes it back. ` +
    'Look before you repeat it; with the same idempotency_key a repeat has no second effect.';
  return new RouxError('UNKNOWN_OUTCOME', message, { batch }, { cause });
}

/** The error of a write that will be undone for certain, while files still hold some of it. */
function notUndoneYet(batch: string, cause: unknown): unknown {
  const told = toStoreError(cause);
  if (!(told instanceof RouxError)) return cause;
  const message =
    `This write failed (${errorMessage(cause)}) and will not happen, but not all of it could be undone yet: until then files may show some of it. ` +
    'roux undoes the rest before the next write, or when it starts again.';
  return new RouxError(told.code, message, { ...told.details, batch }, { cause });
}

/** Returns how many bytes at the end of a record are read to find lines that were appended last. */
export function tailBytesFor(lines: unknown): number {
  return MIN_TAIL_BYTES + MARKED_LINE_FACTOR * Buffer.byteLength(JSON.stringify(lines));
}

const MIN_TAIL_BYTES = 64 * 1024;
/** Maximum length of a line with its marks, as a multiple of the length of its content. */
const MARKED_LINE_FACTOR = 4;

/** The events of an intent that the history does not have. */
export function missingEvents({ records }: UnderLock, intent: Intent): Intent['events'] {
  const written = records.events.tail(tailBytesFor(intent.events));
  const seen = new Set(written.filter((event) => event.batch === intent.id).map((event) => event.seq));
  return intent.events.filter((event) => !seen.has(event.seq));
}
