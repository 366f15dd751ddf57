import { isAtPage } from './at-page.ts';
import { isRecord } from '../../is-record.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import { byBatch } from './events.ts';
import { Renamed } from './relinked.ts';

/** Whose changes are looked through, and since when. */
export interface ReviewQuery {
  /** This agent's only; without it those of everybody but people. */
  readonly by?: string;
  /** In milliseconds; without it what was not accepted yet, or else the last day. */
  readonly since?: number;
  /** The name under which whoever reviews writes: a person. */
  readonly self: string;
}

/** Up to where changes were accepted: numbers of the history, for all agents and for single ones. */
export interface Accepted {
  readonly all: number;
  readonly by: ReadonlyMap<string, number>;
}

/** The changes of one file in a time, whoever made them, the oldest first, without what they say of its content. */
export interface FileChanges {
  readonly events: readonly HistoryEvent[];
  /** The file is not there any more. */
  readonly isGone: boolean;
}

/** What a review finds before it looks into texts. */
export interface ReviewedFiles {
  /** Files that agents changed, by the last of their paths. */
  readonly files: readonly FileChanges[];
  readonly isByAgent: (event: HistoryEvent) => boolean;
  /** The writes that did nothing but rewrite links in some files. */
  readonly links: readonly LinkWrite[];
  /** The last number that was looked at: what comes later is for the next review. */
  readonly upTo: number;
  /** Selected changes from before the time that nobody accepted. */
  readonly earlier: number;
  /** From when on, in milliseconds; null: since what was accepted. */
  readonly since: number | null;
  /** What lines tell that were not written here; absent where there are none. */
  readonly foreign?: ForeignChanges;
}

/** Changes by lines that were not written in this folder by this user. Apart from all others, as they may tell anything. */
export interface ForeignChanges {
  readonly events: number;
  /** By path, those with the newest lines first. */
  readonly notes: readonly ForeignNote[];
  /** Further notes, which are not named. */
  readonly omitted: number;
}

/** What such lines tell of one note. */
export interface ForeignNote {
  readonly path: string;
  readonly events: number;
  /** The first few. */
  readonly agents: readonly string[];
  /** ISO 8601. */
  readonly last: string;
}

/** One write that rewrote links in files where it did nothing else. */
export interface LinkWrite {
  readonly batch: string | null;
  readonly agent: string;
  readonly timestamp: string;
  readonly files: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** What is kept of the texts of new notes, in characters, of all together. */
const MAX_TEXT_CHARACTERS = 8_000_000;
const MAX_FOREIGN_NOTES = 50;
const MAX_FOREIGN_AGENTS = 5;
const MAX_FOREIGN_AGENT_CHARACTERS = 200;

/**
 * Goes through the history once, a segment at a time, and keeps of each event in the time what it says of its file's place. `now`: in
 * milliseconds. `unrecorded`: edits that the history does not hold yet.
 */
export async function reviewFiles(
  history: Segments<HistoryEvent>,
  accepted: Accepted,
  { by, since, self, now, unrecorded }: ReviewQuery & { readonly now: number; readonly unrecorded: readonly HistoryEvent[] },
): Promise<ReviewedFiles> {
  const hasAccepted = accepted.all > 0 || accepted.by.size > 0;
  const from = since ?? (hasAccepted ? null : now - DAY_MS);
  const isAgents = ({ agent }: HistoryEvent): boolean =>
    by === undefined ? agent !== 'external' && agent !== self && !isAtPage(agent) : agent === by;
  const isNew = ({ agent, seq }: HistoryEvent): boolean => seq > Math.max(accepted.all, accepted.by.get(agent) ?? 0);
  const isIn = (event: HistoryEvent): boolean => (from === null ? isNew(event) : Date.parse(event.timestamp) >= from);
  const least = Math.max(accepted.all, by === undefined ? 0 : (accepted.by.get(by) ?? 0));

  const found: HistoryEvent[] = [];
  const foreign = new ForeignNotes();
  let [earlier, upTo, room] = [0, 0, MAX_TEXT_CHARACTERS];
  for (const segment of history.names().toReversed()) {
    const all = await history.read(segment);
    for (const event of all) {
      upTo = Math.max(upTo, event.seq);
      if (event.foreign === true && isAgents(event) && isIn(event)) foreign.add(event);
    }
    const events = all.filter((event) => event.foreign !== true);
    let hasAny = false;
    const relinks = relinksOf(events);
    for (const event of events.toSorted((a, b) => b.seq - a.seq)) {
      const isInTime = from === null ? event.seq > least : Date.parse(event.timestamp) >= from;
      if (!isInTime) {
        const isLeft = hasAccepted && isAgents(event) && isNew(event);
        if (isLeft) earlier += 1;
        hasAny ||= isLeft;
        continue;
      }
      hasAny = true;
      const slim = slimmed(event, relinks.has(event), room > 0 && event.action === 'created' && isAgents(event));
      room -= bodyAfter(slim)?.length ?? 0;
      found.push(slim);
    }
    if (!hasAny && events.length > 0) break;
  }
  const isByAgent = (event: HistoryEvent): boolean => isAgents(event) && isIn(event);
  const files = groupByFile([...found.toReversed(), ...unrecorded]).filter(({ events }) => events.some(isByAgent));
  const onlyLinks = files.filter((file) => file.events.filter(isByAgent).every(isLinksOnly));
  const left = new Set(onlyLinks);
  return {
    files: files.filter((file) => !left.has(file)).toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : pathOf(a) > pathOf(b) ? 1 : 0)),
    isByAgent,
    links: linkWrites(onlyLinks, isByAgent),
    upTo,
    earlier,
    since: from,
    ...foreign.result(),
  };
}

