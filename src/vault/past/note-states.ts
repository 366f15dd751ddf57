import { isVaultPath } from '../../note/path.ts';
import { hashOf } from '../../store/folder/hash.ts';
import { shortHash } from '../../store/records/history-event.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { FolderStore } from '../../store/open-folder-store.ts';
import type { Intent, Step } from '../../store/transaction/intent.ts';
import { byBatch } from './events.ts';
import { textAfter } from '../plan/note-text.ts';

/** One state that a note had for a while. */
export interface NoteState {
  /** Its path then. */
  readonly path: string;
  /** From when it was so, in milliseconds; null where that is not known. */
  readonly since: number | null;
  /** Until when that is sure: what nobody saw may have come before the next one. */
  readonly sureUntil: number;
  /** The first digits of its hash; null while there was no note. */
  readonly hash: string | null;
  /** What made it so; null where the history does not say. */
  readonly event: HistoryEvent | null;
  /** Its bytes, where they are known: compared with the hash. */
  bytes(): Buffer | null;
}

/** What stands at a path now. */
export interface Present {
  readonly path: string;
  readonly bytes: Buffer;
  readonly hash: string;
  readonly modifiedMs: number;
}

/** What a write displaced, and how it went on from there. */
interface Displaced extends Present {
  /** The bytes that the write left, made again from those before; null where that cannot be told. */
  after(): Buffer | null;
}

/** What finished transactions displaced, read once for each. */
export type Kept = Pick<FolderStore, 'batches' | 'trash'>;

/**
 * The states of one file, the oldest first, by its events (the oldest first) and by what is there now. Times of roux's writes are those of
 * their events; of what others saved, those of the files, where they are kept.
 */
export function statesOf(kept: Kept, events: readonly HistoryEvent[], present: Present | null): readonly NoteState[] {
  const states: Mutable[] = [];
  for (const [index, written] of byBatch(events).entries()) {
    const event = written.at(-1);
    const [first = event] = written;
    if (first === undefined || event === undefined) continue;
    const displaced = onceOnly(() => displacedBy(kept, event));
    if (event.foreign === true || !written.some(isBeginning)) sawBefore(states, pathBefore(first), displaced, index === 0);
    else if (states.length === 0) states.push({ ...NOT_YET, path: event.path, known: [] });
    const since = Date.parse(event.timestamp);
    endLast(states, since);
    states.push({
      path: event.path,
      since,
      sureUntil: Infinity,
      hash: event.hash ?? (event.foreign === true ? UNKNOWN : null),
      event,
      known: [() => displaced()?.after() ?? null],
    });
  }
  if (present !== null) seePresent(states, present);
  return states.map((state) => ({ ...state, bytes: () => bytesOf(state, states) }));
}

const NOT_YET = { since: -Infinity, sureUntil: Infinity, hash: null, event: null } as const;
/** What was seen so much later than it was saved was saved while nobody looked, and may not have been the first to be. */
const LATE_MS = 4_000;

/** The last state ends here, unless it was sure for a shorter time. */
function endLast(states: readonly Mutable[], at: number): void {
  const last = states.at(-1);
  if (last !== undefined) last.sureUntil = Math.min(last.sureUntil, at);
}

/** Takes up a state that nobody recorded: what the last one was is sure for the moment of its event only. */
function pushUnrecorded(states: Mutable[], path: string, { bytes, hash, modifiedMs }: Present): void {
  const last = states.at(-1);
  if (last !== undefined) last.sureUntil = last.since ?? -Infinity;
  const since = last?.since === undefined || last.since === null || modifiedMs > last.since ? modifiedMs : null;
  states.push({ path, since, sureUntil: Infinity, hash: shortHash(hash), event: null, known: [() => bytes] });
}

interface Mutable {
  readonly path: string;
  since: number | null;
  sureUntil: number;
  readonly hash: string | null;
  readonly event: HistoryEvent | null;
  /** Where its bytes may be found. */
  readonly known: (() => Buffer | null)[];
}

