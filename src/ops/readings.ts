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

/** So many characters of notes one session is remembered to have seen; of what it saw earlier it has to be told again. */
const MOST_CHARACTERS = 8_000_000;

/** What one session has been shown of notes, so that it overwrites nothing that it has not seen. */
export class Readings {
  readonly #byPath = new Map<string, Reading>();
  #characters = 0;

  /** A stretch of a note's body is shown. What was shown of another body no longer counts. */
  show(path: string, note: Omit<Reading, 'shown'>, stretch: Stretch): void {
    const before = this.#byPath.get(path);
    this.#forget(path);
    const shown = joined([...(before?.body === note.body ? before.shown : []), stretch]);
    this.#byPath.set(path, { ...note, shown });
    this.#characters += note.body.length;
    for (const oldest of this.#byPath.keys()) {
      if (this.#characters <= MOST_CHARACTERS || oldest === path) break;
      this.#forget(oldest);
    }
  }

  /** What was shown of the note at a path, or of a file of this very content under another one; null: nothing. */
  of(path: string, hash: string): Reading | null {
    const reading = this.#byPath.get(path);
    if (reading !== undefined) return reading;
    for (const other of this.#byPath.values()) if (other.hash === hash) return other;
    return null;
  }

  #forget(path: string): void {
    this.#characters -= this.#byPath.get(path)?.body.length ?? 0;
    this.#byPath.delete(path);
  }
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
