import { isWebAuthor } from './web-author.ts';
import { isRecord } from '../../is-record.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import { eachInSlices, groupByBatch } from './events.ts';
import { LinkRewrites } from './link-rewrites.ts';

/** Selects the changes to review. */
export interface ReviewQuery {
  /** Only this agent's changes; without it those of everybody but people. */
  readonly by?: string;
  /** In milliseconds. Default: changes not accepted yet, or those of the last day if nothing was ever accepted. */
  readonly since?: number;
  /** The name under which the reviewing person writes. */
  readonly self: string;
}

/** Sequence numbers up to which changes were accepted: for all agents, and for single ones. */
export interface Accepted {
  readonly all: number;
  readonly by: ReadonlyMap<string, number>;
}

/** The changes of one file, oldest first, whoever made them, without its content. */
export interface FileChanges {
  readonly events: readonly HistoryEvent[];
  readonly isDeleted: boolean;
}

/** The changed files, before their texts are compared. */
export interface ReviewedFiles {
  /** Files that agents changed, sorted by their last path. */
  readonly files: readonly FileChanges[];
  readonly isByAgent: (event: HistoryEvent) => boolean;
  /** Writes that only rewrote links in some files. */
  readonly links: readonly LinkWrite[];
  /** The last sequence number examined: later changes are for the next review. */
  readonly upTo: number;
  /** Number of selected changes before `since` that were never accepted. */
  readonly earlier: number;
  /** Start of the review in milliseconds; null if it starts where changes were last accepted. */
  readonly since: number | null;
  /** Changes from foreign lines; absent when there are none. */
  readonly foreign?: ForeignChanges;
}

/** Changes from lines that were not written in this folder by this user. Listed apart, because their content is unverified. */
export interface ForeignChanges {
  readonly events: number;
  /** One entry per path, newest first. */
  readonly notes: readonly ForeignNote[];
  /** Number of further notes that are not listed. */
  readonly omitted: number;
}

/** What foreign lines say about one note. */
export interface ForeignNote {
  readonly path: string;
  readonly events: number;
  /** The first few. */
  readonly agents: readonly string[];
  /** ISO 8601. */
  readonly last: string;
}

/** One write that only rewrote links in some files. */
export interface LinkWrite {
  readonly batch: string | null;
  readonly agent: string;
  readonly timestamp: string;
  readonly files: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Characters kept of the bodies of new notes, over all notes. */
const MAX_TEXT_CHARACTERS = 8_000_000;
const MAX_FOREIGN_NOTES = 50;
const MAX_FOREIGN_AGENTS = 5;
const MAX_FOREIGN_AGENT_CHARACTERS = 200;

/**
 * Reads the history once, one segment at a time, and keeps the events in the period without their content. `now` is in milliseconds;
 * `unrecorded` are edits that are not in the history yet.
 */
export async function reviewFiles(
  history: Segments<HistoryEvent>,
  accepted: Accepted,
  { by, since, self, now, unrecorded }: ReviewQuery & { readonly now: number; readonly unrecorded: readonly HistoryEvent[] },
): Promise<ReviewedFiles> {
  const hasAccepted = accepted.all > 0 || accepted.by.size > 0;
  const from = since ?? (hasAccepted ? null : now - DAY_MS);
  const isAgents = ({ agent }: HistoryEvent): boolean =>
    by === undefined ? agent !== 'external' && agent !== self && !isWebAuthor(agent) : agent === by;
  const isNew = ({ agent, seq }: HistoryEvent): boolean => seq > Math.max(accepted.all, accepted.by.get(agent) ?? 0);
  const isIn = (event: HistoryEvent): boolean => (from === null ? isNew(event) : Date.parse(event.timestamp) >= from);
  const least = Math.max(accepted.all, by === undefined ? 0 : (accepted.by.get(by) ?? 0));

  const found: HistoryEvent[] = [];
  const foreign = new ForeignSummary();
  let [earlier, upTo, room] = [0, 0, MAX_TEXT_CHARACTERS];
  for (const segment of history.names().toReversed()) {
    const all = await history.read(segment);
    for await (const event of eachInSlices(all)) {
      upTo = Math.max(upTo, event.seq);
      if (event.foreign === true && isAgents(event) && isIn(event)) foreign.add(event);
    }
    const events = all.filter((event) => event.foreign !== true);
    let hasAny = false;
    const rewrites = findLinkRewrites(events);
    for (const event of events.toSorted((a, b) => b.seq - a.seq)) {
      const isInTime = from === null ? event.seq > least : Date.parse(event.timestamp) >= from;
      if (!isInTime) {
        const isLeft = hasAccepted && isAgents(event) && isNew(event);
        if (isLeft) earlier += 1;
        hasAny ||= isLeft;
        continue;
      }
      hasAny = true;
      const stripped = withoutContent(event, rewrites.has(event), room > 0 && event.action === 'created' && isAgents(event));
      room -= bodyAfter(stripped)?.length ?? 0;
      found.push(stripped);
    }
    if (!hasAny && events.length > 0) break;
  }
  const isByAgent = (event: HistoryEvent): boolean => isAgents(event) && isIn(event);
  const files = groupByFile([...found.toReversed(), ...unrecorded]).filter(({ events }) => events.some(isByAgent));
  const onlyLinks = files.filter((file) => file.events.filter(isByAgent).every(isLinksOnly));
  const left = new Set(onlyLinks);
  return {
    files: files
      .filter((file) => !left.has(file))
      .toSorted((a, b) => (lastPathOf(a) < lastPathOf(b) ? -1 : lastPathOf(a) > lastPathOf(b) ? 1 : 0)),
    isByAgent,
    links: linkWrites(onlyLinks, isByAgent),
    upTo,
    earlier,
    since: from,
    ...foreign.result(),
  };
}

/** Summarizes foreign lines in bounded memory. */
class ForeignSummary {
  readonly #notes = new Map<string, { events: number; readonly agents: Set<string>; last: string }>();
  #events = 0;

