import { RouxError, errorMessage } from '../../errors.ts';
import { folderOf } from '../../note/path.ts';
import { isRacy } from '../folder/file-system.ts';
import type { FileState, FileSystem, HeldFileSystem } from '../folder/file-system.ts';
import { hashOf, isTooLarge } from '../folder/hash.ts';
import type { StableFile } from '../folder/read-stable.ts';
import { writeNewFiles } from '../folder/write-file.ts';
import { shortHash, toEvents } from '../records/history-event.ts';
import type { EventDraft, HistoryEvent } from '../records/history-event.ts';
import type { KeyRecord } from '../records/keys.ts';
import type { RetainedFile } from './conflict-copy.ts';
import type { Intent, Step } from './intent.ts';
import { JOURNAL } from './journal.ts';
import { LOCK } from './lock/ticket.ts';
import { clearStaged, withdraw } from './rollback.ts';
import { runSteps } from './steps.ts';
import type { DisplacedFile, Outcome } from './outcome.ts';
import type { UnderLock } from './under-lock.ts';

/** A step with the bytes that it needs and its events. */
export interface StagedStep {
  readonly step: Step;
  /** Bytes to stage; null when the step needs none. */
  readonly image: Uint8Array | null;
  /** File whose mode and owner the new one gets; null for the defaults. */
  readonly like: Pick<FileState, 'mode' | 'uid' | 'gid'> | null;
  /** The file to replace, as it was read for the plan. */
  readonly of?: StableFile;
  readonly events: readonly EventDraft[];
  /** Returns the events of the same change applied to other bytes, when a person saved in between. */
  readonly describe: (before: Buffer, after: Buffer) => readonly EventDraft[];
}

/** A planned transaction. */
export interface Work {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly operation: string;
  readonly agent: string;
  readonly steps: readonly StagedStep[];
  /** When its files began to be read, by the clock that stamps files, in milliseconds. */
  readonly begunMs?: number;
  readonly signal?: AbortSignal;
  /** Receives the staging progress of large transactions. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Builds the record of the idempotency key once the events are known; null without a key. */
  readonly makeKey: ((events: readonly HistoryEvent[]) => KeyRecord) | null;
  /** Whether that record outlasts a power cut. */
  readonly isKeySynced: boolean;
}

/** A committed transaction. */
export interface Transaction {
  readonly events: readonly HistoryEvent[];
  /** For each step, the present hash of its file; null when it was removed. */
  readonly hashes: readonly (string | null)[];
  /** For each step, the state of its staged file; null when none was staged or the file has other bytes now. */
  readonly staged: readonly (FileState | null)[];
  /** Paths of conflict copies, and the warnings about them. */
  readonly copies: readonly string[];
  readonly warnings: readonly string[];
  /** Displaced files to check again a little later, since an editor may still write into them. */
  readonly displaced: readonly RetainedFile[];
}

/**
 * Carries out steps as one transaction (docs/architecture.md, Writing). Durable when it returns. Throws `UNKNOWN_OUTCOME` when recovery
 * decides whether it happens; after any other error it has not happened and never will.
 */
export async function commit(under: UnderLock, work: Work): Promise<Transaction> {
  const intent = makeIntent(under, work);
  const { journal, isSynced } = under;
  let states: ReadonlyMap<number, FileState>;
  try {
    states = await stage(under, intent, work);
    work.signal?.throwIfAborted();
    await under.lock.check();
  } catch (error) {
    // The intent is not in force yet, so recovery carries nothing out.
    await clearStaged(under, intent);
    throw error;
  }
  let outcome: Outcome;
  let events: readonly HistoryEvent[];
  try {
    await journal.enact(intent.id, isSynced);
    outcome = await runSteps(under, intent, { isRepeat: false, asRead: settledFiles(work) });
    checkFolders(under.files);
    events = describeAgain(intent, work.steps, outcome);
    await under.lock.check();
    await under.records.events.append(events, isSynced);
  } catch (error) {
    throw await withdraw(under, intent, error);
  }
  // It has happened: recovery makes up for what fails from here on.
  const displaced = await finish(under, intent, outcome, { images: [...states.keys()], isKeySynced: work.isKeySynced }).catch(
    (error: unknown) => {
      under.ports.log.warn(`Transaction ${intent.id} is done, but clearing up after it failed: ${errorMessage(error)}`);
      return [];
    },
  );
  const hashes = work.steps.map(({ step }, index) => {
    const rewritten = outcome.rewritten.get(index);
    return rewritten === undefined ? hashAfter(step) : hashOf(rewritten.after);
  });
  const staged = work.steps.map((_, index) => (outcome.rewritten.has(index) ? null : (states.get(index) ?? null)));
  return { events, hashes, staged, copies: outcome.copies, warnings: outcome.warnings, displaced };
}

