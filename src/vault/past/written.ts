import type { GraphView } from '../../graph/view.ts';
import { isRecord } from '../../is-record.ts';
import { isVaultPath } from '../../note/path.ts';
import { isTooLarge } from '../../store/folder/hash.ts';
import type { FieldChange, HistoryEvent } from '../../store/records/history-event.ts';
import type { FolderStore } from '../../store/open-folder-store.ts';
import { eventsOfFile } from '../plan/history.ts';
import { diffTexts } from '../plan/unified-diff.ts';
import type { Activity } from './activity.ts';
import { eventsAfter } from './events.ts';
import { pathBefore, statesOf } from './note-states.ts';
import type { NoteState } from './note-states.ts';
import { diffOf } from './review-note.ts';
import { groupByFile, pathOf, slimmed } from './review.ts';

/** What one write made of one file. */
export interface WrittenFile {
  /** Its path after the write; where it is gone, before. */
  readonly path: string;
  /** The path before, where it was another one. */
  readonly was?: string;
  readonly action: string;
  /** The unified diff; null where a text is not kept any more, or of what is no text. */
  readonly diff: string | null;
  /** What is to be known of the diff: that it is missing, cut, or of the body alone. */
  readonly remark?: string;
  /** What the history says of its fields. */
  readonly fields: readonly FieldChange[];
  /** Where the file is now; null where it is gone. */
  readonly now: string | null;
}

interface Options {
  readonly store: Pick<FolderStore, 'records' | 'batches' | 'trash' | 'read'>;
  readonly graph: GraphView;
  readonly unrecorded: readonly HistoryEvent[];
}

/** What a write made of some of its files, as far as their texts are kept: by later writes, in the trash, or as they are now. */
export async function readWritten(
  options: Options,
  { batch, events }: Activity,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly WrittenFile[]> {
  const wanted = new Map(
    filesOf(events)
      .slice(offset, offset + limit)
      .map((event) => [keyOf(event), event]),
  );
  const files = batch === null ? await aroundEach(options, [...wanted.values()]) : await sinceOf(options, events, wanted);
  const found = new Map<string, WrittenFile>();
  for (const { events: ofFile, isGone } of files) {
    const event = ofFile.flatMap((each) => wanted.get(keyOf(each)) ?? [])[0];
    if (event !== undefined) found.set(keyOf(event), await toWritten(options, { events: ofFile, isGone }, event));
  }
  return [...wanted].flatMap(([key]) => found.get(key) ?? []);
}

/** The last event of each file of a write, by its path after it. */
export function filesOf(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  return [...new Map(events.map((event) => [event.path, event])).values()];
}

type FileEvents = ReturnType<typeof groupByFile>[number];

/** The files of a transaction with all that happened to them since: what it displaced is kept with it. */
async function sinceOf(
  { store, unrecorded }: Options,
  events: readonly HistoryEvent[],
  wanted: ReadonlyMap<string, HistoryEvent>,
): Promise<readonly FileEvents[]> {
  const first = Math.min(...events.map(({ seq }) => seq));
  const batch = events[0]?.batch;
  const later: HistoryEvent[] = [...unrecorded].toReversed();
  for await (const event of eventsAfter(store.records.events, first - 1))
    if (event.batch !== batch) later.push(slimmed(event, false, false));
  return groupByFile([...events, ...later.toReversed()]).filter((file) => file.events.some((event) => wanted.has(keyOf(event))));
}

/** One after the other, since each reads segments of the history. */
async function aroundEach(options: Options, events: readonly HistoryEvent[]): Promise<readonly FileEvents[]> {
  const files: FileEvents[] = [];
  for (const event of events) files.push(await aroundOf(options, event));
  return files;
}

/** The file of an edit from outside, from the write before it on: what that left is what was edited. */
async function aroundOf({ store, graph, unrecorded }: Options, event: HistoryEvent): Promise<FileEvents> {
  const events: HistoryEvent[] = [];
  for await (const each of eventsOfFile(store.records.events, graph, { node: event.path, unrecorded })) {
    events.unshift(each);
    if (each.seq < event.seq) break;
  }
  const known = events.some((each) => keyOf(each) === keyOf(event)) ? events : [event];
  const last = known.at(-1);
  return { events: known, isGone: last?.hash === undefined && last?.foreign !== true };
}

async function toWritten({ store }: Options, file: FileEvents, event: HistoryEvent): Promise<WrittenFile> {
  const place = pathOf(file);
  // A history may have come from anywhere, and name what is no file of the vault.
  const now = file.isGone || !isVaultPath(place) ? null : await store.read(place, { large: 'leave' });
  const present =
    now === null || isTooLarge(now.state)
      ? null
      : { path: place, bytes: now.bytes, hash: now.hash, modifiedMs: Number(now.state.mtimeNs / 1_000_000n) };
  const states = statesOf(store, file.events, present);
  const at = states.findIndex((state) => state.event !== null && keyOf(state.event) === keyOf(event));
  const [before, after] = [states[at - 1], states[at]];
  const was = pathBefore(event);
  return {
    path: event.path,
    ...(was === event.path ? {} : { was }),
    action: event.action,
    ...differenceOf(before, after, event),
    fields: event.changes,
    now: now === null ? null : place,
  };
}

/** By the states; of a text that is not kept any more by what the history says of a short body. */
function differenceOf(
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
