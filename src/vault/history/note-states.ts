import { hashOf } from '../../store/folder/hash.ts';
import { shortHash } from '../../store/records/history-event.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { StoreRecords } from '../../store/folder-store.ts';
import type { Intent, Step } from '../../store/transaction/intent.ts';
import { groupByBatch, inSlices, isCreation, pathBefore } from './events.ts';
import { textAfter } from '../plan/note-text.ts';

/** One state of a note between two changes. */
export interface NoteState {
  /** Path of the note in this state. */
  readonly path: string;
  /** Start of the state in milliseconds; null if unknown. */
  readonly since: number | null;
  /** Time in milliseconds until which the state is certain: an unseen change may have come before the next state. */
  readonly sureUntil: number;
  /** Leading digits of its hash; null while the note did not exist. */
  readonly hash: string | null;
  /** The event that made it; null if the history has none. */
  readonly event: HistoryEvent | null;
  /** Changes since the note was made, or since the history knows it: its revision if it has no `rev` (`WriteCounts`). */
  readonly count: number;
  /** Returns the bytes, verified against the hash; null if they are not stored. */
  bytes(): Buffer | null;
}

/** A file as it is now. */
export interface PresentFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly hash: string;
  readonly modifiedMs: number;
}

/** A file that a write displaced. */
interface DisplacedFile extends PresentFile {
  /** Rebuilds the bytes that the write left from those before; null if that is not possible. */
  after(): Buffer | null;
}

/** Where files displaced by finished transactions, and texts before edits from outside, are stored. */
export type UndoRecords = Pick<StoreRecords, 'batches' | 'trash'> & { readonly texts: Pick<StoreRecords['texts'], 'find'> };

const NOT_YET = { since: -Infinity, sureUntil: Infinity, hash: null, event: null, count: 0 } as const;

/** Placeholder for an unknown hash. */
export const UNKNOWN_HASH = '?';

/**
 * Returns the states of one file, oldest first, from its events (oldest first) and the file as it is now. roux's own writes are dated by
 * their events, other changes by the modification time of the file if it is stored.
 */
export function statesOf(kept: UndoRecords, events: readonly HistoryEvent[], present: PresentFile | null): Promise<readonly NoteState[]> {
  return inSlices(statesInSteps(kept, events, present));
}

function* statesInSteps(
  kept: UndoRecords,
  events: readonly HistoryEvent[],
  present: PresentFile | null,
): Generator<void, readonly NoteState[]> {
  // Listed once, however many deletions there were.
  const trash = { ...kept.trash, list: memoize(() => kept.trash.list()) };
  const states: MutableState[] = [];
  for (const [index, written] of groupByBatch(events).entries()) {
    yield;
    const event = written.at(-1);
    const [first = event] = written;
    if (first === undefined || event === undefined) continue;
    const displaced = memoize(() => readDisplaced({ ...kept, trash }, event));
    if (event.foreign === true || !written.some(isCreation)) addDisplaced(states, first, displaced, index === 0);
    else if (states.length === 0) states.push({ ...NOT_YET, path: event.path, sources: [] });
    const since = Date.parse(event.timestamp);
    limitLast(states, since);
    const isMade = event.foreign !== true && written.some(isCreation);
    // An edit that no event recorded is told as one change more, and not counted.
    const recorded = states.findLast((state) => state.event !== null)?.count ?? 0;
    states.push({
      path: event.path,
      count: isMade ? 0 : recorded + 1,
      since,
      sureUntil: Infinity,
      hash: event.hash ?? (event.foreign === true ? UNKNOWN_HASH : null),
      event,
      sources: [() => displaced()?.after() ?? null],
    });
  }
  if (present !== null) addPresent(states, present);
  const byHash = new Map<string | null, Alike>();
  const found: NoteState[] = [];
  for (const state of states) {
    yield;
    const alike = byHash.get(state.hash) ?? { sources: [], failed: 0 };
    byHash.set(state.hash, alike);
    for (const source of state.sources) alike.sources.push(source);
    found.push({ ...state, bytes: () => bytesOf(state.hash, alike) });
  }
  for (const [hash, { sources }] of byHash) sources.push(() => retainedBytes(kept, hash));
  return found;
}

/** A file noticed this long after it was saved was saved while roux was not running; other saves may have come before it. */
const LATE_MS = 4_000;

/** Ends the certainty of the last state at a time, unless it ended before. */
function limitLast(states: readonly MutableState[], at: number): void {
  const last = states.at(-1);
  if (last !== undefined) last.sureUntil = Math.min(last.sureUntil, at);
}

/** Adds a state that no event recorded. The previous state is then certain only at its own event. */
function pushUnrecorded(states: MutableState[], path: string, { bytes, hash, modifiedMs }: PresentFile): void {
  const last = states.at(-1);
  if (last !== undefined) last.sureUntil = last.since ?? -Infinity;
  const since = last?.since === undefined || last.since === null || modifiedMs > last.since ? modifiedMs : null;
  const count = last === undefined ? 0 : last.count + 1;
  states.push({ path, since, sureUntil: Infinity, hash: shortHash(hash), event: null, count, sources: [() => bytes] });
}

