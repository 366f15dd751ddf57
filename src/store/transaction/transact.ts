import { errorMessage, RouxError } from '../../errors.ts';
import { isVaultPath } from '../../note/path.ts';
import { isoNow } from '../../ports.ts';
import type { FileSystem } from '../folder/file-system.ts';
import { removeIfEmpty, removeOnlyIfEmpty } from '../folder/write-file.ts';
import { toEvents } from '../records/history-event.ts';
import type { EventDraft, HistoryEvent } from '../records/history-event.ts';
import type { Keys } from '../records/keys.ts';
import type { Done, Now, Prepared, TransactionMeta, VaultStore } from '../store.ts';
import { commit } from './commit.ts';
import type { StagedStep } from './commit.ts';
import type { KeptFile } from './conflict-copy.ts';
import { pathsOf } from './intent.ts';
import { keepParts } from './parts.ts';
import type { Part } from './parts.ts';
import { planSteps } from './plan-steps.ts';
import type { UnderLock } from './under-lock.ts';

/** How long somebody is ready to wait for their turn, in milliseconds. */
export interface Wait {
  readonly signal?: AbortSignal;
  readonly patienceMs?: number;
}

/** Of a transaction that others decided and that is carried out here as well: what it is called, and when they made it. */
export interface Origination {
  readonly id?: string;
  /** ISO 8601. */
  readonly at?: string;
}

/** A transaction between its plan and its doing: checked, and nothing of it written. */
export interface Planned {
  readonly kind: 'planned';
  readonly id: string;
  /** When it is made, ISO 8601. */
  readonly at: string;
  readonly meta: TransactionMeta;
  readonly prepared: Prepared;
  readonly steps: readonly StagedStep[];
}

export interface HowToCarryOut {
  /** The transactions of others of which it consists. */
  readonly parts?: readonly Part[];
}

/** What is there when a task begins. */
export interface Entered extends Now {
  /** The transactions that other processes recorded since this one looked last; null when that cannot be told. */
  readonly recorded: readonly string[] | null;
}

/** A store in the hands of one task. */
export interface HeldStore {
  /** Aborted when the caller gives up or roux is asked to end: for what is waited for before anything has happened. */
  readonly signal: AbortSignal;
  /** Ends what a crash left, and tells what others wrote: before each plan. Waits for git so many milliseconds. */
  enter(patienceMs: number): Promise<Entered>;
  readonly read: VaultStore['read'];
  /** Asks for the changes and checks them against the files. */
  plan(
    meta: TransactionMeta & Origination,
    now: Now,
    prepare: (now: Now) => Promise<Prepared>,
  ): Promise<Planned | Extract<Done, { kind: 'repeated' }>>;
  carryOut(planned: Planned, how?: HowToCarryOut): Promise<Extract<Done, { kind: 'done' }>>;
  /** Appends events as others made them; each gets a number of this store. */
  recordAs(events: readonly Omit<HistoryEvent, 'seq'>[]): Promise<readonly HistoryEvent[]>;
}

/** Asks for the changes of a transaction and turns them into steps on the files that are there now. */
export async function plan(
  under: UnderLock,
  {
    meta,
    now,
    prepare,
    keys,
    isReadOnly,
  }: {
    readonly meta: TransactionMeta & Origination;
    readonly now: Now;
    readonly prepare: (now: Now) => Promise<Prepared>;
    readonly keys: Keys;
    readonly isReadOnly: boolean;
  },
): Promise<Planned | Extract<Done, { kind: 'repeated' }>> {
  const { idempotencyKey, payloadHash = '' } = meta;
  const first = idempotencyKey === undefined ? null : keys.find(idempotencyKey, payloadHash);
  if (first !== null) return { kind: 'repeated', answer: first.result };
  const id = meta.id ?? under.ports.newId();
  const prepared = await prepare(now);
  // What is taken over was written elsewhere: the folder only follows.
  if (prepared.changes.length > 0 && isReadOnly && prepared.isIncoming !== true)
    throw new RouxError('READ_ONLY', 'This vault is open for reading only.');
  return { kind: 'planned', id, at: meta.at ?? isoNow(under.ports.clock), meta, prepared, steps: planSteps(under.files, prepared, id) };
}

