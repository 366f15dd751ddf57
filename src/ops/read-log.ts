import type { Properties } from '../note/note.ts';
import type { Expectation } from '../vault/plan/plan.ts';

/** What a session has read of a note, or wrote itself. */
export interface ReadRecord {
  /** Hash of the file at that time. */
  readonly hash: string;
  readonly body: string;
  /** The frontmatter at that time. */
  readonly properties: Properties;
  /** The ranges of the body that were shown: sorted, neither overlapping nor adjacent. */
  readonly shown: readonly TextRange[];
}

/** `[from, to)` in UTF-16 units. */
export type TextRange = readonly [from: number, to: number];

/** The read log as of the start of one call: its sender cannot have seen what concurrent calls were shown since. */
export interface CallReadLog {
  /** Records that a range of a note's body is shown. Ranges of a previous body no longer count. */
  add(path: string, note: Omit<ReadRecord, 'shown'>, stretch: TextRange): void;
  /** Records that the frontmatter of a note is known and nothing more of its body, as after an outline or a write of properties. */
  addProperties(path: string, note: Omit<ReadRecord, 'shown'>): void;
  /** Records the body after a change by the session itself. What it had read of it, it still knows. */
  addOwn(path: string, note: Omit<ReadRecord, 'shown'>): void;
  /** Records for which content a revision is told: an edit by a person does not change `rev`, and the history may not have it yet. */
  tellRevision(path: string, revision: ToldRevision): void;
  /** Returns the hash of the content for which a revision of a note was told last; null if another one or none was told. */
  findTold(path: string, rev: number): string | null;
  /** Finds what was shown of the note at a path, or of a file with the same hash under another path; null: nothing. */
  find(path: string, hash: string): ReadRecord | null;
  /** Returns the paths of all notes in the log. */
  paths(): Iterable<string>;
  /** Records that a note has a new path. */
  move(from: string, to: string): void;
}

interface ToldRevision {
  readonly rev: number;
  readonly hash: string;
}

interface LoggedRead {
  readonly at: number;
  readonly reading: ReadRecord;
}

/** Maximum characters of notes in the log of one session; it has to read older ones again. */
const MAX_READ_LOG_CHARACTERS = 8_000_000;
/** Notes whose told revision is remembered. */
const MAX_TOLD_REVISIONS = 10_000;
/** Enough for several concurrent calls, each of which needs the state at its start. */
const MAX_READS_PER_NOTE = 4;

/** What one session has read of notes, so that it overwrites nothing that it has not seen. */
export class ReadLog {
  /** The reads of each note, the newest last. */
  readonly #byPath = new Map<string, readonly LoggedRead[]>();
  readonly #told = new Map<string, ToldRevision>();
  #characters = 0;
  #now = 0;

  /** Returns the log as of now, for a call that starts. */
  beginCall(): CallReadLog {
    const since = this.#now;
    return {
      add: (path, note, stretch) => this.#show(path, note, stretch),
      addProperties: (path, note) => this.#showProperties(path, note),
      addOwn: (path, note) => this.#changeOwn(path, note),
      tellRevision: (path, revision) => this.#tell(path, revision),
      findTold: (path, rev) => {
        const told = this.#told.get(path);
        return told?.rev === rev ? told.hash : null;
      },
      find: (path, hash) => this.#of(path, hash, since),
      paths: () => this.#byPath.keys(),
      move: (from, to) => this.#move(from, to),
    };
  }

