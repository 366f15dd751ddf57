import { errorMessage, RouxError, systemCode } from '../../errors.ts';
import { foldKey } from '../../note/path.ts';
import { hashAt } from '../folder/hash.ts';
import { removeIfThere } from '../folder/write-file.ts';
import { finish } from './commit.ts';
import { isIntent, pathsOf, whyNotToBeDone } from './intent.ts';
import type { Intent, Step } from './intent.ts';
import { REJECTED } from './journal.ts';
import type { FoundIntent } from './journal.ts';
import { isSpareName, TMP } from './replace-file.ts';
import { keepUnseenTexts, missingEvents, removeSpares, rollBack, tailBytesFor } from './rollback.ts';
import { isOneFile } from './step-context.ts';
import { runSteps } from './steps.ts';
import type { UnderLock } from './under-lock.ts';

/** What recovery found and did, and the files that it may have touched. */
export interface Recovery {
  /** What it ended, in words for people: good to know, and nothing to do about. */
  readonly notices: readonly string[];
  /** What it put aside, in words for people, who should look at it. */
  readonly reports: readonly string[];
  readonly paths: readonly string[];
}

/**
 * Brings every unfinished transaction to an end: forward when it is in force, away when it is not. Under the writer lock; safe to repeat.
 * `isStart`: a power loss may have left spare names whose intents are gone.
 */
export async function recoverLeftovers(under: UnderLock, { isStart = false }: { readonly isStart?: boolean } = {}): Promise<Recovery> {
  const { files, journal, records } = under;
  const look = journal.look();
  const notices: string[] = [];
  const paths = new Set<string>();
  const refused = new Map<string, string>();
  // What was appended last, and half: before it is looked for among whole lines.
  const repaired = look.intents.length === 0 ? [] : [await records.events.repair(), await records.keys.repair()];
  for (const found of look.intents) {
    const intent = toTrustedIntent(under, found);
    if (typeof intent === 'string') {
      refused.set(found.id, intent);
      continue;
    }
    const notice = await recoverOne(under, intent, found.isAborted);
    if (notice !== null) notices.push(notice);
    for (const step of intent.steps) for (const path of pathsOf(step)) paths.add(path);
  }
  for (const id of look.torn) refused.set(id, 'it is damaged, or no file');
  const reports = [...repaired.filter((told) => told !== null), ...setAside(under, refused)];
  journal.clearAbandoned(new Set(look.abandoned));
  // A spare name is made and used while the intent is in the journal.
  if (isStart || look.intents.length + look.torn.length + look.abandoned.length > 0)
    for (const { name, kind } of files.list(TMP) ?? []) if (kind === 'file' && isSpareName(name)) removeIfThere(files, `${TMP}/${name}`);
  return { notices, reports, paths: [...paths] };
}

/** Returns an intent that may be acted upon, or in words why it must not be. */
function toTrustedIntent({ files }: UnderLock, { id, intent, isOurs }: FoundIntent): Intent | string {
  if (!isIntent(intent) || intent.id !== id) return 'it is damaged';
  return whyNotToBeDone(files, intent) ?? (isOurs ? intent : 'it was not written in this folder');
}