/** Carries out what was planned. */
export async function carryOut(
  under: UnderLock,
  planned: Planned,
  { keys, parts = [] }: HowToCarryOut & { readonly keys: Keys },
): Promise<Extract<Done, { kind: 'done' }> & { readonly displaced: readonly KeptFile[] }> {
  const { id, at, meta, prepared, steps } = planned;
  const { records, isSynced } = under;
  const { idempotencyKey, payloadHash = '' } = meta;
  const makeKey =
    idempotencyKey === undefined
      ? null
      : (batch: string | null, events: readonly HistoryEvent[]) =>
          keys.recordFor(idempotencyKey, payloadHash, prepared.answer?.({ batch, events }) ?? null);
  if (steps.length === 0) {
    if (makeKey !== null) await records.keys.append([makeKey(null, [])], isSynced);
    const nothing = { events: [], hashes: [], staged: [], paths: [], warnings: [], displaced: [] };
    return { kind: 'done', batch: null, seq: records.events.lastSeq, ...nothing };
  }
  const done = await commit(under, {
    id,
    at,
    operation: meta.operation,
    agent: meta.agent,
    steps,
    ...(meta.signal === undefined ? {} : { signal: meta.signal }),
    ...(meta.onProgress === undefined ? {} : { onProgress: meta.onProgress }),
    makeKey: makeKey === null ? null : (events) => makeKey(id, events),
  });
  // It has happened: what fails from here on is a warning.
  const warnings = [...done.warnings, ...removeEmptied(under.files, prepared)];
  let { displaced } = done;
  try {
    if (parts.length > 0) displaced = await keepParts(under, planned, { parts, displaced });
  } catch (error) {
    under.ports.log.warn(`Transaction ${id} is done, but what is kept for undo stays in one piece: ${errorMessage(error)}`);
  }
  const paths = [...new Set([...steps.flatMap(({ step }) => pathsOf(step)), ...done.copies])];
  const { events, hashes, staged } = done;
  return { kind: 'done', batch: id, seq: records.events.lastSeq, events, hashes, staged, paths, warnings, displaced };
}

/** Removes the folders that a transaction emptied; returns what is to be said of those that could not be. */
function removeEmptied(files: FileSystem, { emptied = [], vacated = [] }: Prepared): readonly string[] {
  const removals = [
    ...emptied.map((folder) => ({ folder, remove: () => removeIfEmpty(files, folder) })),
    ...vacated.map((folder) => ({ folder, remove: () => removeOnlyIfEmpty(files, folder) })),
  ];
  return removals.flatMap(({ folder, remove }) => {
    try {
      if (isVaultPath(folder)) remove();
      return [];
    } catch (error) {
      return [`The folder ${folder} is empty now and could not be removed: ${errorMessage(error)}.`];
    }
  });
}

/** Appends events of what others did without roux. */
export async function record(
  { records, ports, isSynced }: UnderLock,
  told: {
    readonly events: readonly EventDraft[];
    readonly agent: string;
    readonly hashOfEvent: (event: EventDraft) => string | null;
  },
): Promise<readonly HistoryEvent[]> {
  const frame = { firstSeq: records.events.lastSeq + 1, timestamp: isoNow(ports.clock), agent: told.agent };
  const numbered = toEvents(told.events, frame, told.hashOfEvent);
  await records.events.append(numbered, isSynced);
  return numbered;
}

/** Appends events as others made them, with numbers of this store. */
export async function recordAs(
  { records, isSynced }: UnderLock,
  events: readonly Omit<HistoryEvent, 'seq'>[],
): Promise<readonly HistoryEvent[]> {
  const first = records.events.lastSeq + 1;
  const numbered = events.map((event, index): HistoryEvent => ({ seq: first + index, ...event }));
  await records.events.append(numbered, isSynced);
  return numbered;
}
