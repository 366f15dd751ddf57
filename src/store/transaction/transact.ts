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
import type { RetainedFile } from './conflict-copy.ts';
import { pathsOf } from './intent.ts';
import { splitBatch } from './parts.ts';
import type { Part } from './parts.ts';
import { planSteps } from './plan-steps.ts';
import type { UnderLock } from './under-lock.ts';

/** How long a caller waits for the lock. */
export interface Wait {
  readonly signal?: AbortSignal;
  /** In milliseconds. */
  readonly patienceMs?: number;
}

/** Id and time of a transaction that was committed elsewhere and is carried out here too. */
export interface Origination {
  readonly id?: string;
  /** ISO 8601. */
  readonly at?: string;
}

/** A transaction that is planned and checked, and of which nothing is written yet. */
export interface Planned {
  readonly kind: 'planned';
  readonly id: string;
  /** Time of the transaction, ISO 8601. */
  readonly at: string;
  /** When its files began to be read, by the clock that stamps files, in milliseconds; undefined if that was before it was planned. */
  readonly begunMs: number | undefined;
  readonly meta: TransactionMeta;
  readonly prepared: Prepared;
  readonly steps: readonly StagedStep[];
}

export interface CarryOutOptions {
  /** The transactions of other machines of which this one consists. */
  readonly parts?: readonly Part[];
}

/** The state of the store when a task begins. */
export interface Entered extends Now {
  /** The transactions that other processes recorded since the last poll; null when that is unknown. */
  readonly recorded: readonly string[] | null;
}

/** The store for one task that holds the writer lock. */
export interface HeldStore {
  /** Aborted when the caller gives up or roux shuts down. It only ends waits before anything is written. */
  readonly signal: AbortSignal;
  /** Recovers what a crash left, and reads what other processes wrote. Call it before each plan. `patienceMs`: longest wait for git. */
  enter(patienceMs: number): Promise<Entered>;
  readonly read: VaultStore['read'];
  /** Requests the changes and checks them against the files. */
  plan(
    meta: TransactionMeta & Origination,
    now: Now,
    prepare: (now: Now) => Promise<Prepared>,
  ): Promise<Planned | Extract<Done, { kind: 'repeated' }>>;
  carryOut(planned: Planned, how?: CarryOutOptions): Promise<Extract<Done, { kind: 'done' }>>;
  /** Appends events of other stores. Each gets a sequence number of this store. */
  recordAs(events: readonly Omit<HistoryEvent, 'seq'>[]): Promise<readonly HistoryEvent[]>;
}

/** Requests the changes of a transaction and plans the steps on the current files. */
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
  const begunMs = under.files.now();
  const prepared = await prepare(now);
  // Incoming changes were committed elsewhere, so the folder must follow.
  if (prepared.changes.length > 0 && isReadOnly && prepared.isIncoming !== true)
    throw new RouxError('READ_ONLY', 'This vault is open for reading only.');
  const steps = planSteps(under.files, prepared, id);
  const planned = { kind: 'planned', id, at: meta.at ?? isoNow(under.ports.clock), meta, prepared, steps } as const;
  // What comes in was merged with files that were read earlier.
  return { ...planned, begunMs: prepared.isIncoming === true ? undefined : begunMs };
}

/** Carries out a planned transaction. */
export async function carryOut(
  under: UnderLock,
  planned: Planned,
  { keys, parts = [] }: CarryOutOptions & { readonly keys: Keys },
): Promise<Extract<Done, { kind: 'done' }> & { readonly displaced: readonly RetainedFile[] }> {
  const { id, at, begunMs, meta, prepared, steps } = planned;
  const { records, isSynced } = under;
  const { idempotencyKey, payloadHash = '' } = meta;
  const isKeySynced = isSynced && meta.isCallKey !== true;
  const makeKey =
    idempotencyKey === undefined
      ? null
      : (batch: string | null, events: readonly HistoryEvent[]) =>
          keys.recordFor(idempotencyKey, payloadHash, prepared.answer?.({ batch, events }) ?? null);
  if (steps.length === 0) {
    if (makeKey !== null) await records.keys.append([makeKey(null, [])], isKeySynced);
    const nothing = { events: [], hashes: [], staged: [], paths: [], warnings: [], displaced: [] };
    return { kind: 'done', batch: null, seq: records.events.lastSeq, ...nothing };
  }
  const done = await commit(under, {
    id,
    at,
    operation: meta.operation,
    agent: meta.agent,
    steps,
    ...(begunMs === undefined ? {} : { begunMs }),
    ...(meta.signal === undefined ? {} : { signal: meta.signal }),
    ...(meta.onProgress === undefined ? {} : { onProgress: meta.onProgress }),
    makeKey: makeKey === null ? null : (events) => makeKey(id, events),
    isKeySynced,
  });
  // The transaction is committed: failures from here on are only warnings.
  const warnings = [...done.warnings, ...removeEmptied(under.files, prepared)];
  let { displaced } = done;
  try {
    if (parts.length > 0) displaced = await splitBatch(under, planned, { parts, displaced });
  } catch (error) {
    under.ports.log.warn(`Transaction ${id} is done, but its data for undo could not be split: ${errorMessage(error)}`);
  }
  const paths = [...new Set([...steps.flatMap(({ step }) => pathsOf(step)), ...done.copies])];
  const { events, hashes, staged } = done;
  return { kind: 'done', batch: id, seq: records.events.lastSeq, events, hashes, staged, paths, warnings, displaced };
}

/** Removes the folders that a transaction emptied. Returns warnings about those that could not be removed. */
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

/** Appends events of changes made without roux. */
export async function record(
  { records, ports, isSynced }: UnderLock,
  given: {
    readonly events: readonly EventDraft[];
    readonly agent: string;
    readonly hashOfEvent: (event: EventDraft) => string | null;
  },
): Promise<readonly HistoryEvent[]> {
  const frame = { firstSeq: records.events.lastSeq + 1, timestamp: isoNow(ports.clock), agent: given.agent };
  const numbered = toEvents(given.events, frame, given.hashOfEvent);
  await records.events.append(numbered, isSynced);
  return numbered;
}

/** Appends events of other stores, with sequence numbers of this one. */
export async function recordAs(
  { records, isSynced }: UnderLock,
  events: readonly Omit<HistoryEvent, 'seq'>[],
): Promise<readonly HistoryEvent[]> {
  const first = records.events.lastSeq + 1;
  const numbered = events.map((event, index): HistoryEvent => ({ seq: first + index, ...event }));
  await records.events.append(numbered, isSynced);
  return numbered;
}