  #show(path: string, note: Omit<ReadRecord, 'shown'>, stretch: TextRange): void {
    const last = this.#byPath.get(path)?.at(-1)?.reading;
    const shown = mergeRanges([...(last?.body === note.body ? last.shown : []), stretch]);
    this.#add(path, { ...note, shown });
  }

  #showProperties(path: string, note: Omit<ReadRecord, 'shown'>): void {
    const last = this.#byPath.get(path)?.at(-1)?.reading;
    if (last === undefined) return;
    const { body, shown } = last;
    this.#add(path, { ...note, hash: body === note.body ? note.hash : last.hash, body, shown });
  }

  #changeOwn(path: string, note: Omit<ReadRecord, 'shown'>): void {
    const last = this.#byPath.get(path)?.at(-1)?.reading;
    if (last !== undefined) this.#add(path, { ...note, shown: rangesAfter(last, note.body) });
  }

  #tell(path: string, revision: ToldRevision): void {
    this.#told.delete(path);
    this.#told.set(path, revision);
    const [oldest] = this.#told.keys();
    if (this.#told.size > MAX_TOLD_REVISIONS && oldest !== undefined) this.#told.delete(oldest);
  }

  #add(path: string, reading: ReadRecord): void {
    const before = this.#byPath.get(path) ?? [];
    this.#forget(path);
    this.#now += 1;
    this.#keep(path, [...before, { at: this.#now, reading }].slice(-MAX_READS_PER_NOTE));
    for (const oldest of this.#byPath.keys()) {
      if (this.#characters <= MAX_READ_LOG_CHARACTERS || oldest === path) break;
      this.#forget(oldest);
    }
  }

  #of(path: string, hash: string, since: number): ReadRecord | null {
    const known = (states: readonly LoggedRead[]): ReadRecord | null => states.findLast(({ at }) => at <= since)?.reading ?? null;
    const here = this.#byPath.get(path);
    if (here !== undefined) return known(here);
    for (const states of this.#byPath.values()) {
      const other = known(states);
      if (other?.hash === hash) return other;
    }
    return null;
  }

  #move(from: string, to: string): void {
    const states = this.#byPath.get(from);
    if (states === undefined || this.#byPath.has(to)) return;
    this.#forget(from);
    this.#keep(to, states);
  }

  #keep(path: string, states: readonly LoggedRead[]): void {
    this.#byPath.set(path, states);
    for (const { reading } of states) this.#characters += reading.body.length;
  }

  #forget(path: string): void {
    for (const { reading } of this.#byPath.get(path) ?? []) this.#characters -= reading.body.length;
    this.#byPath.delete(path);
  }
}

/** Returns what a revision stands for that a caller sends back: also the content for which it was told to this session, if it was. */
export function expectRevision({ readLog }: { readonly readLog: CallReadLog | null }, path: string, rev: number): Expectation {
  if (readLog === null) return { rev };
  const etag = readLog.findTold(path, rev);
  return { rev, ...(etag === null ? { isUnedited: true } : { etag }) };
}

/** Checks whether what a session last read of a note, in whole or in part, is still its current text. */
export function hasReadCurrent(
  { readLog }: { readonly readLog: CallReadLog | null },
  { path, hash }: { path: string; hash: string },
): boolean {
  return readLog?.find(path, hash)?.hash === hash;
}

/** Checks whether a session has read the whole current text of a note. */
export function hasReadWhole(
  { readLog }: { readonly readLog: CallReadLog | null },
  { path, hash }: { path: string; hash: string },
): boolean {
  const reading = readLog?.find(path, hash) ?? null;
  return reading?.hash === hash && findUnreadRange(reading) === null;
}

/** Returns the first range of the body that was not shown, or null when all of it was. */
export function findUnreadRange({ body, shown }: Pick<ReadRecord, 'body' | 'shown'>): TextRange | null {
  const first = shown[0];
  const from = first === undefined || first[0] > 0 ? 0 : first[1];
  if (from >= body.length) return null;
  return [from, shown.find(([begin]) => begin > from)?.[0] ?? body.length];
}

/** Sorts ranges and merges those that overlap or touch. */
function mergeRanges(stretches: readonly TextRange[]): readonly TextRange[] {
  const result: [number, number][] = [];
  for (const [from, to] of [...stretches].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** Returns what was shown of a body after a change of it: all of a range that holds the change, and what is beside it of others. */
function rangesAfter({ body, shown }: Pick<ReadRecord, 'body' | 'shown'>, after: string): readonly TextRange[] {
  const most = Math.min(body.length, after.length);
  let from = 0;
  while (from < most && body[from] === after[from]) from += 1;
  let same = 0;
  while (same < most - from && body[body.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  const to = body.length - same;
  const shift = after.length - body.length;
  return mergeRanges(
    shown.flatMap(([first, last]): TextRange[] => {
      if (first <= from && last >= to) return [[first, last + shift]];
      const parts: TextRange[] = [
        [first, Math.min(last, from)],
        [Math.max(first, to) + shift, last + shift],
      ];
      return parts.filter(([start, end]) => start < end);
    }),
  );
}