/** Sums up lines that were not written here, however many there are. */
class ForeignNotes {
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

/** The last path of a file. */
export function pathOf({ events }: FileChanges): string {
  return events.at(-1)?.path ?? '';
}

/** The field of what is kept of an event that rewrote links and did nothing else. */
const ONLY_LINKS = 'only links';
/** The field in which the body of a new note is kept. */
const BODY = 'body';

/** An event without what it says of its file's content: where the file came from and went. Texts of ten thousand events would not fit. */
export function slimmed(event: HistoryEvent, isRelink: boolean, keepsText: boolean): HistoryEvent {
  const { seq, timestamp, node, path, agent, action, batch, hash, foreign } = event;
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
    ...(foreign === undefined ? {} : { foreign }),
  };
}

/** The body that a note had after an event, where the history holds it; null where it does not. */
export function bodyAfter({ changes }: HistoryEvent): string | null {
  const after = changes.find(({ field }) => field === BODY)?.after;
  const text = isRecord(after) ? after['text'] : undefined;
  return typeof text === 'string' ? text : null;
}

function isLinksOnly({ changes }: HistoryEvent): boolean {
  return changes.some(({ field }) => field === ONLY_LINKS);
}

/** The events that rewrote links, and did nothing else, because the write that they are of renamed what those lead to. */
function relinksOf(events: readonly HistoryEvent[]): ReadonlySet<HistoryEvent> {
  const relinks = byBatch(events).flatMap((written) => {
    const renamed = new Renamed(written);
    return written.filter((event) => renamed.isRelink(event));
  });
  return new Set(relinks);
}

/** The events by file, the oldest first, which may be renamed between them; a file that takes the name of one that is gone is another one. */
export function groupByFile(events: readonly HistoryEvent[]): readonly FileChanges[] {
  const all: { events: HistoryEvent[]; isGone: boolean }[] = [];
  const byPath = new Map<string, (typeof all)[number]>();
  for (const written of byBatch(events)) {
    const moves = written.flatMap((event) => {
      const from = event.action === 'created' ? undefined : event.changes.find(({ field }) => field === 'path')?.before;
      return typeof from === 'string' && from !== event.path ? [{ from, to: event.path }] : [];
    });
    // All at once: files may have exchanged their names.
    const moved = moves.map(({ from, to }) => ({ to, file: byPath.get(from) }));
    for (const { from } of moves) byPath.delete(from);
    for (const { to, file } of moved) {
      if (file === undefined) byPath.delete(to);
      else byPath.set(to, file);
    }
    for (const event of written) {
      let file = byPath.get(event.path);
      if (file === undefined || (file.isGone && event.hash !== undefined && event.action !== 'restored')) {
        file = { events: [], isGone: false };
        all.push(file);
        byPath.set(event.path, file);
      }
      file.events.push(event);
      file.isGone = event.hash === undefined;
    }
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