/** Ends one intent that was written here; returns what is to be told of it. */
async function recoverOne(under: UnderLock, intent: Intent, isAborted: boolean): Promise<string | null> {
  const { journal, records, isSynced } = under;
  removeSpares(under, intent);
  const missing = missingEvents(under, intent);
  if (!isAborted && missing.length === 0 && intent.events.length > 0) {
    // The history says that it is done.
    await finish(under, withoutKnownKey(under, intent), null);
    return null;
  }
  const name = `The unfinished write "${intent.operation}" of ${intent.timestamp}`;
  if (!isAborted && !isOfTheseFiles(under, intent)) {
    const warnings = await keepUnseenTexts(under, intent);
    await journal.clear(intent.id, { isSynced });
    return [`${name} was dropped: the files that it was about have been saved since, instead of it or on top of it.`, ...warnings].join(
      ' ',
    );
  }
  if (!isAborted && !hasImages(under, intent)) {
    // One that tells no events, or whose events went with the power: its files say that it is done. What they held before is not here any more.
    if (isCarriedOut(under, intent)) {
      await records.events.append(missing, isSynced);
      await finish(under, withoutKnownKey(under, intent), null);
      return intent.events.length === 0 ? null : `${name} was completed.`;
    }
    // The power failed before the folder was synced: nothing of it was done yet.
    await journal.abort(intent.id, isSynced);
  } else if (!isAborted) {
    try {
      const outcome = await runSteps(under, intent, { isRepeat: true });
      // What nobody had looked at when the crash came.
      const unseen = await keepUnseenTexts(under, intent, ['over', 'between']);
      await records.events.append(missing, isSynced);
      await finish(under, withoutKnownKey(under, intent), outcome);
      return [`${name} was completed.`, ...outcome.warnings, ...unseen].join(' ');
    } catch (error) {
      const isOfThisMoment =
        error instanceof RouxError ? error.code === 'LOCK_TIMEOUT' || error.code === 'IO_ERROR' : systemCode(error) !== null;
      if (isOfThisMoment) throw error;
      if (!(error instanceof RouxError)) under.ports.log.error(`The unfinished write ${intent.id} cannot be ended: ${errorMessage(error)}`);
      await journal.abort(intent.id, isSynced);
    }
  }
  const warnings = await rollBack(under, intent);
  await journal.clear(intent.id, { isSynced });
  return [`${name} was undone.`, ...warnings].join(' ');
}

function withoutKnownKey({ records }: UnderLock, intent: Intent): Intent {
  const { key, ...rest } = intent;
  if (key === undefined) return intent;
  const written = records.keys.tail(tailBytesFor(key));
  return written.some((line) => line.key === key.key) ? rest : intent;
}

/** Whether everything that the steps put in place is there: staged, or already under its name. */
function hasImages({ files, journal }: UnderLock, intent: Intent): boolean {
  return intent.steps.every((step, index) => {
    if (step.kind === 'remove') return true;
    if (step.kind === 'move' && step.before === step.after && step.over === null && !step.keepsFrom) return true;
    const image = journal.image(intent.id, index);
    if (hashAt(files, image, step.after) === step.after) return true;
    // Under its name somebody may have written into it since.
    return isOneFile(files.stat(image), files.stat(step.kind === 'move' ? step.to : step.path));
  });
}

/** Whether no file is as it was before the steps, and one as it is after them: without a staged image that is so only where all was done, and clearing up had begun. */
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

/** Whether an intent is about the files that are here: one of them in the state before or after it, or the very file that it put there, is enough. A backup may have brought back an old journal. */
function isOfTheseFiles(under: UnderLock, intent: Intent): boolean {
  return intent.steps.some((step, index) => isAboutFile(under, intent.id, index, step));
}

function isAboutFile({ files, journal }: UnderLock, id: string, index: number, step: Step): boolean {
  for (const staged of journal.stagedImages(id, index)) {
    const image = files.stat(staged.path);
    if (pathsOf(step).some((path) => isOneFile(image, files.stat(path)))) return true;
  }
  switch (step.kind) {
    case 'create': {
      const standing = hashAt(files, step.path);
      return (standing ?? hashAt(files, journal.image(id, index))) === step.after;
    }
    case 'replace': {
      const standing = hashAt(files, step.path);
      return standing === step.after || standing === step.before;
    }
    case 'move':
      return (
        hashAt(files, step.to, step.after) === step.after ||
        hashAt(files, step.from, step.before) === step.before ||
        // Between the two names of a file that gets another case, it is in the journal alone.
        (foldKey(step.from) === foldKey(step.to) && hashAt(files, journal.displaced(id, index), step.before) === step.before)
      );
    case 'remove': {
      const standing = hashAt(files, step.path, step.before);
      return standing === null || standing === step.before;
    }
  }
}

/** Puts aside what is not to be acted upon, so that it is reported once and a person can look at it. Takes the reasons by id. */
function setAside(under: UnderLock, reasons: ReadonlyMap<string, string>): readonly string[] {
  under.journal.setAside(new Set(reasons.keys()));
  return [...reasons].map(
    ([id, reason]) =>
      `An unfinished write (${id}) in .roux/journal was not carried out: ${reason}. It is kept in ${REJECTED}; "roux doctor" tells of it.`,
  );
}
