import type { GraphChange, GraphView, NoteEntry } from '../../graph/view.ts';
import { bodyStartOf, readFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { isPropertyMap, sameValue } from '../../note/frontmatter/property-value.ts';
import type { Properties } from '../../note/note.ts';
import { lineEnding } from '../../note/text.ts';
import type { Ports } from '../../ports.ts';
import { hashOf, isTooLarge } from '../../store/folder/hash.ts';
import { shortHash } from '../../store/records/history-event.ts';
import type { EventDraft, FieldChange, HistoryEvent } from '../../store/records/history-event.ts';
import type { Now } from '../../store/store.ts';
import { followFiles, isOlder } from './exchanged-names.ts';
import type { Edit } from './exchanged-names.ts';
import { FileStates } from './file-states.ts';

/** Edits by people and other programs, to be recorded in the history. */
export interface ExternalEdits {
  /** Handles changes of the graph, whoever made them. */
  follow(changes: readonly GraphChange[]): void;
  /** Handles new events of the history: the changes they record were not outside edits. */
  applyEvents(events: readonly HistoryEvent[]): void;
  readonly isPending: boolean;
  /** Whether a person renamed something, which must be recorded soon, before somebody writes to the note under its new name. */
  readonly isRenamed: boolean;
  /** Returns the paths of pending edits, to be checked again before they are recorded. */
  paths(): readonly string[];
  /** Appends the edits that nobody has recorded yet, within a transaction. `tail` returns the last events of the history. */
  record(now: Now, tail: (bytes: number) => readonly HistoryEvent[]): Promise<void>;
  /** Returns the events that would be recorded now, without recording them. */
  preview(
    now: Pick<Now, 'read'> & { readonly tail: (bytes: number) => readonly HistoryEvent[] },
    as: { readonly firstSeq: number; readonly timestamp: string },
  ): Promise<readonly HistoryEvent[]>;
}

/** More edits at once are a checkout or a sync, which keeps its own history. */
const MAX_RECORDED_AT_ONCE = 200;
/** Up to this many pending edits with a rename among them are a person's work, and are recorded soon. */
const MAX_RECORDED_SOON = 20;
/** Bytes of the history searched for changes since the last run; more while older events may explain one. */
const TAIL_BYTES = 1024 * 1024;
const MAX_TAIL_BYTES = 16 * 1024 * 1024;
/** Longest time between an event and the file that it records, in milliseconds. */
const MAX_TRANSACTION_MS = 600_000;

type Read = Pick<Now, 'read'>;

/** Creates the tracker of outside edits. Each edit is recorded once among all processes: the last event of a path tells its content. */
export function openExternalEdits(ports: Pick<Ports, 'log'>, graph: Pick<GraphView, 'get'>): ExternalEdits {
  const pending = new Map<string, GraphChange>();
  const states = new FileStates();
  let hasReadTail = false;

  /** Reads what other processes wrote before this one started, as far back as an event may explain a changed file. */
  function applyTail(tail: (bytes: number) => readonly HistoryEvent[]): void {
    let oldest = Number.MAX_SAFE_INTEGER;
    // The time of a removal is unknown.
    for (const { after } of pending.values()) oldest = Math.min(oldest, after === null ? 0 : Number(after.stamp.mtimeNs / 1_000_000n));
    let count = -1;
    for (let bytes = TAIL_BYTES; bytes <= MAX_TAIL_BYTES; bytes *= 4) {
      const events = tail(bytes);
      states.applyOlder(events);
      const isAllRead = events.length === count || Date.parse(events[0]?.timestamp ?? '') < oldest - MAX_TRANSACTION_MS;
      if (isAllRead || ![...pending.values()].some((change) => !isKnown(change))) return;
      count = events.length;
    }
  }

  function unknownChanges(tail: (bytes: number) => readonly HistoryEvent[]): readonly GraphChange[] {
    if (!hasReadTail) {
      hasReadTail = true;
      applyTail(tail);
    }
    const changes = [...pending.values()].filter((change) => !isKnown(change));
    if (changes.length <= MAX_RECORDED_AT_ONCE) return changes;
    ports.log.info(`${changes.length} notes changed from outside at once; they are not recorded one by one.`);
    return [];
  }

  /** Finds the previous path of a changed file by the history; null when there is nothing to record. */
  async function locateEdit({ before, after }: GraphChange, { read }: Read): Promise<Edit | null> {
    const path = before === null ? null : states.currentPathOf(before.path);
    const stillExists = path !== null && path !== before?.path && path !== after?.path && (await read(path, { large: 'leave' })) !== null;
    if (after === null) return path === null || stillExists ? null : { from: path, before, after };
    // A file that is elsewhere by the history cannot have come here.
    return path === null || stillExists ? { from: null, before: null, after } : { from: path, before, after };
  }

  /** Joins removed and added files that are renames, noticed as two changes. */
  async function joinRenames(edits: readonly Edit[], now: Read): Promise<readonly Edit[]> {
    const gone = new Map(edits.flatMap((edit) => (edit.after === null && edit.from !== null ? [[edit.from, edit] as const] : [])));
    // An observed target is more reliable than a path that another process had moved the file to.
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

  /**
   * Returns the only possible previous path of a new note: one that had the same id or bytes, as seen by this process or recorded; null if
   * there is none or several.
   */
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

  /**
   * Returns the fields that an edit changed: compared with what this process saw if that matches the history, else with the history.
   * `left`: paths whose file left them, so that another one there is new.
   */
  function fieldsOf({ from, before, after }: Edit, left: ReadonlySet<string>): readonly FieldChange[] {
    if (after === null) return [{ field: 'file', before: from, after: null }];
    const recorded = states.fileAt(from ?? after.path);
    if (from === null && (recorded === null || left.has(after.path))) return [{ field: 'file', before: null, after: after.path }];
    const moved: FieldChange[] = from === null || from === after.path ? [] : [{ field: 'path', before: from, after: after.path }];
    if (recorded?.hash === shortHash(after.hash)) return moved;
    // Changes that another process wrote after this one looked are not the person's.
    const isStale = before === null || (recorded !== null && isOlder(before, recorded));
    if (!isStale) return [...moved, ...outsideFields(before, after)];
    return recorded === null ? moved : [...moved, { field: 'body', before: { file: recorded.hash }, after: describe(after) }];
  }

  /** Adds the body to properties that an edit changed, where it changed as well. */
  async function withBody(fields: readonly FieldChange[], { before, after }: Edit, { read }: Read): Promise<readonly FieldChange[]> {
    if (before === null || after === null || !fields.some(({ field }) => !['path', 'file', 'body'].includes(field))) return fields;
    const found = await read(after.path, { large: 'leave' });
    if (found === null || found.hash !== after.hash || isTooLarge(found.state) || hasBodyOf(found.bytes.toString('utf8'), before))
      return fields;
    return [...fields, { field: 'body', before: describe(before), after: describe(after) }];
  }

  /** Drafts the events of changes, each with the present hash of the note. */
  async function draft(changes: readonly GraphChange[], now: Read): Promise<ReadonlyMap<EventDraft, string | null>> {
    const drafts = new Map<EventDraft, string | null>();
    const placed: Edit[] = [];
    for (const change of changes) {
      const edit = await locateEdit(change, now);
      if (edit !== null) placed.push(edit);
    }
    const edits = await joinRenames(followFiles(placed, states), now);
    const left = new Set(edits.flatMap(({ from, after }) => (from === null || from === after?.path ? [] : [from])));
    for (const edit of edits) {
      const fields = await withBody(fieldsOf(edit, left), edit, now);
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
    if (!states.isRemoved(before.path)) return states.confirm(before.path, null, hashAt);
    // Another process moved it on; somebody may have removed it there before this process saw it.
    const path = states.currentPathOf(before.path);
    return path === null || graph.get(path) !== null;
  };

  return {
    applyEvents: (events) => states.apply(events),
    get isPending() {
      return pending.size > 0;
    },
    get isRenamed() {
      if (pending.size > MAX_RECORDED_SOON) return false;
      return [...pending.values()].some(({ before, after }) => before !== null && after !== null && before.path !== after.path);
    },
    follow(changes) {
      for (const change of changes) {
        const path = change.after?.path ?? change.before?.path;
        // The note was read again because settings changed; nobody edited it.
        if (path === undefined || (change.before?.path === path && change.before.hash === change.after?.hash)) continue;
        // An editor that removes a note and creates it again changed it: keep the state before.
        const seen = pending.get(change.before?.path ?? path);
        // A write of roux seen before its event is not an outside edit; the next change starts from its result.
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
      if (hashes.size > 0) states.apply(await now.record([...hashes.keys()], 'external', (event) => hashes.get(event) ?? null));
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

/** Returns the differences between two states of one note, property by property. */
function outsideFields(before: NoteEntry, after: NoteEntry): readonly FieldChange[] {
  if (before.hash === after.hash) return [];
  const fields = changedProperties(propertiesOf(before), propertiesOf(after));
  // Only the hash of the previous text is known.
  return fields.length > 0 ? fields : [{ field: 'body', before: describe(before), after: describe(after) }];
}

/** Whether the text of a note differs from an earlier state in its frontmatter alone: with the frontmatter of then it has the hash of then. */
function hasBodyOf(text: string, before: NoteEntry): boolean {
  const { yaml } = readFrontmatter(text);
  const was = before.yaml ?? '';
  const eol = lineEnding(text);
  const earlier =
    yaml === null
      ? [text, `---${eol}${was}---${eol}${text}`]
      : [`${text.slice(0, yaml.start)}${was}${text.slice(yaml.end)}`, text.slice(bodyStartOf(text))];
  return earlier.some((each) => hashOf(each) === before.hash);
}

/** Returns the properties that differ. */
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
