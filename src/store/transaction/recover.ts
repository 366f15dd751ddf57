import { errorMessage, RouxError, systemCode } from '../../errors.ts';
import { foldKey } from '../../note/path.ts';
import { hashAt } from '../folder/hash.ts';
import { removeIfThere } from '../folder/write-file.ts';
import { finish } from './commit.ts';
import { isIntent, pathsOf, findIntentFault } from './intent.ts';
import type { Intent, Step } from './intent.ts';
import { REJECTED } from './journal.ts';
import type { FoundIntent } from './journal.ts';
import { isSpareName, TMP } from './replace-file.ts';
import { copyUnseenTexts, missingEvents, removeSpares, rollBack, tailBytesFor } from './rollback.ts';
import { DOCTOR_SHOWS } from './set-aside.ts';
import { isOneFile } from './step-context.ts';
import { runSteps } from './steps.ts';
import type { UnderLock } from './under-lock.ts';

/** What recovery did, and the paths that it may have changed. */
export interface Recovery {
  /** Messages for people about writes that it finished, which need no action. */
  readonly notices: readonly string[];
  /** Messages for people about what it set aside, which they should inspect. */
  readonly reports: readonly string[];
  readonly paths: readonly string[];
}

/**
 * Ends every unfinished transaction: completes it if it was committed, and removes it otherwise. Needs the writer lock; safe to repeat.
 * `isStart`: also removes temporary files whose intents a power loss may have taken.
 */
export async function recoverLeftovers(under: UnderLock, { isStart = false }: { readonly isStart?: boolean } = {}): Promise<Recovery> {
  const { files, journal, records } = under;
  const content = journal.read();
  const notices: string[] = [];
  const paths = new Set<string>();
  const refused = new Map<string, string>();
  // A half-written last line must be complete before lines are searched.
  const repaired = content.intents.length === 0 ? [] : [await records.events.repair(), await records.keys.repair()];
  for (const found of content.intents) {
    const intent = toTrustedIntent(under, found);
    if (typeof intent === 'string') {
      refused.set(found.id, intent);
      continue;
    }
    const notice = await recoverOne(under, intent, found.isAborted);
    if (notice !== null) notices.push(notice);
    for (const step of intent.steps) for (const path of pathsOf(step)) paths.add(path);
  }
  for (const id of content.torn) refused.set(id, 'it is damaged, or not a file');
  const reports = [...repaired.filter((report) => report !== null), ...setAside(under, refused)];
  journal.clearAbandoned(new Set(content.abandoned));
  // Temporary files only exist while the intent is in the journal.
  if (isStart || content.intents.length + content.torn.length + content.abandoned.length > 0)
    for (const { name, kind } of files.list(TMP) ?? []) if (kind === 'file' && isSpareName(name)) removeIfThere(files, `${TMP}/${name}`);
  return { notices, reports, paths: [...paths] };
}

/** Returns an intent that may be carried out, or in words why it must not be. */
function toTrustedIntent({ files }: UnderLock, { id, intent, isOurs }: FoundIntent): Intent | string {
  if (!isIntent(intent) || intent.id !== id) return 'it is damaged';
  return findIntentFault(files, intent) ?? (isOurs ? intent : 'it was not written in this folder');
}

/** Ends one intent that was written here. Returns a message about it, or null. */
async function recoverOne(under: UnderLock, intent: Intent, isAborted: boolean): Promise<string | null> {
  const { journal, records, isSynced } = under;
  removeSpares(under, intent);
  const missing = missingEvents(under, intent);
  if (!isAborted && missing.length === 0 && intent.events.length > 0) {
    // The history has its events, so it is done.
    await finish(under, withoutWrittenKey(under, intent), null);
    return null;
  }
  const name = `The unfinished write "${intent.operation}" of ${intent.timestamp}`;
  if (!isAborted && !matchesFiles(under, intent)) {
    const warnings = await copyUnseenTexts(under, intent);
    await journal.clear(intent.id, { isSynced });
    return [`${name} was dropped: its files have been saved since.`, ...warnings].join(' ');
  }
  if (!isAborted && !hasImages(under, intent)) {
    // Its staged images are gone. If its files are in their final state, it was done: it has no events, or a power loss took them.
    if (isCarriedOut(under, intent)) {
      await records.events.append(missing, isSynced);
      await finish(under, withoutWrittenKey(under, intent), null);
      return intent.events.length === 0 ? null : `${name} was completed.`;
    }
    // The power failed before the folder was synced, so nothing of it was done yet.
    await journal.abort(intent.id, isSynced);
  } else if (!isAborted) {
    try {
      const outcome = await runSteps(under, intent, { isRepeat: true });
      // Displaced texts that were not checked before the crash.
      const unseen = await copyUnseenTexts(under, intent, ['over', 'between']);
      await records.events.append(missing, isSynced);
      await finish(under, withoutWrittenKey(under, intent), outcome);
      return [`${name} was completed.`, ...outcome.warnings, ...unseen].join(' ');
    } catch (error) {
      const isTransient =
        error instanceof RouxError ? error.code === 'LOCK_TIMEOUT' || error.code === 'IO_ERROR' : systemCode(error) !== null;
      if (isTransient) throw error;
      if (!(error instanceof RouxError))
        under.ports.log.error(`The unfinished write ${intent.id} cannot be completed: ${errorMessage(error)}`);
      await journal.abort(intent.id, isSynced);
    }
  }
  const warnings = await rollBack(under, intent);
  await journal.clear(intent.id, { isSynced });
  return [`${name} was undone.`, ...warnings].join(' ');
}