  add({ path, agent, timestamp }: HistoryEvent): void {
    this.#events += 1;
    const note = this.#notes.get(path) ?? { events: 0, agents: new Set<string>(), last: timestamp };
    this.#notes.set(path, note);
    note.events += 1;
    if (note.agents.size < MAX_FOREIGN_AGENTS) note.agents.add(agent.slice(0, MAX_FOREIGN_AGENT_CHARACTERS));
    if (timestamp > note.last) note.last = timestamp;
  }

  result(): { readonly foreign?: ForeignChanges } {
    if (this.#events === 0) return {};
    const notes = [...this.#notes].map(([path, { events, agents, last }]): ForeignNote => ({ path, events, agents: [...agents], last }));
    notes.sort((a, b) => (a.last > b.last ? -1 : a.last < b.last ? 1 : a.path < b.path ? -1 : 1));
    const omitted = Math.max(0, notes.length - MAX_FOREIGN_NOTES);
    return { foreign: { events: this.#events, notes: notes.slice(0, MAX_FOREIGN_NOTES), omitted } };
  }
}

export function lastPathOf({ events }: FileChanges): string {
  return events.at(-1)?.path ?? '';
}

/** Marks an event that only rewrote links. */
const ONLY_LINKS = 'only links';
/** The history field that holds the body of a new note. */
const BODY = 'body';

/** Returns an event without the content of its file, but with its moves: the texts of ten thousand events would not fit in memory. */
export function withoutContent(event: HistoryEvent, isRelink: boolean, keepsText: boolean): HistoryEvent {
  const { seq, timestamp, node, path, agent, action, batch, hash, was, foreign } = event;
  const changes = event.changes.filter(({ field }) => field === 'path' || field === 'file' || (keepsText && field === BODY));
  return {
    seq,
    timestamp,
    node,
    path,
    agent,
    action,
    changes: isRelink ? [{ field: ONLY_LINKS, before: null, after: null }] : changes,
    ...(batch === undefined ? {} : { batch }),
    ...(hash === undefined ? {} : { hash }),
    ...(was === undefined ? {} : { was }),
    ...(foreign === undefined ? {} : { foreign }),
  };
}

/** Returns the body of a note after an event; null if the history does not hold it. */
export function bodyAfter({ changes }: HistoryEvent): string | null {
  const after = changes.find(({ field }) => field === BODY)?.after;
  const text = isRecord(after) ? after['text'] : undefined;
  return typeof text === 'string' ? text : null;
}

function isLinksOnly({ changes }: HistoryEvent): boolean {
  return changes.some(({ field }) => field === ONLY_LINKS);
}

/** Returns the events that only rewrote links because of a rename in the same write. */
function findLinkRewrites(events: readonly HistoryEvent[]): ReadonlySet<HistoryEvent> {
  const rewrites = groupByBatch(events).flatMap((written) => {
    const links = new LinkRewrites(written);
    return written.filter((event) => links.isLinkRewrite(event));
  });
  return new Set(rewrites);
}

/** Groups events by file, oldest first, following renames. A file that takes the path of a deleted one is another file. */
export function groupByFile(events: readonly HistoryEvent[]): readonly FileChanges[] {
  const all: { events: HistoryEvent[]; isDeleted: boolean }[] = [];
  const byPath = new Map<string, (typeof all)[number]>();
  const add = (event: HistoryEvent): void => {
    let file = byPath.get(event.path);
    if (file === undefined || (file.isDeleted && event.hash !== undefined && event.action !== 'restored')) {
      file = { events: [], isDeleted: false };
      all.push(file);
      byPath.set(event.path, file);
    }
    file.events.push(event);
    file.isDeleted = event.hash === undefined;
  };
  for (const written of groupByBatch(events)) {
    const moves = written.flatMap((event) => {
      const from = event.action === 'created' ? undefined : event.changes.find(({ field }) => field === 'path')?.before;
      return typeof from === 'string' && from !== event.path ? [{ from, to: event.path }] : [];
    });
    const arrived = new Set(moves.map(({ to }) => to));
    // A file that another one replaced.
    const isReplaced = ({ path, hash }: HistoryEvent): boolean => hash === undefined && arrived.has(path);
    for (const event of written) if (isReplaced(event)) add(event);
    // All at once, since files may have swapped their names.
    const moved = moves.map(({ from, to }) => ({ to, file: byPath.get(from) }));
    for (const { from } of moves) byPath.delete(from);
    for (const { to, file } of moved) {
      if (file === undefined) byPath.delete(to);
      else byPath.set(to, file);
    }
    for (const event of written) if (!isReplaced(event)) add(event);
  }
  return all;
}

function linkWrites(files: readonly FileChanges[], isByAgent: (event: HistoryEvent) => boolean): readonly LinkWrite[] {
  const writes = new Map<string, { -readonly [Key in keyof LinkWrite]: LinkWrite[Key] }>();
  for (const { events } of files) {
    for (const { batch = null, agent, timestamp } of events.filter(isByAgent)) {
      const known = writes.get(batch ?? timestamp);
      if (known === undefined) writes.set(batch ?? timestamp, { batch, agent, timestamp, files: 1 });
      else known.files += 1;
    }
  }
  return [...writes.values()].toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0));
}