interface MutableState extends Omit<NoteState, 'bytes'> {
  since: number | null;
  sureUntil: number;
  /** Sources of its bytes. */
  readonly sources: (() => Buffer | null)[];
}

/** Adds what a write displaced: the bytes of the last state, or a state that no event recorded. */
function addDisplaced(states: MutableState[], event: HistoryEvent, displaced: () => DisplacedFile | null, isFirst: boolean): void {
  const [found, path] = [displaced(), pathBefore(event)];
  const last = states.at(-1);
  if (found === null) {
    const was = event.foreign === true ? undefined : event.was;
    if (isFirst || (was !== undefined && was !== last?.hash))
      states.push({
        path,
        since: null,
        sureUntil: -Infinity,
        hash: was ?? UNKNOWN_HASH,
        event: null,
        count: last?.count ?? 0,
        sources: [],
      });
    return;
  }
  if (last === undefined || last.hash === null || !found.hash.startsWith(last.hash)) {
    pushUnrecorded(states, path, found);
    return;
  }
  last.sources.unshift(() => found.bytes);
  backdateLast(states, found.modifiedMs);
}

/** Dates a state that roux did not write by its file's modification time rather than by when it was noticed. */
function backdateLast(states: readonly MutableState[], modifiedMs: number): void {
  const [before, last] = [states.at(-2), states.at(-1)];
  if (last?.since === null || last === undefined || last.event?.batch !== undefined) return;
  if (modifiedMs >= last.since || modifiedMs <= (before?.since ?? 0)) return;
  if (before !== undefined)
    before.sureUntil = last.since - modifiedMs > LATE_MS ? (before.since ?? -Infinity) : Math.min(before.sureUntil, modifiedMs);
  last.since = modifiedMs;
}

function addPresent(states: MutableState[], present: PresentFile): void {
  const { bytes, hash, modifiedMs } = present;
  const last = states.at(-1);
  if (last !== undefined && last.hash !== null && hash.startsWith(last.hash)) {
    last.sources.unshift(() => bytes);
    backdateLast(states, modifiedMs);
    return;
  }
  pushUnrecorded(states, present.path, present);
}

/** Where the bytes of all states with one hash may be: several have it, for example after an undo. */
interface Alike {
  readonly sources: (() => Buffer | null)[];
  /** So many of them gave other bytes or none; a history that came with a vault may have one hash in every line. */
  failed: number;
}

/** Reads the bytes of this hash. */
function bytesOf(hash: string | null, alike: Alike): Buffer | null {
  if (hash === null || hash === UNKNOWN_HASH) return null;
  for (; alike.failed < alike.sources.length; alike.failed += 1) {
    const bytes = alike.sources[alike.failed]?.() ?? null;
    if (bytes !== null && hashOf(bytes).startsWith(hash)) return bytes;
  }
  return null;
}

/** Reads the text of a state that edits from outside replaced. */
function retainedBytes({ texts }: UndoRecords, hash: string | null): Buffer | null {
  return hash === null || hash === UNKNOWN_HASH ? null : texts.find(hash);
}

/** Returns the file that the write of an event displaced; null if it is no longer stored. */
export function readDisplaced({ batches, trash }: UndoRecords, event: HistoryEvent): DisplacedFile | null {
  if (event.batch === undefined) return null;
  try {
    const intent = batches.read(event.batch);
    const index = intent.steps.findIndex((step) => step.kind !== 'create' && pathOfStep(step) === event.path);
    const step = intent.steps[index];
    if (step === undefined || step.kind === 'create') return null;
    return displacedAt(batches, intent, index, step);
  } catch {
    // Batches are pruned after a month, and a copy of the vault has none: only the trash is left.
    return event.hash === undefined ? readFromTrash(trash, event) : null;
  }
}

function readFromTrash(trash: UndoRecords['trash'], { batch, path }: HistoryEvent): DisplacedFile | null {
  const entry = trash.list().find((each) => each.batch === batch && each.path === path);
  if (entry === undefined) return null;
  const { bytes, like } = trash.read(entry);
  return { path, bytes, hash: hashOf(bytes), modifiedMs: Number(like.mtimeNs / 1_000_000n), after: () => null };
}

function displacedAt(
  batches: UndoRecords['batches'],
  intent: Intent,
  index: number,
  step: Exclude<Step, { kind: 'create' }>,
): DisplacedFile {
  const { bytes, like } = batches.before(intent, index);
  return {
    path: pathOfStep(step),
    bytes,
    hash: step.before,
    modifiedMs: Number(like.mtimeNs / 1_000_000n),
    after() {
      if (step.kind === 'remove') return null;
      if (step.before === step.after) return bytes;
      const text = textAfter(step, pathOfStep(step), bytes);
      return text === null ? null : Buffer.from(text);
    },
  };
}

function pathOfStep(step: Exclude<Step, { kind: 'create' }>): string {
  return step.kind === 'move' ? step.to : step.path;
}

function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
