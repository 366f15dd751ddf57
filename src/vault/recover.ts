import { RouxError } from '../errors.ts';
import { REJECTED } from '../disk/journal.ts';
import { removeIfThere } from '../disk/atomic.ts';
import { hashOf } from './content.ts';
import { finish } from './commit.ts';
import type { WriteGround } from './ground.ts';
import { absolute } from './ground.ts';
import { isIntent } from './intent.ts';
import type { Intent, Step } from './intent.ts';
import { pathsOf, whyNotToBeDone } from './intent-check.ts';
import type { Logbook } from './logbook.ts';
import { restoreSteps } from './restore.ts';
import { runSteps } from './steps.ts';
import { besideTarget } from './swap.ts';

/** What recovery found and did, in words for people, and the files it may have touched. */
export interface Recovery {
  readonly reports: readonly string[];
  readonly paths: readonly string[];
}

/** Brings every unfinished transaction to an end: forward when it is in force, away when it is not. Under the writer lock; safe to repeat. */
export async function recoverLeftovers(ground: WriteGround, logbook: Logbook): Promise<Recovery> {
  const { files, journal } = ground;
  const look = await journal.look();
  const reports: string[] = [];
  const paths = new Set<string>();
  for (const { id, isAborted, intent, isOurs } of look.intents) {
    const refusal = await whyRefused(ground, id, { intent, isOurs });
    if (refusal !== null || !isIntent(intent)) {
      reports.push(await setAside(ground, id, refusal ?? ''));
      continue;
    }
    const report = await recoverOne(ground, logbook, intent, isAborted);
    if (report !== null) reports.push(report);
    for (const step of intent.steps) for (const path of pathsOf(step)) paths.add(path);
  }
  for (const id of look.torn) reports.push(await setAside(ground, id, 'it is damaged or no file'));
  for (const id of look.abandoned) await journal.clear(id, { isSynced: ground.isSynced });
  for (const name of (await files.list(`${ground.root}/.roux/tmp`)) ?? []) {
    const path = `${ground.root}/.roux/tmp/${name}`;
    if (stagedName.test(name) && (await files.stat(path))?.kind === 'file') await removeIfThere(files, path);
  }
  return { reports, paths: [...paths] };
}

/** The names under which steps keep something in `.roux/tmp` for an instant. */
const stagedName = /^[0-9a-z]{26}\.\d+(?:\.\w+)*$/;

/** Why an intent is not acted upon, in words, or null. */
async function whyRefused(ground: WriteGround, id: string, found: { intent: unknown; isOurs: boolean }): Promise<string | null> {
  const { intent, isOurs } = found;
  if (!isIntent(intent) || intent.id !== id) return 'it is damaged';
  const fault = await whyNotToBeDone(ground, intent);
  if (fault !== null) return fault;
  return isOurs ? null : 'it was not written in this folder';
}

async function recoverOne(ground: WriteGround, logbook: Logbook, intent: Intent, isAborted: boolean): Promise<string | null> {
  const { journal } = ground;
  for (const [index, step] of intent.steps.entries()) {
    for (const path of pathsOf(step))
      await removeIfThere(ground.files, besideTarget(ground, path, `${intent.id}.${index}`)).catch(() => false);
  }
  const missing = await missingEvents(logbook, intent);
  if (!isAborted && missing.length === 0) {
    // The history says that it is done.
    await finish(ground, logbook, await withoutKnownKey(logbook, intent), null);
    return null;
  }
  if (!isAborted && !(await isOfTheseFiles(ground, intent)))
    return await setAside(ground, intent.id, 'the files that it was about are others now');
  if (!isAborted && !(await hasImages(ground, intent))) {
    // The power failed before the folder was synced: nothing of it was done yet.
    await journal.abort(intent.id, ground.isSynced);
  } else if (!isAborted) {
    try {
      const outcome = await runSteps(ground, intent, { isRepeat: true });
      await logbook.events.append(missing, ground.isSynced);
      await finish(ground, logbook, await withoutKnownKey(logbook, intent), outcome);
      return [`The unfinished write "${intent.operation}" of ${intent.timestamp} was completed.`, ...outcome.warnings].join(' ');
    } catch (error) {
      if (!(error instanceof RouxError) || error.code === 'LOCK_TIMEOUT' || error.code === 'IO_ERROR') throw error;
      await journal.abort(intent.id, ground.isSynced);
    }
  }
  await restoreSteps(ground, intent);
  await journal.clear(intent.id, { isSynced: ground.isSynced });
  return `The unfinished write "${intent.operation}" of ${intent.timestamp} was undone.`;
}