function withoutWrittenKey({ records }: UnderLock, intent: Intent): Intent {
  const { key, ...rest } = intent;
  if (key === undefined) return intent;
  const written = records.keys.tail(tailBytesFor(key));
  return written.some((line) => line.key === key.key) ? rest : intent;
}

/** Returns whether the result of every step exists: staged, or already under its name. */
function hasImages({ files, journal }: UnderLock, intent: Intent): boolean {
  return intent.steps.every((step, index) => {
    if (step.kind === 'remove') return true;
    if (step.kind === 'move' && step.before === step.after && step.over === null && !step.keepsFrom) return true;
    const image = journal.image(intent.id, index);
    if (hashAt(files, image, step.after) === step.after) return true;
    // It may have been edited under its name since.
    return isOneFile(files.stat(image), files.stat(step.kind === 'move' ? step.to : step.path));
  });
}

/**
 * Returns whether no file is in the state before the steps and at least one in the state after them. Without staged images, that means that
 * all steps were done and clearing up had started.
 */
function isCarriedOut({ files }: UnderLock, intent: Intent): boolean {
  const states = intent.steps.map((step) => {
    const [before, after] = [step.kind === 'create' ? null : step.before, step.kind === 'remove' ? null : step.after];
    const [from, to] = pathsOf(step).map((path) => hashAt(files, path, before));
    if (step.kind === 'move' && !step.keepsFrom && from === before) return 'before';
    if (step.kind === 'move') return to === after ? 'after' : 'other';
    return from === after ? 'after' : from === before ? 'before' : 'other';
  });
  return states.includes('after') && !states.includes('before');
}

/**
 * Returns whether at least one file is in the state before or after the intent, or is the very file that it staged. Otherwise a backup may have
 * restored an old journal.
 */
function matchesFiles(under: UnderLock, intent: Intent): boolean {
  return intent.steps.some((step, index) => matchesFile(under, intent.id, index, step));
}

function matchesFile({ files, journal }: UnderLock, id: string, index: number, step: Step): boolean {
  for (const staged of journal.stagedImages(id, index)) {
    const image = files.stat(staged.path);
    if (pathsOf(step).some((path) => isOneFile(image, files.stat(path)))) return true;
  }
  switch (step.kind) {
    case 'create': {
      const current = hashAt(files, step.path);
      return (current ?? hashAt(files, journal.image(id, index))) === step.after;
    }
    case 'replace': {
      const current = hashAt(files, step.path);
      return current === step.after || current === step.before;
    }
    case 'move':
      return (
        hashAt(files, step.to, step.after) === step.after ||
        hashAt(files, step.from, step.before) === step.before ||
        // A file whose name changes case is only in the journal for a moment.
        (foldKey(step.from) === foldKey(step.to) && hashAt(files, journal.displaced(id, index), step.before) === step.before)
      );
    case 'remove': {
      const current = hashAt(files, step.path, step.before);
      return current === null || current === step.before;
    }
  }
}

/** Sets aside intents that must not be carried out, so that they are reported once and a person can inspect them. `reasons`: by id. */
function setAside(under: UnderLock, reasons: ReadonlyMap<string, string>): readonly string[] {
  under.journal.setAside(new Set(reasons.keys()));
  return [...reasons].map(
    ([id, reason]) =>
      `An unfinished write (${id}) in .roux/journal was not carried out: ${reason}. It is now in ${REJECTED}; ${DOCTOR_SHOWS} it.`,
  );
}