/** Returns, by step, the files to replace in which nobody can have saved since they were read without their state telling it. */
function settledFiles({ steps, begunMs }: Work): ReadonlyMap<number, StableFile> {
  // Not every file system has change times.
  const isSettled = ({ state }: StableFile): boolean =>
    begunMs !== undefined &&
    !isTooLarge(state) &&
    [state.mtimeNs, state.ctimeNs].every((time) => !isRacy(begunMs - Number(time / 1_000_000n), time));
  return new Map(steps.flatMap(({ of }, index) => (of !== undefined && isSettled(of) ? [[index, of] as const] : [])));
}

/** Folders that have no part of a finished write. The lock is checked separately. */
const TEMPORARY_FOLDERS = [LOCK, JOURNAL];

/** Throws `CONFLICT` when a folder was replaced: the files were written into the held folder, not into the one that has its name now. */
function checkFolders(files: HeldFileSystem): void {
  const folder = files.findExchanged(TEMPORARY_FOLDERS);
  if (folder === null) return;
  throw new RouxError(
    'CONFLICT',
    `${folder === '' ? 'The folder of the vault' : folder} was moved or replaced by another program while roux wrote. Try again.`,
    { path: folder },
    { retryable: true },
  );
}

/**
 * Writes the key, retains displaced bytes for undo, and ends the transaction. Running it again does what is left. `images`: the steps for
 * which the only run staged one; null when there may have been others.
 */
export async function finish(
  under: UnderLock,
  intent: Intent,
  outcome: Outcome | null,
  { images = null, isKeySynced = under.isSynced }: { readonly images?: readonly number[] | null; readonly isKeySynced?: boolean } = {},
): Promise<readonly RetainedFile[]> {
  const { files, journal, records, isSynced } = under;
  if (intent.key !== undefined) await records.keys.append([intent.key], isKeySynced);
  const retained: RetainedFile[] = [];
  for (const displaced of outcome?.displaced ?? displacedBefore(under, intent)) {
    const step = intent.steps[displaced.step];
    // An unchanged moved file exists under its new name, a removed one in the trash.
    if (step === undefined || step.kind === 'create' || step.kind === 'remove' || (step.kind === 'move' && step.before === step.after))
      continue;
    const file = records.beforeFile(intent.id, displaced.step);
    files.rename(displaced.file, file);
    const before = outcome?.rewritten.get(displaced.step)?.before ?? displaced.before;
    retained.push({ file, hash: displaced.hash, path: step.kind === 'move' ? step.to : step.path, before });
  }
  for (const each of retainExchanged(under, intent)) retained.push(each);
  const batch = records.batchFile(intent.id);
  const actual = withActualHashes(intent, outcome);
  if (actual !== intent) await journal.writeIntent(batch, actual, isSynced);
  const isWritten = actual !== intent || (outcome === null && files.stat(batch) !== null);
  // Then nothing else was made, and what was displaced has got its place among the batches.
  const isAsPlanned = outcome !== null && outcome.rewritten.size === 0 && outcome.copies.length === 0;
  const isKnown = isAsPlanned && intent.steps.every(({ kind }) => kind === 'create' || kind === 'replace');
  await journal.clear(intent.id, {
    isSynced,
    isFirst: images !== null,
    ...(images === null || !isKnown ? {} : { left: images.map((step) => journal.image(intent.id, step)) }),
    ...(isWritten ? {} : { moveIntentTo: batch }),
  });
  return retained;
}

/** Finds what the steps displaced in an earlier run and is still in the journal. */
function displacedBefore(
  { files, journal }: UnderLock,
  { id, steps }: Intent,
): readonly Pick<DisplacedFile, 'step' | 'file' | 'hash' | 'before'>[] {
  return steps.flatMap((step, index) => {
    const file = journal.displaced(id, index);
    return step.kind === 'create' || files.stat(file) === null ? [] : [{ step: index, file, hash: step.before, before: null }];
  });
}

