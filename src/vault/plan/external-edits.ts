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
import { followFiles, isOlder, joinRenames, locateEdit } from './edit-origins.ts';
import type { Edit } from './edit-origins.ts';
import { FileStates } from './file-states.ts';

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
/** Returns the last events of the history, of about this many bytes. */
type Tail = (bytes: number) => readonly HistoryEvent[];

/**
 * Edits by people and other programs, to be recorded in the history. Each edit is recorded once among all processes: the last event of a
 * path tells its content.
 */
export class ExternalEdits {
  readonly #log: Ports['log'];
  readonly #graph: Pick<GraphView, 'get'>;
  readonly #pending = new Map<string, GraphChange>();
  readonly #states = new FileStates();
  #hasReadTail = false;

  constructor({ log }: Pick<Ports, 'log'>, graph: Pick<GraphView, 'get'>) {
    [this.#log, this.#graph] = [log, graph];
  }

  get isPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Whether a person renamed something, which must be recorded soon, before somebody writes to the note under its new name. */
  get isRenamed(): boolean {
    if (this.#pending.size > MAX_RECORDED_SOON) return false;
    return [...this.#pending.values()].some(({ before, after }) => before !== null && after !== null && before.path !== after.path);
  }

  /** Handles changes of the graph, whoever made them. */
  follow(changes: readonly GraphChange[]): void {
    for (const change of changes) {
      const path = change.after?.path ?? change.before?.path;
      // The note was read again because settings changed; nobody edited it.
      if (path === undefined || (change.before?.path === path && change.before.hash === change.after?.hash)) continue;
      // An editor that removes a note and creates it again changed it: keep the state before.
      const seen = this.#pending.get(change.before?.path ?? path);
      // A write of roux seen before its event is not an outside edit; the next change starts from its result.
      const earlier = seen !== undefined && this.#isKnown(seen) ? undefined : seen;
      if (change.before !== null) this.#pending.delete(change.before.path);
      const whole: GraphChange = { before: earlier === undefined ? change.before : earlier.before, after: change.after };
      if (this.#isKnown(whole)) this.#pending.delete(path);
      else this.#pending.set(path, whole);
    }
  }

  /** Handles new events of the history: the changes they record were not outside edits. */
  applyEvents(events: readonly HistoryEvent[]): void {
    this.#states.apply(events);
  }

  /** Returns the paths of pending edits, to be checked again before they are recorded. */
  paths(): readonly string[] {
    return [...this.#pending.keys()];
  }

  /** Returns the pending edit of the note at a path, which may have come from another one; null for none. */
  pendingAt(path: string): GraphChange | null {
    return this.#pending.get(path) ?? null;
  }

  /** Appends the edits that nobody has recorded yet, within a transaction. */
  async record(now: Now, tail: Tail): Promise<void> {
    if (!this.isPending) return;
    const changes = this.#unknownChanges(tail);
    this.#pending.clear();
    const hashes = await draftEvents(changes, this.#states, now);
    if (hashes.size > 0) this.#states.apply(await now.record([...hashes.keys()], 'external', (event) => hashes.get(event) ?? null));
  }

  /** Returns the events that would be recorded now, without recording them. */
  async preview(
    now: Read & { readonly tail: Tail },
    { firstSeq, timestamp }: { readonly firstSeq: number; readonly timestamp: string },
  ): Promise<readonly HistoryEvent[]> {
    if (!this.isPending) return [];
    const drafts = [...(await draftEvents(this.#unknownChanges(now.tail), this.#states, now))];
    return drafts.map(([{ node, path, action, changes, was }, hash], index) => ({
      seq: firstSeq + index,
      timestamp,
      node,
      path,
      agent: 'external',
      action,
      changes,
      ...(hash === null ? {} : { hash: shortHash(hash) }),
      ...(was === undefined ? {} : { was }),
    }));
  }

  #unknownChanges(tail: Tail): readonly GraphChange[] {
    if (!this.#hasReadTail) {
      this.#hasReadTail = true;
      this.#applyTail(tail);
    }
    const changes = [...this.#pending.values()].filter((change) => !this.#isKnown(change));
    if (changes.length <= MAX_RECORDED_AT_ONCE) return changes;
    this.#log.info(`${changes.length} notes changed from outside at once; they are not recorded one by one.`);
    return [];
  }

  /** Reads what other processes wrote before this one started, as far back as an event may explain a changed file. */
  #applyTail(tail: Tail): void {
    const pending = [...this.#pending.values()];
    let oldest = Number.MAX_SAFE_INTEGER;
    // The time of a removal is unknown.
    for (const { after } of pending) oldest = Math.min(oldest, after === null ? 0 : Number(after.stamp.mtimeNs / 1_000_000n));
    let count = -1;
    for (let bytes = TAIL_BYTES; bytes <= MAX_TAIL_BYTES; bytes *= 4) {
      const events = tail(bytes);
      this.#states.applyOlder(events);
      const isAllRead = events.length === count || Date.parse(events[0]?.timestamp ?? '') < oldest - MAX_TRANSACTION_MS;
      if (isAllRead || pending.every((change) => this.#isKnown(change))) return;
      count = events.length;
    }
  }

  /** Returns whether the history has the result of a change already. */
  #isKnown({ before, after }: GraphChange): boolean {
    const [states, graph] = [this.#states, this.#graph];
    const hashAt = (path: string): string | null => graph.get(path)?.hash ?? null;
    if (after !== null) return states.holds(after.path, after.hash) || states.confirm(after.path, after.hash, hashAt);
    if (before === null) return true;
    if (!states.isRemoved(before.path)) return states.confirm(before.path, null, hashAt);
    // Another process moved it on; somebody may have removed it there before this process saw it.
    const path = states.currentPathOf(before.path);
    return path === null || graph.get(path) !== null;
  }
}

/** Drafts the events of changes, each with the present hash of the note. */
async function draftEvents(
  changes: readonly GraphChange[],
  states: FileStates,
  now: Read,
): Promise<ReadonlyMap<EventDraft, string | null>> {
  const drafts = new Map<EventDraft, string | null>();
  const located: Edit[] = [];
  for (const change of changes) {
    const edit = await locateEdit(change, states, now);
    if (edit !== null) located.push(edit);
  }
  const edits = await joinRenames(followFiles(located, states), states, now);
  const left = new Set(edits.flatMap(({ from, after }) => (from === null || from === after?.path ? [] : [from])));
  for (const edit of edits) {
    const fields = await withBody(fieldsOf(edit, left, states), edit, now);
    const { after, before, from } = edit;
    const path = after?.path ?? from;
    if (fields.length === 0 || path === null) continue;
    const node = (after ?? before)?.id ?? path;
    const was = hashBefore(edit, states);
    drafts.set({ node, path, action: 'external', changes: fields, ...(was === null ? {} : { was }) }, after?.hash ?? null);
  }
  return drafts;
}

/** Returns the hash of what an edit replaced, by what this process saw or else by the history; null if neither knows. */
function hashBefore({ from, before }: Edit, states: FileStates): string | null {
  const recorded = from === null ? null : states.fileAt(from);
  if (before === null || (recorded !== null && isOlder(before, recorded))) return recorded?.hash ?? null;
  return shortHash(before.hash);
}

/**
 * Returns the fields that an edit changed: compared with what this process saw if that matches the history, else with the history. `left`:
 * paths whose file left them, so that another one there is new.
 */
function fieldsOf({ from, before, after }: Edit, left: ReadonlySet<string>, states: FileStates): readonly FieldChange[] {
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

/** Returns the differences between two states of one note, property by property. */
function outsideFields(before: NoteEntry, after: NoteEntry): readonly FieldChange[] {
  if (before.hash === after.hash) return [];
  const fields = changedProperties(propertiesOf(before), propertiesOf(after));
  // Only the hash of the previous text is known.
  return fields.length > 0 ? fields : [{ field: 'body', before: describe(before), after: describe(after) }];
}

/** Returns whether a text has the body of an earlier state: with the earlier frontmatter it has the earlier hash. */
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
