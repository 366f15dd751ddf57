/** A link that a note lost in a recent save from outside. The save may not be finished: some editors empty a file first, then write it. */
export interface UnsettledLink {
  /** The note that had the link. */
  readonly from: string;
  /** The file that it led to. */
  readonly to: string;
}

/** Time after a save in which a link it removed may still come back. */
export const UNSETTLED_MS = 5_000;
const MAX_NOTES = 1_000;
/** Longest time that a save takes. */
const MAX_SAVE_MS = 60_000;

interface LostLinks {
  readonly at: number;
  /** Targets by link text. */
  readonly targets: ReadonlyMap<string, string>;
}

/** Links that notes lost in the last seconds. A rename of their targets cannot rewrite them, and has to say so. */
export class UnsettledLinks {
  readonly #now: () => number;
  readonly #lost = new Map<string, LostLinks>();

  /** `now`: the clock of the file system, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Records that a note was saved from outside, or removed. `before`: targets of its links by their text; `after`: texts of its present
   * links.
   */
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

/** Links whose targets a write moved while their notes were being saved. They may be rewritten once the save is finished. */
export class PendingLinks {
  readonly #now: () => number;
  readonly #notes = new Map<string, { readonly to: ReadonlySet<string>; readonly until: number }>();

  /** `now`: the clock of the file system, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  add({ from, to }: UnsettledLink): void {
    this.#notes.set(from, { to: new Set([...(this.#notes.get(from)?.to ?? []), to]), until: this.#now() + MAX_SAVE_MS });
  }

  /** Forgets the links of notes whose save must be finished by now. */
  expire(): void {
    for (const [note, { until }] of this.#notes) if (until < this.#now()) this.#notes.delete(note);
  }

  /** Returns whether a note has such links. */
  isFrom(note: string): boolean {
    return this.#notes.has(note);
  }

  /** Returns whether such a link led to this path. */
  isTo(path: string): boolean {
    return [...this.#notes.values()].some(({ to }) => to.has(path));
  }
}