/** Retains for undo the previous bytes of files that were rewritten while another file of the transaction took their name. */
function retainExchanged({ files, journal, records }: UnderLock, intent: Intent): readonly RetainedFile[] {
  const moves = intent.steps.flatMap((step, index) => (step.kind === 'move' ? [{ step, index }] : []));
  const arrivals = new Map(moves.flatMap(({ step, index }) => (step.over === null ? [] : [[step.to, index] as const])));
  return moves.flatMap(({ step, index }): RetainedFile[] => {
    const other = arrivals.get(step.from);
    if (other === undefined || step.before === step.after) return [];
    const displaced = journal.displaced(intent.id, other, 'over');
    if (files.stat(displaced) === null) return [];
    const file = records.beforeFile(intent.id, index);
    files.rename(displaced, file);
    return [{ file, hash: step.before, path: step.to, before: null }];
  });
}

/** Returns the intent with the hashes that steps really found and left when a person saved in between, which undo needs. */
function withActualHashes(intent: Intent, outcome: Outcome | null): Intent {
  if (outcome === null || outcome.rewritten.size === 0) return intent;
  const steps = intent.steps.map((step, index) => {
    const rewritten = outcome.rewritten.get(index);
    if (rewritten === undefined || (step.kind !== 'replace' && step.kind !== 'move')) return step;
    return { ...step, before: hashOf(rewritten.before), after: hashOf(rewritten.after) };
  });
  return { ...intent, steps };
}

function makeIntent({ files, records }: UnderLock, work: Work): Intent {
  const timestamp = work.at;
  const drafts = work.steps.flatMap(({ step, events }) => events.map((event) => ({ event, step })));
  const frame = { firstSeq: records.events.lastSeq + 1, timestamp, agent: work.agent, batch: work.id };
  const events = toEvents(
    drafts.map(({ event }) => event),
    frame,
    (_, order) => hashAfter(drafts[order]!.step),
  );
  return {
    format: 1,
    id: work.id,
    operation: work.operation,
    agent: work.agent,
    timestamp,
    steps: work.steps.map(({ step }) => step),
    events,
    folders: missingFolders(files, work.steps),
    ...(work.makeKey === null ? {} : { key: work.makeKey(events) }),
  };
}

/** Returns the events of what really changed when a person saved a file between the plan and the write. */
function describeAgain(intent: Intent, steps: readonly StagedStep[], outcome: Outcome): readonly HistoryEvent[] {
  if (outcome.rewritten.size === 0) return intent.events;
  const contents = steps.flatMap(({ step, events, describe }, index) => {
    const rewritten = outcome.rewritten.get(index);
    const after = rewritten === undefined ? hashAfter(step) : hashOf(rewritten.after);
    const hash = after === null ? {} : { hash: shortHash(after) };
    return (rewritten === undefined ? events : describe(rewritten.before, rewritten.after)).map((event) => ({ ...event, ...hash }));
  });
  return intent.events.map((event, index) => ({ ...event, ...contents[index] }));
}

function missingFolders(files: FileSystem, steps: readonly StagedStep[]): readonly string[] {
  const missing = new Set<string>();
  for (const { step } of steps) {
    if (step.kind !== 'create' && step.kind !== 'move') continue;
    const segments = folderOf(step.kind === 'create' ? step.path : step.to).split('/');
    for (let depth = 1; depth <= segments.length; depth++) {
      const folder = segments.slice(0, depth).join('/');
      if (folder !== '' && (missing.has(folder) || files.stat(folder) === null)) missing.add(folder);
    }
  }
  return [...missing];
}

/** Writes the intent and the images, whose folder is synced when the intent gets its name. Returns the states of the images by step. */
async function stage(
  { files, journal, isSynced }: UnderLock,
  intent: Intent,
  { steps, signal, onProgress }: Work,
): Promise<ReadonlyMap<number, FileState>> {
  const images = steps.flatMap(({ image, like }, index) =>
    image === null ? [] : [{ index, file: { path: journal.image(intent.id, index), bytes: image, like, isSynced, isImage: true } }],
  );
  const wanted = [journal.draft(intent.id, intent, isSynced), ...images.map(({ file }) => file)];
  const [, ...states] = await writeNewFiles(files, wanted, {
    signal,
    onWritten: (done) => onProgress?.(Math.min(done, images.length), images.length),
  });
  return new Map(images.map(({ index }, order) => [index, states[order]!]));
}

/** Returns the hash of the file after a step as planned; null when the step removes it. */
function hashAfter(step: Step): string | null {
  return step.kind === 'remove' ? null : step.after;
}
