import { RouxError } from '../errors.ts';
import { removeIfThere } from '../disk/atomic.ts';
import { hashOf } from './content.ts';
import { finish } from './commit.ts';
import type { WriteGround } from './ground.ts';
import { absolute } from './ground.ts';
import { isIntent } from './intent.ts';
import type { Intent, Step } from './intent.ts';
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
  for (const { id, isAborted, intent } of look.intents) {
    if (!isIntent(intent) || intent.id !== id) {
      reports.push(await reject(ground, `${id}.${isAborted ? 'abort' : 'json'}`));
      continue;
    }
    const report = await recoverOne(ground, logbook, intent, isAborted);
    if (report !== null) reports.push(report);
    for (const step of intent.steps) for (const path of pathsOf(step)) paths.add(path);
  }
  for (const name of look.rejected) reports.push(await reject(ground, name));
  for (const id of look.abandoned) await journal.clear(id, { isSynced: ground.isSynced });
  for (const name of (await files.list(`${ground.root}/.roux/tmp`)) ?? []) await removeIfThere(files, `${ground.root}/.roux/tmp/${name}`);
  return { reports, paths: [...paths] };
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
  if (!isAborted && !(await isOfThisVault(ground, intent))) return await reject(ground, `${intent.id}.json`);
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

/**
 * Whether an intent belongs to the files that are here. In the folder where it was written, one file in the state before or after it is enough;
 * elsewhere (a vault that was moved, copied or restored) one must be in the state after it.
 */
async function isOfThisVault(ground: WriteGround, intent: Intent): Promise<boolean> {
  const isHome = String((await ground.files.stat(ground.root))?.ino ?? '') === intent.root;
  for (const [index, step] of intent.steps.entries()) {
    const evidence = await evidenceOf(ground, intent.id, index, step);
    if (evidence === 'after' || (evidence === 'before' && isHome)) return true;
  }
  return false;
}

async function evidenceOf(ground: WriteGround, id: string, index: number, step: Step): Promise<'before' | 'after' | 'none'> {
  const hashAt = async (path: string): Promise<string | null> => {
    const bytes = await ground.files.read(absolute(ground, path));
    return bytes === null ? null : hashOf(bytes);
  };
  switch (step.kind) {
    case 'create': {
      const standing = await hashAt(step.path);
      if (standing === step.after) return 'after';
      const staged = await ground.files.read(ground.journal.image(id, index));
      return standing === null && staged !== null && hashOf(staged) === step.after ? 'before' : 'none';
    }
    case 'replace': {
      const standing = await hashAt(step.path);
      return standing === step.after ? 'after' : standing === step.before ? 'before' : 'none';
    }
    case 'move':
      if ((await hashAt(step.to)) === step.after) return 'after';
      return (await hashAt(step.from)) === step.before ? 'before' : 'none';
    case 'remove': {
      const standing = await hashAt(step.path);
      // That a file is not there says something only in the folder where it was.
      if (standing === null) return (await ground.files.stat(ground.journal.displaced(id, index))) === null ? 'before' : 'after';
      return standing === step.before ? 'before' : 'none';
    }
  }
}

/** Puts aside what is no intent of this vault, so that it is reported once and never acted upon. */
async function reject(ground: WriteGround, name: string): Promise<string> {
  const { files, journal } = ground;
  const id = name.slice(0, name.indexOf('.'));
  await files.rename(`${journal.folder}/${name}`, `${journal.folder}/${id}.rejected`);
  for (const part of (await files.list(journal.folder)) ?? []) {
    // The first name too: renaming one of two names of the same file onto the other does nothing.
    if (part.startsWith(`${id}.`) && !part.endsWith('.rejected')) await removeIfThere(files, `${journal.folder}/${part}`);
  }
  return `.roux/journal/${name} is damaged or of another vault; it was put aside as ${id}.rejected and nothing was changed.`;
}

function pathsOf(step: Step): readonly string[] {
  return step.kind === 'move' ? [step.from, step.to] : [step.path];
}