/** Takes notice of what a write displaced: the bytes of the state before it, or of one that nobody recorded. */
function sawBefore(states: Mutable[], path: string, displaced: () => Displaced | null, isFirst: boolean): void {
  const found = displaced();
  const last = states.at(-1);
  if (found === null) {
    if (isFirst) states.push({ path, since: null, sureUntil: -Infinity, hash: UNKNOWN, event: null, known: [] });
    return;
  }
  if (last === undefined || last.hash === null || !found.hash.startsWith(last.hash)) {
    pushUnrecorded(states, path, found);
    return;
  }
  last.known.unshift(() => found.bytes);
  dateBack(states, found.modifiedMs);
}

/** What was not written by roux was saved when its file says so, not when it was seen. */
function dateBack(states: readonly Mutable[], modifiedMs: number): void {
  const [before, last] = [states.at(-2), states.at(-1)];
  if (last?.since === null || last === undefined || last.event?.batch !== undefined) return;
  if (modifiedMs >= last.since || modifiedMs <= (before?.since ?? 0)) return;
  if (before !== undefined)
    before.sureUntil = last.since - modifiedMs > LATE_MS ? (before.since ?? -Infinity) : Math.min(before.sureUntil, modifiedMs);
  last.since = modifiedMs;
}

function seePresent(states: Mutable[], present: Present): void {
  const { bytes, hash, modifiedMs } = present;
  const last = states.at(-1);
  if (last !== undefined && last.hash !== null && hash.startsWith(last.hash)) {
    last.known.unshift(() => bytes);
    dateBack(states, modifiedMs);
    return;
  }
  pushUnrecorded(states, present.path, present);
}

/** Stands for a hash that nobody knows. */
export const UNKNOWN = '?';

function bytesOf(state: Mutable, all: readonly Mutable[]): Buffer | null {
  const { hash } = state;
  if (hash === null || hash === UNKNOWN) return null;
  // The same bytes may be known of another time: there and back again.
  for (const { known } of [state, ...all.filter((other) => other !== state && other.hash === hash)]) {
    for (const look of known) {
      const bytes = look();
      if (bytes !== null && hashOf(bytes).startsWith(hash)) return bytes;
    }
  }
  return null;
}

/** Whether there was no file before an event. */
function isBeginning({ action, changes }: HistoryEvent): boolean {
  return action === 'created' || changes.some(({ field, before, after }) => field === 'file' && before === null && after !== null);
}

/** The path that a file had before an event; the one after it where that is no path of the vault. */
export function pathBefore({ path, action, changes }: HistoryEvent): string {
  const before = action === 'created' ? undefined : changes.find(({ field }) => field === 'path')?.before;
  return typeof before === 'string' && isVaultPath(before) ? before : path;
}

/** What the write of an event displaced of its file; null where nothing is kept of it. */
export function displacedBy({ batches, trash }: Kept, event: HistoryEvent): Displaced | null {
  if (event.batch === undefined) return null;
  try {
    const intent = batches.read(event.batch);
    const index = intent.steps.findIndex((step) => step.kind !== 'create' && placeOf(step) === event.path);
    const step = intent.steps[index];
    if (step === undefined || step.kind === 'create') return null;
    return displacedAt(batches, intent, index, step);
  } catch {
    // After a month, and in a copy of the vault, nothing is kept but what lies in the trash.
    return event.hash === undefined ? inTrash(trash, event) : null;
  }
}

function inTrash(trash: Kept['trash'], { batch, path }: HistoryEvent): Displaced | null {
  const entry = trash.list().find((each) => each.batch === batch && each.path === path);
  if (entry === undefined) return null;
  const { bytes, like } = trash.read(entry);
  return { path, bytes, hash: hashOf(bytes), modifiedMs: Number(like.mtimeNs / 1_000_000n), after: () => null };
}

function displacedAt(batches: Kept['batches'], intent: Intent, index: number, step: Exclude<Step, { kind: 'create' }>): Displaced {
  const { bytes, like } = batches.before(intent, index);
  return {
    path: placeOf(step),
    bytes,
    hash: step.before,
    modifiedMs: Number(like.mtimeNs / 1_000_000n),
    after() {
      if (step.kind === 'remove') return null;
      if (step.before === step.after) return bytes;
      const text = textAfter(step, placeOf(step), bytes);
      return text === null ? null : Buffer.from(text);
    },
  };
}

function placeOf(step: Exclude<Step, { kind: 'create' }>): string {
  return step.kind === 'move' ? step.to : step.path;
}

function onceOnly<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
