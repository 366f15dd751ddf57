import type { GraphView } from '../../graph/view.ts';
import { isRecord } from '../../is-record.ts';
import { isVaultPath } from '../../note/path.ts';
import { isTooLarge } from '../../store/folder/hash.ts';
import type { FieldChange, HistoryEvent } from '../../store/records/history-event.ts';
import type { FolderStore } from '../../store/folder-store.ts';
import { eventsOfFile } from '../plan/history.ts';
import { diffTexts } from '../plan/unified-diff.ts';
import type { Activity } from './activity.ts';
import { eventsAfter, pathBefore } from './events.ts';
import { statesOf } from './note-states.ts';
import type { NoteState } from './note-states.ts';
import { diffOf } from './review-note.ts';
import { groupByFile, lastPathOf, withoutContent } from './review.ts';

/** What one write did to one file. */
export interface WrittenFile {
  /** Its path after the write, or before it if the write deleted it. */
  readonly path: string;
  /** The path before, if it was different. */
  readonly was?: string;
  readonly action: string;
  /** The unified diff; null if a text is no longer stored or the file is not text. */
  readonly diff: string | null;
  /** Why the diff is missing, cut, or limited to the body. */
  readonly remark?: string;
  /** The changed fields, from the history. */
  readonly fields: readonly FieldChange[];
  /** Present path of the file; null if it was deleted. */
  readonly now: string | null;
  /** Return the text before and after the write: `''` where there was no file, null if it is no longer stored. */
  readonly textBefore: () => string | null;
  readonly textAfter: () => string | null;
}

/** Selects files of a write. */
export interface WritePart {
  readonly offset: number;
  readonly limit: number;
  /** Only the file that had this path before or after the write. */
  readonly path?: string;
}

interface Options {
  readonly store: Pick<FolderStore, 'records' | 'read'>;
  readonly graph: GraphView;
  readonly unrecorded: readonly HistoryEvent[];
}

/**
 * Returns what a write did to a page of its files, as far as their texts are stored: with later writes, in the trash, or in the present
 * files.
 */
export async function readWriteDiff(
  options: Options,
  { batch, events }: Activity,
  { offset, limit, path }: WritePart,
): Promise<readonly WrittenFile[]> {
  const wanted = new Map(
    lastEventPerFile(events)
      .filter((event) => path === undefined || event.path === path || pathBefore(event) === path)
      .slice(offset, offset + limit)
      .map((event) => [keyOf(event), event]),
  );
  const files = batch === null ? await listEditEvents(options, [...wanted.values()]) : await listEventsSince(options, events, wanted);
  const found = new Map<string, WrittenFile>();
  for (const { events: ofFile, isDeleted } of files) {
    const event = ofFile.flatMap((each) => wanted.get(keyOf(each)) ?? [])[0];
    if (event !== undefined) found.set(keyOf(event), await toWritten(options, { events: ofFile, isDeleted }, event));
  }
  return [...wanted].flatMap(([key]) => found.get(key) ?? []);
}

/** Returns the last event of each file of a write, by the path after it. */
export function lastEventPerFile(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  return [...new Map(events.map((event) => [event.path, event])).values()];
}

type FileEvents = ReturnType<typeof groupByFile>[number];

/** Returns the files of a transaction with all later events: the transaction's batch holds what it displaced. */
async function listEventsSince(
  { store, unrecorded }: Options,
  events: readonly HistoryEvent[],
  wanted: ReadonlyMap<string, HistoryEvent>,
): Promise<readonly FileEvents[]> {
  const first = events.reduce((least, { seq }) => Math.min(least, seq), Infinity);
  const batch = events[0]?.batch;
  const later: HistoryEvent[] = [...unrecorded].toReversed();
  for await (const event of eventsAfter(store.records.events, first - 1))
    if (event.batch !== batch) later.push(withoutContent(event, false, false));
  return groupByFile([...events, ...later.toReversed()]).filter((file) => file.events.some((event) => wanted.has(keyOf(event))));
}

/** Sequential, since each reads segments of the history. */
async function listEditEvents(options: Options, events: readonly HistoryEvent[]): Promise<readonly FileEvents[]> {
  const files: FileEvents[] = [];
  for (const event of events) files.push(await readEditEvents(options, event));
  return files;
}

/** Returns the file of an edit from outside with its events since the write before, whose result is what was edited. */
async function readEditEvents({ store, graph, unrecorded }: Options, event: HistoryEvent): Promise<FileEvents> {
  const events: HistoryEvent[] = [];
  for await (const each of eventsOfFile(store.records.events, graph, { node: event.path, unrecorded })) {
    events.unshift(each);
    if (each.seq < event.seq) break;
  }
  const known = events.some((each) => keyOf(each) === keyOf(event)) ? events : [event];
  const last = known.at(-1);
  return { events: known, isDeleted: last?.hash === undefined && last?.foreign !== true };
}

async function toWritten({ store }: Options, file: FileEvents, event: HistoryEvent): Promise<WrittenFile> {
  const place = lastPathOf(file);
  // The history may come from elsewhere, and name paths that are not in the vault.
  const now = file.isDeleted || !isVaultPath(place) ? null : await store.read(place, { large: 'leave' });
  const present =
    now === null || isTooLarge(now.state)
      ? null
      : { path: place, bytes: now.bytes, hash: now.hash, modifiedMs: Number(now.state.mtimeNs / 1_000_000n) };
  const states = await statesOf(store.records, file.events, present);
  const at = states.findIndex((state) => state.event !== null && keyOf(state.event) === keyOf(event));
  const [before, after] = [states[at - 1], states[at]];
  const was = pathBefore(event);
  return {
    path: event.path,
    ...(was === event.path ? {} : { was }),
    action: event.action,
    ...diffOfEvent(before, after, event),
    fields: event.changes,
    now: now === null ? null : place,
    textBefore: () => textOfState(before),
    textAfter: () => textOfState(after),
  };
}

function textOfState(state: NoteState | undefined): string | null {
  if (state === undefined) return null;
  return state.hash === null ? '' : (state.bytes()?.toString('utf8') ?? null);
}

/** Compares the two states; if a text is no longer stored, falls back to short bodies in the history. */
function diffOfEvent(
  before: NoteState | undefined,
  after: NoteState | undefined,
  event: HistoryEvent,
): Pick<WrittenFile, 'diff' | 'remark'> {
  const found = before === undefined || after === undefined ? null : diffOf(before, after);
  if (found !== null && found.diff !== null) return found;
  const body = event.changes.find(({ field }) => field === 'body');
  const text = (side: FieldChange['before'] | undefined): string | null => {
    if (side === null) return '';
    return isRecord(side) && typeof side['text'] === 'string' ? side['text'] : null;
  };
  const [was, is] = [text(body?.before), text(body?.after)];
  if (body === undefined || was === null || is === null) return found ?? { diff: null, remark: 'how it was is not known any more' };
  const diff = diffTexts({ from: `a/${pathBefore(event)}`, to: `b/${event.path}` }, was, is);
  return { diff, remark: 'the body alone: its properties then are not kept' };
}

function keyOf({ seq, path, timestamp }: HistoryEvent): string {
  return `${seq} ${timestamp} ${path}`;
}
