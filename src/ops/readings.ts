import type { Properties } from '../note/note.ts';

/** What a session was shown of a note, or wrote there itself. */
export interface Reading {
  /** Hash of the file as it was then. */
  readonly hash: string;
  readonly body: string;
  /** The frontmatter as it was then. */
  readonly properties: Properties;
  /** The stretches of the body that were shown, in their order, none touching another: `[from, to)` in UTF-16 units. */
  readonly shown: readonly Stretch[];
}

export type Stretch = readonly [from: number, to: number];

/** Readings as one call knows them: what other calls were shown since it came in, whoever sent it cannot have seen. */
export interface CallReadings {
  /** A stretch of a note's body is shown. What was shown of another body no longer counts. */
  show(path: string, note: Omit<Reading, 'shown'>, stretch: Stretch): void;
  /** The frontmatter of a note is shown and none of its body, as in the answer to a write. */
  showProperties(path: string, note: Omit<Reading, 'shown'>): void;
  /** What was shown of the note at a path, or of a file of this very content under another one; null: nothing. */
  of(path: string, hash: string): Reading | null;
  /** The paths of all notes of which something was shown. */
  paths(): Iterable<string>;
  /** A note of which something was shown has another path now. */
  move(from: string, to: string): void;
}

interface Shown {
  readonly at: number;
  readonly reading: Reading;
}

/** So many characters of notes one session is remembered to have seen; of what it saw earlier it has to be told again. */
const MAX_READ_LOG_CHARACTERS = 8_000_000;
/** What calls that came in at once need to know of what was shown before them. */
const MAX_STATES = 4;

/** What one session has been shown of notes, so that it overwrites nothing that it has not seen. */
export class Readings {
  /** The states of each note that were shown, the newest last. */
  readonly #byPath = new Map<string, readonly Shown[]>();
  #characters = 0;
  #now = 0;

  /** The readings for a call that comes in now. */
  begin(): CallReadings {
    const since = this.#now;
    return {
      show: (path, note, stretch) => this.#show(path, note, stretch),
      showProperties: (path, note) => this.#showProperties(path, note),
      of: (path, hash) => this.#of(path, hash, since),
      paths: () => this.#byPath.keys(),
      move: (from, to) => this.#move(from, to),
    };
  }

  #show(path: string, note: Omit<Reading, 'shown'>, stretch: Stretch): void {
    const last = this.#byPath.get(path)?.at(-1)?.reading;
    const shown = joined([...(last?.body === note.body ? last.shown : []), stretch]);
    this.#add(path, { ...note, shown });
  }

  #showProperties(path: string, note: Omit<Reading, 'shown'>): void {
    const last = this.#byPath.get(path)?.at(-1)?.reading;
    if (last === undefined) return;
    const { body, shown } = last;
    this.#add(path, { ...note, hash: body === note.body ? note.hash : last.hash, body, shown });
  }

  #add(path: string, reading: Reading): void {
    const before = this.#byPath.get(path) ?? [];
    this.#forget(path);
    this.#now += 1;
    this.#keep(path, [...before, { at: this.#now, reading }].slice(-MAX_STATES));
    for (const oldest of this.#byPath.keys()) {
      if (this.#characters <= MAX_READ_LOG_CHARACTERS || oldest === path) break;
      this.#forget(oldest);
    }
  }

  #of(path: string, hash: string, since: number): Reading | null {
    const known = (states: readonly Shown[]): Reading | null => states.findLast(({ at }) => at <= since)?.reading ?? null;
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

  #keep(path: string, states: readonly Shown[]): void {
    this.#byPath.set(path, states);
    for (const { reading } of states) this.#characters += reading.body.length;
  }

  #forget(path: string): void {
    for (const { reading } of this.#byPath.get(path) ?? []) this.#characters -= reading.body.length;
    this.#byPath.delete(path);
  }
}

/** Whether a session was shown all of a note as it is now. */
export function hasReadAll(
  { readings }: { readonly readings: CallReadings | null },
  { path, hash }: { path: string; hash: string },
): boolean {
  const reading = readings?.of(path, hash) ?? null;
  return reading?.hash === hash && unseenOf(reading) === null;
}

/** The first stretch of the body that was not shown, or null when all of it was. */
export function unseenOf({ body, shown }: Pick<Reading, 'body' | 'shown'>): Stretch | null {
  const first = shown[0];
  const from = first === undefined || first[0] > 0 ? 0 : first[1];
  if (from >= body.length) return null;
  return [from, shown.find(([begin]) => begin > from)?.[0] ?? body.length];
}

/** Stretches in their order, those that touch as one. */
function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const result: [number, number][] = [];
  for (const [from, to] of [...stretches].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}
