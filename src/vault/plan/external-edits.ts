import type { GraphChange, GraphView, NoteEntry } from '../../graph/view.ts';
import { isPropertyMap, sameValue } from '../../note/frontmatter/property-value.ts';
import type { Properties } from '../../note/note.ts';
import type { Ports } from '../../ports.ts';
import { shortHash } from '../../store/records/history-event.ts';
import type { EventDraft, FieldChange, HistoryEvent } from '../../store/records/history-event.ts';
import type { Now } from '../../store/store.ts';
import { FileStates } from './file-states.ts';
import type { RecordedFile } from './file-states.ts';

/** Edits that people and other programs made, on their way into the history. */
export interface ExternalEdits {
  /** Takes notice of changes of the graph, whoever made them. */
  follow(changes: readonly GraphChange[]): void;
  /** Takes notice of events of the history: what they say was no outside edit. */
  learn(events: readonly HistoryEvent[]): void;
  readonly isPending: boolean;
  /** A person renamed something: record it soon, before somebody else writes to the note under its new name. */
  readonly isRenamed: boolean;
  /** Paths of what is pending: to be looked at once more before it is recorded. */
  paths(): readonly string[];
  /** Appends what nobody has recorded yet. Within a transaction. `tail`: the last events of the history. */
  record(now: Now, tail: (bytes: number) => readonly HistoryEvent[]): Promise<void>;
  /** What would be recorded now, without recording it. */
  preview(
    now: Pick<Now, 'read'> & { readonly tail: (bytes: number) => readonly HistoryEvent[] },
    as: { readonly firstSeq: number; readonly timestamp: string },
  ): Promise<readonly HistoryEvent[]>;
}

/** More than this at once is a checkout or a sync, which keeps its own history. */
const MAX_AT_ONCE = 200;
/** Up to this many pending edits with a rename among them are what a person did, and are recorded soon. */
const MAX_SOON = 20;
/** What differs at the start from the last run is looked up this far back, and farther while older events may tell of it. */
const TAIL_BYTES = 1024 * 1024;
const MAX_TAIL_BYTES = 16 * 1024 * 1024;
/** An event is older than the file that it tells of by as long as its transaction took. */
const MAX_TRANSACTION_MS = 600_000;

/** An edit, with where its file was by the history: another process may have moved it since this one looked. */
interface Edit {
  /** Null: the file is new. */
  readonly from: string | null;
  /** The note as this process saw it last. */
  readonly before: NoteEntry | null;
  readonly after: NoteEntry | null;
}

type Read = Pick<Now, 'read'>;

