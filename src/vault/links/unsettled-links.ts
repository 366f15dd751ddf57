/** A link that a note lost by a save from outside a moment ago. The save may not be finished: editors empty a file first, then write it. */
export interface UnsettledLink {
  /** The note that held it. */
  readonly from: string;
  /** The file that it led to. */
  readonly to: string;
}

/** So many milliseconds after a save a link that it took away may still come back. */
export const UNSETTLED_MS = 5_000;
const MAX_NOTES = 1_000;

interface LostLinks {
  readonly at: number;
  /** The file that each link led to, by its text. */
  readonly targets: ReadonlyMap<string, string>;
}

/** Links that notes lost within the last seconds: who renames what they led to cannot rewrite them, and has to say so. */
export class UnsettledLinks {
  readonly #now: () => number;
  readonly #lost = new Map<string, LostLinks>();

  /** `now`: the clock of the file system, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A note was saved from outside, or removed. `before`: where its links led, by their text; `after`: the texts of its links now. */
  noticeSave(path: string, before: ReadonlyMap<string, string>, after: ReadonlySet<string>): void {
    const earlier = this.#recent(path)?.targets ?? new Map<string, string>();
    const targets = new Map([...earlier, ...before].filter(([link]) => !after.has(link)));
    this.#lost.delete(path);
    if (targets.size > 0) this.#lost.set(path, { at: this.#now(), targets });
    for (const oldest of this.#lost.keys()) {
      if (this.#lost.size <= MAX_NOTES && this.#recent(oldest) !== null) break;
      this.#lost.delete(oldest);
    }
  }

  /** Returns the links that led to one of these files. */
  linksTo(files: ReadonlySet<string>): readonly UnsettledLink[] {
    return [...this.#lost.keys()].flatMap((from) => {
      const targets = new Set(this.#recent(from)?.targets.values());
      return [...targets].flatMap((to) => (files.has(to) && to !== from ? [{ from, to }] : []));
    });
  }

  #recent(path: string): LostLinks | null {
    const lost = this.#lost.get(path);
    return lost !== undefined && this.#now() - lost.at < UNSETTLED_MS ? lost : null;
  }
}
