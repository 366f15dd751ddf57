import { RouxError, errorMessage, systemCode } from '../errors.ts';
import { writeNewFile } from '../disk/atomic.ts';
import { hashOf } from './content.ts';
import { deriveEvent } from './event.ts';
import { shortHash } from './external.ts';
import type { WriteGround } from './ground.ts';
import { absolute, eachOf } from './ground.ts';
import type { Intent, KeyRecord } from './intent.ts';
import type { LateFile } from './late.ts';
import type { Logbook } from './logbook.ts';
import type { HistoryEvent, PlannedEvent, WriteMeta } from './plan.ts';
import type { PreparedFile } from './prepare.ts';
import { restoreSteps } from './restore.ts';
import { runSteps } from './steps.ts';
import type { Outcome } from './steps.ts';

/** Prepared files, and what is to be told of them. */
interface Work {
  readonly id: string;
  readonly meta: WriteMeta;
  readonly files: readonly PreparedFile[];
  readonly planned: readonly PlannedEvent[];
  /** The record of an idempotency key, once the events are known. */
  readonly makeKey: ((events: readonly HistoryEvent[]) => KeyRecord) | null;
}

/** A transaction that is on disk. */
export interface Transaction {
  readonly intent: Intent;
  readonly events: readonly HistoryEvent[];
  readonly outcome: Outcome;
  /** Displaced files that are looked at once more a little later: an editor may still write into one. */
  readonly late: readonly LateFile[];
}

/** Carries out prepared files as one transaction (writes.md, section 3). Durable when it returns; on failure everything is as before. */
export async function commit(ground: WriteGround, logbook: Logbook, work: Work): Promise<Transaction> {
  const { id, meta } = work;
  const intent = await makeIntent(ground, logbook, work);
  const { journal } = ground;
  try {
    await stage(ground, intent, work.files, meta);
    meta.signal?.throwIfAborted();
    await ground.lock.check();
    await journal.enact(id, ground.isSynced);
  } catch (error) {
    await withdraw(ground, intent, error);
    throw error;
  }
  let outcome: Outcome;
  let events: readonly HistoryEvent[];
  try {
    outcome = await runSteps(ground, intent, { isRepeat: false });
    events = describeAgain(intent, work.files, outcome, work.planned);
    await ground.lock.check();
    await logbook.events.append(events, ground.isSynced);
  } catch (error) {
    await withdraw(ground, intent, error);
    throw error;
  }
  // From here on it has happened: what fails now is made good by recovery.
  const late = await finish(ground, logbook, intent, outcome).catch((error: unknown) => {
    ground.ports.log.warn(`Transaction ${id} is done, but clearing up after it failed: ${errorMessage(error)}`);
    return [];
  });
  return { intent, events, outcome, late };
}

/** Writes the key, keeps displaced bytes for undo, and ends the transaction. Running it again does what is left. */
export async function finish(ground: WriteGround, logbook: Logbook, intent: Intent, outcome: Outcome | null): Promise<readonly LateFile[]> {
  const { files, journal } = ground;
  if (intent.key !== undefined) await logbook.keys.append([intent.key], ground.isSynced);
  const late: LateFile[] = [];
  for (const displaced of outcome?.displaced ?? []) {
    const step = intent.steps[displaced.step];
    // A moved file lives on under its new name, a removed one in the trash.
    if (step === undefined || step.kind === 'create' || step.kind === 'remove' || (step.kind === 'move' && step.before === step.after))
      continue;
    const file = logbook.beforeFile(intent.id, displaced.step);
    await files.rename(displaced.file, file);
    late.push({ file, hash: displaced.hash, path: step.kind === 'move' ? step.to : step.path });
  }
  await journal.clear(intent.id, { isSynced: ground.isSynced, keep: logbook.batchFile(intent.id) });
  return late;
}

async function makeIntent(ground: WriteGround, logbook: Logbook, work: Work): Promise<Intent> {
  const timestamp = new Date(ground.ports.clock.now()).toISOString();
  const events = work.files.flatMap((file, index) => eventsOf(file, work.planned).map((event) => ({ event, index })));
  const numbered = events.map(({ event, index }, order): HistoryEvent => ({
    seq: logbook.events.lastSeq + 1 + order,
    timestamp,
    node: event.node,
    path: event.path,
    agent: work.meta.agent,
    action: event.action,
    changes: event.changes,
    batch: work.id,
    ...hashField(work.files[index], null, index),
  }));
  return {
    format: 1,
    id: work.id,
    root: String((await ground.files.stat(ground.root))?.ino ?? ''),
    operation: work.meta.operation,
    agent: work.meta.agent,
    timestamp,
    steps: work.files.map((file) => file.step),
    events: numbered,
    folders: await missingFolders(ground, work.files),
    ...(work.makeKey === null ? {} : { key: work.makeKey(numbered) }),
  };
}

