import { RouxError, errorMessage } from '../../errors.ts';
import { folderOf } from '../../note/path.ts';
import type { FileState, FileSystem, HeldFileSystem } from '../folder/file-system.ts';
import { hashOf } from '../folder/hash.ts';
import { writeNewFiles } from '../folder/write-file.ts';
import { shortHash, toEvents } from '../records/history-event.ts';
import type { EventDraft, HistoryEvent } from '../records/history-event.ts';
import type { KeyRecord } from '../records/keys.ts';
import type { KeptFile } from './conflict-copy.ts';
import type { Intent, Step } from './intent.ts';
import { clearStaged, withdraw } from './rollback.ts';
import { runSteps } from './steps.ts';
import type { DisplacedFile, Outcome } from './outcome.ts';
import type { UnderLock } from './under-lock.ts';

/** One step with the bytes that it needs and what is told of it. */
export interface StagedStep {
  readonly step: Step;
  /** The bytes to stage; null when the step needs none. */
  readonly image: Uint8Array | null;
  /** The file whose mode and owner are kept. */
  readonly like: Pick<FileState, 'mode' | 'uid' | 'gid'> | null;
  readonly events: readonly EventDraft[];
  /** The events of the same change made on other bytes, when a person saved in between. */
  readonly describe: (before: Buffer, after: Buffer) => readonly EventDraft[];
}

/** A transaction that is to be carried out. */
export interface Work {
  readonly id: string;
  /** When it is made, ISO 8601. */
  readonly at: string;
  readonly operation: string;
  readonly agent: string;
  readonly steps: readonly StagedStep[];
  readonly signal?: AbortSignal;
  /** Staging progress of large transactions. */
  readonly onProgress?: (done: number, total: number) => void;
  /** The record of an idempotency key, once the events are known. */
  readonly makeKey: ((events: readonly HistoryEvent[]) => KeyRecord) | null;
}

/** A transaction that is on disk. */
export interface Transaction {
  readonly events: readonly HistoryEvent[];
  /** By step: the hash that its file has now, or null when it is gone. */
  readonly hashes: readonly (string | null)[];
  /** By step: the state of the file that was staged for it, where that is what stands under its name now. */
  readonly staged: readonly (FileState | null)[];
  /** Conflict copies that were made, and what is to be told of them. */
  readonly copies: readonly string[];
  readonly warnings: readonly string[];
  /** Displaced files that are looked at once more a little later: an editor may still write into one. */
  readonly displaced: readonly KeptFile[];
}

/**
 * Carries out steps as one transaction (docs/architecture.md, Writing). Durable when it returns. Rejects with `UNKNOWN_OUTCOME` where
 * recovery decides whether it happens; with any other error it has not happened and never will.
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
    // No intent is there yet, and without one recovery carries nothing out.
    await clearStaged(under, intent);
    throw error;
  }
  let outcome: Outcome;
  let events: readonly HistoryEvent[];
  try {
    await journal.enact(intent.id, isSynced);
    outcome = await runSteps(under, intent, { isRepeat: false });
    mustNotBeExchanged(under.files);
    events = describeAgain(intent, work.steps, outcome);
    await under.lock.check();
    await under.records.events.append(events, isSynced);
  } catch (error) {
    throw await withdraw(under, intent, error);
  }
  // From here on it has happened: what fails now is made good by recovery.
  const displaced = await finish(under, intent, outcome).catch((error: unknown) => {
    under.ports.log.warn(`Transaction ${intent.id} is done, but clearing up after it failed: ${errorMessage(error)}`);
    return [];
  });
  const hashes = work.steps.map(({ step }, index) => {
    const rewritten = outcome.rewritten.get(index);
    return rewritten === undefined ? hashAfter(step) : hashOf(rewritten.after);
  });
  const staged = work.steps.map((_, index) => (outcome.rewritten.has(index) ? null : (states.get(index) ?? null)));
  return { events, hashes, staged, copies: outcome.copies, warnings: outcome.warnings, displaced };
}

/** What was written went into folders that were held; where one has another name now, it did not go where it was meant. */
function mustNotBeExchanged(files: HeldFileSystem): void {
  const folder = files.findExchanged();
  if (folder === null) return;
  throw new RouxError(
    'CONFLICT',
    `${folder === '' ? 'The folder of the vault' : folder} was moved or replaced by somebody else while roux wrote. Try again.`,
    { path: folder },
    { retryable: true },
  );
}