/** Edits from outside, each recorded once among all processes: the last event of a path says what it held. */
export function openExternalEdits(ports: Pick<Ports, 'log'>, graph: Pick<GraphView, 'get'>): ExternalEdits {
  const pending = new Map<string, GraphChange>();
  const states = new FileStates();
  let hasReadTail = false;

  /** What other processes wrote before this one started: as far back as an event may tell of a file that differs. */
  function learnTail(tail: (bytes: number) => readonly HistoryEvent[]): void {
    let oldest = Number.MAX_SAFE_INTEGER;
    // When a note was removed, its file cannot say.
    for (const { after } of pending.values()) oldest = Math.min(oldest, after === null ? 0 : Number(after.stamp.mtimeNs / 1_000_000n));
    let count = -1;
    for (let bytes = TAIL_BYTES; bytes <= MAX_TAIL_BYTES; bytes *= 4) {
      const events = tail(bytes);
      states.learnOlder(events);
      const isAllRead = events.length === count || Date.parse(events[0]?.timestamp ?? '') < oldest - MAX_TRANSACTION_MS;
      if (isAllRead || ![...pending.values()].some((change) => !isKnown(change))) return;
      count = events.length;
    }
  }

  function unknownChanges(tail: (bytes: number) => readonly HistoryEvent[]): readonly GraphChange[] {
    if (!hasReadTail) {
      hasReadTail = true;
      learnTail(tail);
    }
    const changes = [...pending.values()].filter((change) => !isKnown(change));
    if (changes.length <= MAX_AT_ONCE) return changes;
    ports.log.info(`${changes.length} notes changed from outside at once; they are not recorded one by one.`);
    return [];
  }

  /** Finds where the file of a change was by the history; null where nothing is to be recorded. */
  async function placeEdit({ before, after }: GraphChange, { read }: Read): Promise<Edit | null> {
    const place = before === null ? null : states.placeOf(before.path);
    const isStillThere =
      place !== null && place !== before?.path && place !== after?.path && (await read(place, { large: 'leave' })) !== null;
    if (after === null) return place === null || isStillThere ? null : { from: place, before, after };
    // What is somewhere else by the history cannot have come here.
    return place === null || isStillThere ? { from: null, before: null, after } : { from: place, before, after };
  }

  /** Joins files that went with files that came: one that was seen to go before it was seen elsewhere was renamed. */
  async function joinRenames(edits: readonly Edit[], now: Read): Promise<readonly Edit[]> {
    const gone = new Map(edits.flatMap((edit) => (edit.after === null && edit.from !== null ? [[edit.from, edit] as const] : [])));
    // Who saw where it went, knows better than who only saw that another process had moved it to where it is no more.
    for (const { from, after } of edits) if (after !== null && from !== null) gone.delete(from);
    const others: Edit[] = [];
    for (const edit of edits) {
      const { from, after } = edit;
      if (after === null) continue;
      const origin = from === null && states.fileAt(after.path) === null ? await findOrigin(after, gone, now) : null;
      others.push(origin === null ? edit : { from: origin, before: gone.get(origin)?.before ?? null, after });
      if (origin !== null) gone.delete(origin);
    }
    return [...gone.values(), ...others];
  }

  /** The one place that a note can have come from: the same id or the same bytes were there, by this process or the history. */
  async function findOrigin(after: NoteEntry, gone: ReadonlyMap<string, Edit>, now: Read): Promise<string | null> {
    const hash = after.stamp.size > 0 ? after.hash : null;
    const seen = [...gone].filter(([, { before }]) => before !== null && (before.id === after.id || before.hash === hash));
    const recorded = states.pathsOf({ hash, node: after.id }).filter((path) => path !== after.path);
    const left = new Set(seen.map(([path]) => path));
    for (const path of recorded) if (!left.has(path) && (await now.read(path, { large: 'leave' })) === null) left.add(path);
    const sameId = [...left].filter((path) => gone.get(path)?.before?.id === after.id || states.fileAt(path)?.node === after.id);
    const [origin = null] = sameId.length === 1 ? sameId : left;
    return sameId.length === 1 || left.size === 1 ? origin : null;
  }

  /** What an edit changed, by what this process saw before where that is what the history has; else by the history. */
  function fieldsOf({ from, before, after }: Edit): readonly FieldChange[] {
    if (after === null) return [{ field: 'file', before: from, after: null }];
    const recorded = states.fileAt(from ?? after.path);
    if (from === null && recorded === null) return [{ field: 'file', before: null, after: after.path }];
    const moved: FieldChange[] = from === null || from === after.path ? [] : [{ field: 'path', before: from, after: after.path }];
    if (recorded?.hash === shortHash(after.hash)) return moved;
    // What another process wrote after this one looked is not the person's.
    const isStale = before === null || (recorded !== null && isOlder(before, recorded));
    if (!isStale) return [...moved, ...outsideFields(before, after)];
    return recorded === null ? moved : [...moved, { field: 'body', before: { file: recorded.hash }, after: describe(after) }];
  }

  /** What is to be recorded of changes, each with the hash of what the note holds now. */
  async function draft(changes: readonly GraphChange[], now: Read): Promise<ReadonlyMap<EventDraft, string | null>> {
    const drafts = new Map<EventDraft, string | null>();
    const placed: Edit[] = [];
    for (const change of changes) {
      const edit = await placeEdit(change, now);
      if (edit !== null) placed.push(edit);
    }
    for (const edit of await joinRenames(placed, now)) {
      const fields = fieldsOf(edit);
      const { after, before, from } = edit;
      const path = after?.path ?? from;
      if (fields.length === 0 || path === null) continue;
      const node = (after ?? before)?.id ?? path;
      drafts.set({ node, path, action: 'external', changes: fields }, after?.hash ?? null);
    }
    return drafts;
  }

  const isKnown = ({ before, after }: GraphChange): boolean => {
    const hashAt = (path: string): string | null => graph.get(path)?.hash ?? null;
    if (after !== null) return states.holds(after.path, after.hash) || states.confirm(after.path, after.hash, hashAt);
    if (before === null) return true;
    if (!states.isGone(before.path)) return states.confirm(before.path, null, hashAt);
    // Another process moved it on: somebody may have removed it from there before this process saw it.
    const place = states.placeOf(before.path);
    return place === null || graph.get(place) !== null;
  };

  return {
    learn: (events) => states.learn(events),
    get isPending() {
      return pending.size > 0;
    },
    get isRenamed() {
      if (pending.size > MAX_SOON) return false;
      return [...pending.values()].some(({ before, after }) => before !== null && after !== null && before.path !== after.path);
    },
    follow(changes) {
      for (const change of changes) {
        const path = change.after?.path ?? change.before?.path;
        // Read again because settings changed: nobody edited it.
        if (path === undefined || (change.before?.path === path && change.before.hash === change.after?.hash)) continue;
        // An editor that removes a note and makes it anew changed it: what it was before is not lost.
        const seen = pending.get(change.before?.path ?? path);
        // A write of roux that was seen before it was told of is no outside edit: what comes after it began with what it left.
        const earlier = seen !== undefined && isKnown(seen) ? undefined : seen;
        if (change.before !== null) pending.delete(change.before.path);
        const whole: GraphChange = { before: earlier === undefined ? change.before : earlier.before, after: change.after };
        if (isKnown(whole)) pending.delete(path);
        else pending.set(path, whole);
      }
    },
    paths: () => [...pending.keys()],
    async record(now, tail) {
      if (pending.size === 0) return;
      const changes = unknownChanges(tail);
      pending.clear();
      const hashes = await draft(changes, now);
      if (hashes.size > 0) states.learn(await now.record([...hashes.keys()], 'external', (event) => hashes.get(event) ?? null));
    },
    async preview(now, { firstSeq, timestamp }) {
      if (pending.size === 0) return [];
      const drafts = [...(await draft(unknownChanges(now.tail), now))];
      return drafts.map(([{ node, path, action, changes }, hash], index) => ({
        seq: firstSeq + index,
        timestamp,
        node,
        path,
        agent: 'external',
        action,
        changes,
        ...(hash === null ? {} : { hash: shortHash(hash) }),
      }));
    },
  };
}

/** Whether a note was seen before the history's last write of it. */
function isOlder(seen: NoteEntry, recorded: RecordedFile): boolean {
  return shortHash(seen.hash) !== recorded.hash && Number(seen.stamp.mtimeNs / 1_000_000n) < recorded.time;
}

/** What differs between two states of one note, property by property. */
function outsideFields(before: NoteEntry, after: NoteEntry): readonly FieldChange[] {
  if (before.hash === after.hash) return [];
  const fields = changedProperties(propertiesOf(before), propertiesOf(after));
  // The text before is gone; what is known of it is its hash.
  return fields.length > 0 ? fields : [{ field: 'body', before: describe(before), after: describe(after) }];
}

/** The properties that differ between two states of a note. */
export function changedProperties(was: Properties, is: Properties): readonly FieldChange[] {
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((key) =>
    sameValue(was[key], is[key]) ? [] : [{ field: key, before: was[key] ?? null, after: is[key] ?? null }],
  );
}

function propertiesOf(entry: NoteEntry): Properties {
  const { properties } = entry;
  return isPropertyMap(properties) ? properties : {};
}

function describe(entry: NoteEntry): FieldChange['before'] {
  return { file: entry.hash, size: entry.stamp.size };
}