async function missingEvents(logbook: Logbook, intent: Intent): Promise<Intent['events']> {
  const written = await logbook.events.tail(Math.max(64 * 1024, 4 * Buffer.byteLength(JSON.stringify(intent.events))));
  const seen = new Set(written.filter((event) => event.batch === intent.id).map((event) => event.seq));
  return intent.events.filter((event) => !seen.has(event.seq));
}

async function withoutKnownKey(logbook: Logbook, intent: Intent): Promise<Intent> {
  const { key, ...rest } = intent;
  if (key === undefined) return intent;
  const written = await logbook.keys.tail(Math.max(64 * 1024, 4 * Buffer.byteLength(JSON.stringify(key))));
  return written.some((line) => line.key === key.key) ? rest : intent;
}

/** Whether everything that the steps put in place is there: staged, or already under its name. */
async function hasImages(ground: WriteGround, intent: Intent): Promise<boolean> {
  const { files } = ground;
  for (const [index, step] of intent.steps.entries()) {
    if (step.kind === 'remove') continue;
    if (step.kind === 'move' && step.before === step.after && step.over === null && !step.keepsFrom) continue;
    const image = ground.journal.image(intent.id, index);
    const bytes = await files.read(image);
    if (bytes !== null && hashOf(bytes) === step.after) continue;
    // Under its name somebody may have written into it since.
    const [staged, standing] = [await files.stat(image), await files.stat(absolute(ground, step.kind === 'move' ? step.to : step.path))];
    if (staged === null || staged.ino !== standing?.ino) return false;
  }
  return true;
}

/** Whether an intent is about the files that are here: one of them in the state before or after it is enough. A backup may have brought back an old journal. */
async function isOfTheseFiles(ground: WriteGround, intent: Intent): Promise<boolean> {
  for (const [index, step] of intent.steps.entries()) if (await hasEvidence(ground, intent.id, index, step)) return true;
  return false;
}

async function hasEvidence(ground: WriteGround, id: string, index: number, step: Step): Promise<boolean> {
  const hashAt = async (path: string): Promise<string | null> => {
    const bytes = await ground.files.read(absolute(ground, path));
    return bytes === null ? null : hashOf(bytes);
  };
  switch (step.kind) {
    case 'create': {
      const standing = await hashAt(step.path);
      if (standing !== null) return standing === step.after;
      const staged = await ground.files.read(ground.journal.image(id, index));
      return staged !== null && hashOf(staged) === step.after;
    }
    case 'replace': {
      const standing = await hashAt(step.path);
      return standing === step.after || standing === step.before;
    }
    case 'move':
      return (await hashAt(step.to)) === step.after || (await hashAt(step.from)) === step.before;
    case 'remove': {
      const standing = await hashAt(step.path);
      return standing === null || standing === step.before;
    }
  }
}

/** Puts aside what is not to be acted upon, so that it is reported once and a person can look at it. */
async function setAside(ground: WriteGround, id: string, reason: string): Promise<string> {
  await ground.journal.setAside(id);
  return `An unfinished write (${id}) in .roux/journal was not carried out: ${reason}. It is kept in .roux/journal/${REJECTED}; "roux doctor" tells of it.`;
}