/** The events of one file: those that the plan names, else one that the change itself tells. */
function eventsOf(
  file: PreparedFile,
  planned: readonly PlannedEvent[],
): readonly Pick<HistoryEvent, 'node' | 'path' | 'action' | 'changes'>[] {
  const derived = deriveEvent(file.sides, file.changes);
  const named = planned.filter((event) => event.path === file.path || (event.path === file.sides.pathBefore && file.step.kind === 'move'));
  if (named.length === 0) return [derived];
  return named.map((event) => ({
    node: event.node ?? derived.node,
    path: file.path,
    action: event.action,
    changes: event.changes ?? derived.changes,
  }));
}

/** The events as they came to be, when a person saved a file between the plan and the write. */
function describeAgain(
  intent: Intent,
  files: readonly PreparedFile[],
  outcome: Outcome,
  planned: readonly PlannedEvent[],
): readonly HistoryEvent[] {
  if (outcome.rewritten.size === 0) return intent.events;
  const contents = files.flatMap((file, index) => {
    const rewritten = outcome.rewritten.get(index);
    const hash = hashField(file, outcome, index);
    if (rewritten === undefined) return eventsOf(file, planned).map((event) => ({ ...event, ...hash }));
    const sides = { ...file.sides, before: rewritten.before.toString('utf8'), after: rewritten.after.toString('utf8') };
    return eventsOf({ ...file, sides }, planned).map((event) => ({ ...event, ...hash }));
  });
  return intent.events.map((event, index) => ({ ...event, ...contents[index] }));
}

async function missingFolders(ground: WriteGround, files: readonly PreparedFile[]): Promise<readonly string[]> {
  const missing = new Set<string>();
  for (const { step } of files) {
    if (step.kind !== 'create' && step.kind !== 'move') continue;
    const segments = (step.kind === 'create' ? step.path : step.to).split('/').slice(0, -1);
    for (let depth = 1; depth <= segments.length; depth++) {
      const folder = segments.slice(0, depth).join('/');
      if (missing.has(folder) || (await ground.files.stat(absolute(ground, folder))) === null) missing.add(folder);
    }
  }
  return [...missing];
}

/** Writes the after-images and the intent side by side; their folder is synced with the intent's name. */
async function stage(ground: WriteGround, intent: Intent, files: readonly PreparedFile[], meta: WriteMeta): Promise<void> {
  const images = files.flatMap((file, index) => (file.image === null ? [] : [{ file, image: file.image, index }]));
  let done = 0;
  const drafting = ground.journal.draft(intent.id, intent, ground.isSynced);
  const staging = eachOf(images, async ({ file, image, index }) => {
    meta.signal?.throwIfAborted();
    await writeNewFile(ground.files, {
      path: ground.journal.image(intent.id, index),
      bytes: image,
      like: file.like,
      isSynced: ground.isSynced,
    });
    meta.onProgress?.(++done, images.length);
  });
  const settled = await Promise.allSettled([drafting, staging]);
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
}

/** Takes a transaction back that failed while this process lives. */
async function withdraw(ground: WriteGround, intent: Intent, cause: unknown): Promise<void> {
  // Another process holds the lock now and has finished or undone this already.
  if (cause instanceof RouxError && cause.code === 'LOCK_TIMEOUT') return;
  const { journal, files } = ground;
  try {
    const isEnacted = (await files.stat(`${journal.folder}/${intent.id}.json`)) !== null;
    if (isEnacted) {
      await journal.abort(intent.id, ground.isSynced);
      await restoreSteps(ground, intent);
    }
    await journal.clear(intent.id, { isSynced: ground.isSynced });
  } catch (error) {
    if (systemCode(error) === null && !(error instanceof RouxError)) throw error;
    ground.ports.log.error(`Undoing transaction ${intent.id} failed and is tried again before the next write: ${errorMessage(error)}`);
  }
}

function hashField(file: PreparedFile | undefined, outcome: Outcome | null, index: number): { hash?: string } {
  const hash = file === undefined ? null : hashAfter(file, outcome, index);
  return hash === null ? {} : { hash: shortHash(hash) };
}

/** The hash that a file has after its step, or null when it is gone. */
export function hashAfter(file: PreparedFile, outcome: Outcome | null, index: number): string | null {
  const rewritten = outcome?.rewritten.get(index);
  if (rewritten !== undefined) return hashOf(rewritten.after);
  return file.step.kind === 'remove' ? null : file.step.after;
}
