import type { GraphChange, NoteEntry } from '../../graph/view.ts';
import { isPropertyMap, sameValue } from '../../note/frontmatter/property-value.ts';
import type { Ports } from '../../ports.ts';
import { shortHash } from '../../store/records/history-event.ts';
import type { EventDraft, FieldChange, HistoryEvent } from '../../store/records/history-event.ts';
import type { Now } from '../../store/store.ts';
import { byBatch } from '../links/former-paths.ts';

/** Edits that people and other programs made, on their way into the history. */
export interface ExternalEdits {
  /** Takes notice of changes of the graph, whoever made them. */
  follow(changes: readonly GraphChange[]): void;
  /** Takes notice of events of the history: what they say was no outside edit. */
  learn(events: readonly HistoryEvent[]): void;
  readonly isPending: boolean;
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
const MOST_AT_ONCE = 200;
const MOST_STATES = 20_000;
const GONE = '-';
/** What differs at the start from the last run is looked up this far back, and farther while older events may tell of it. */
const TAIL_BYTES = 1024 * 1024;
const MOST_TAIL_BYTES = 16 * 1024 * 1024;
/** An event is older than the file that it tells of by as long as its transaction took. */
const LONGEST_TRANSACTION_MS = 600_000;

/** Edits from outside, each recorded once among all processes: the last event of a path says what it held. */
export function openExternalEdits(ports: Pick<Ports, 'log'>): ExternalEdits {
  const pending = new Map<string, GraphChange>();
  const states = new Map<string, string>();
  let hasReadTail = false;

  function learn(events: readonly HistoryEvent[]): void {
    for (const written of byBatch(events)) {
      // Names that files left first: others may have taken them in the same write.
      for (const event of written) {
        for (const change of event.changes) {
          if (change.field === 'path' && typeof change.before === 'string' && change.before !== event.path) states.set(change.before, GONE);
        }
      }
      for (const event of written) {
        states.delete(event.path);
        states.set(event.path, event.hash ?? GONE);
      }
    }
    for (const path of states.keys()) {
      if (states.size <= MOST_STATES) break;
      states.delete(path);
    }
  }

  /** What other processes wrote before this one started: as far back as an event may tell of a file that differs. */
  function learnTail(tail: (bytes: number) => readonly HistoryEvent[]): void {
    const own = new Map(states);
    let oldest = Number.MAX_SAFE_INTEGER;
    // When a note was removed, its file cannot say.
    for (const { after } of pending.values()) oldest = Math.min(oldest, after === null ? 0 : Number(after.stamp.mtimeNs / 1_000_000n));
    let count = -1;
    for (let bytes = TAIL_BYTES; bytes <= MOST_TAIL_BYTES; bytes *= 4) {
      const events = tail(bytes);
      learn(events);
      for (const [path, state] of own) states.set(path, state);
      const isAllRead = events.length === count || Date.parse(events[0]?.timestamp ?? '') < oldest - LONGEST_TRANSACTION_MS;
      if (isAllRead || ![...pending.values()].some((change) => !isKnown(change))) return;
      count = events.length;
    }
  }

  /** What changed, by what this process saw before; else by what the history says that the note was. */
  async function fieldsOf(change: GraphChange, now: Pick<Now, 'read'>): Promise<readonly FieldChange[]> {
    const { before, after } = change;
    if (before !== null || after === null) return outsideFields(change);
    const hash = shortHash(after.hash);
    const last = states.get(after.path);
    if (last !== undefined && last !== GONE) return [{ field: 'body', before: { file: last }, after: describe(after) }];
    const places = [...states].flatMap(([path, state]) => (state === hash && path !== after.path ? [path] : []));
    const left: string[] = [];
    for (const path of places) if ((await now.read(path, { large: 'leave' })) === null) left.push(path);
    const [from] = left;
    return left.length === 1 && from !== undefined ? [{ field: 'path', before: from, after: after.path }] : outsideFields(change);
  }

  function unknownChanges(tail: (bytes: number) => readonly HistoryEvent[]): readonly GraphChange[] {
    if (!hasReadTail) {
      hasReadTail = true;
      learnTail(tail);
    }
    const changes = [...pending.values()].filter((change) => !isKnown(change));
    if (changes.length <= MOST_AT_ONCE) return changes;
    ports.log.info(`${changes.length} notes changed from outside at once; they are not recorded one by one.`);
    return [];
  }

  /** What is to be recorded of changes, each with the hash of what the note holds now. */
  async function draft(changes: readonly GraphChange[], now: Pick<Now, 'read'>): Promise<ReadonlyMap<EventDraft, string | null>> {
    const drafts = new Map<EventDraft, string | null>();
    for (const change of changes) {
      const fields = await fieldsOf(change, now);
      const entry = change.after ?? change.before;
      if (fields.length === 0 || entry === null) continue;
      drafts.set({ node: entry.id, path: entry.path, action: 'external', changes: fields }, change.after?.hash ?? null);
    }
    return drafts;
  }

  const isKnown = ({ before, after }: GraphChange): boolean => {
    if (after !== null) return states.get(after.path) === shortHash(after.hash);
    return before === null || states.get(before.path) === GONE;
  };

  return {
    learn,
    get isPending() {
      return pending.size > 0;
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
      if (hashes.size > 0) learn(await now.record([...hashes.keys()], 'external', (event) => hashes.get(event) ?? null));
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

function outsideFields({ before, after }: GraphChange): readonly FieldChange[] {
  if (before === null || after === null) return [{ field: 'file', before: before?.path ?? null, after: after?.path ?? null }];
  const fields: FieldChange[] = before.path === after.path ? [] : [{ field: 'path', before: before.path, after: after.path }];
  if (before.hash === after.hash) return fields;
  const [was, is] = [propertiesOf(before), propertiesOf(after)];
  let isExplained = false;
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (sameValue(was[key], is[key])) continue;
    isExplained = true;
    fields.push({ field: key, before: was[key] ?? null, after: is[key] ?? null });
  }
  // The text before is gone; what is known of it is its hash.
  if (!isExplained) fields.push({ field: 'body', before: describe(before), after: describe(after) });
  return fields;
}

function propertiesOf(entry: NoteEntry): NoteEntry['properties'] {
  const { properties } = entry;
  return isPropertyMap(properties) ? properties : {};
}

function describe(entry: NoteEntry): FieldChange['before'] {
  return { file: entry.hash, size: entry.stamp.size };
}