/** Writes the key, keeps displaced bytes for undo, and ends the transaction. Running it again does what is left. */
export async function finish(under: UnderLock, intent: Intent, outcome: Outcome | null): Promise<readonly KeptFile[]> {
  const { files, journal, records, isSynced } = under;
  if (intent.key !== undefined) await records.keys.append([intent.key], isSynced);
  const kept: KeptFile[] = [];
  for (const displaced of outcome?.displaced ?? displacedBefore(under, intent)) {
    const step = intent.steps[displaced.step];
    // A moved file lives on under its new name, a removed one in the trash.
    if (step === undefined || step.kind === 'create' || step.kind === 'remove' || (step.kind === 'move' && step.before === step.after))
      continue;
    const file = records.beforeFile(intent.id, displaced.step);
    files.rename(displaced.file, file);
    const before = outcome?.rewritten.get(displaced.step)?.before ?? displaced.before;
    kept.push({ file, hash: displaced.hash, path: step.kind === 'move' ? step.to : step.path, before });
  }
  kept.push(...keepExchanged(under, intent));
  const batch = records.batchFile(intent.id);
  const told = asItCame(intent, outcome);
  if (told !== intent) await journal.keep(batch, told, isSynced);
  const isKept = told !== intent || (outcome === null && files.stat(batch) !== null);
  await journal.clear(intent.id, { isSynced, ...(isKept ? {} : { keep: batch }) });
  return kept;
}

/** What the steps displaced before a crash, or before clearing up failed, and is still in the journal. */
function displacedBefore(
  { files, journal }: UnderLock,
  { id, steps }: Intent,
): readonly Pick<DisplacedFile, 'step' | 'file' | 'hash' | 'before'>[] {
  return steps.flatMap((step, index) => {
    const file = journal.displaced(id, index);
    return step.kind === 'create' || files.stat(file) === null ? [] : [{ step: index, file, hash: step.before, before: null }];
  });
}

/** Files whose names others took in the same transaction, and which were rewritten on their way: undo needs what they held. */
function keepExchanged({ files, journal, records }: UnderLock, intent: Intent): readonly KeptFile[] {
  const moves = intent.steps.flatMap((step, index) => (step.kind === 'move' ? [{ step, index }] : []));
  const arrivals = new Map(moves.flatMap(({ step, index }) => (step.over === null ? [] : [[step.to, index] as const])));
  return moves.flatMap(({ step, index }): KeptFile[] => {
    const other = arrivals.get(step.from);
    if (other === undefined || step.before === step.after) return [];
    const displaced = journal.displaced(intent.id, other, 'over');
    if (files.stat(displaced) === null) return [];
    const file = records.beforeFile(intent.id, index);
    files.rename(displaced, file);
    return [{ file, hash: step.before, path: step.to, before: null }];
  });
}

/** The intent with the bytes that steps met and left, where a person saved in between: undo goes by them. */
function asItCame(intent: Intent, outcome: Outcome | null): Intent {
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
  const told = work.steps.flatMap(({ step, events }) => events.map((event) => ({ event, step })));
  const frame = { firstSeq: records.events.lastSeq + 1, timestamp, agent: work.agent, batch: work.id };
  const drafts = told.map(({ event }) => event);
  const events = toEvents(drafts, frame, (_, order) => hashAfter(told[order]!.step));
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

/** The events as they came to be, when a person saved a file between the plan and the write. */
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

/** Writes the intent and the after-images; their folder is synced with the intent's name. Returns the state of each image, by step. */
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

/** The hash of what a step leaves where all goes as planned; null where it leaves nothing. */
function hashAfter(step: Step): string | null {
  return step.kind === 'remove' ? null : step.after;
}
