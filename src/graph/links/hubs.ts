import { compareText } from '../../note/text.ts';
import type { Entry } from '../entry.ts';

/** A note with the number of its neighbours. */
export interface Hub {
  readonly entry: Entry;
  readonly score: number;
}

/** So many of the first are kept: more than anybody asks for, so that some may leave before all notes are counted again. */
const KEPT = 256;
/** With more changes than this, counting all is less work. */
const MAX_CHANGED = 2_048;

/** The notes with the most neighbours, kept in their order: by degree, then id, then path. A change costs what changed, not what there is. */
export class Hubs {
  readonly #read: (id: number) => Hub | null;
  /** Numbers and hubs in order; null: to be counted. */
  #kept: Numbered[] | null = null;
  /** The last one when they were counted: all that are not kept come after it. Null: all notes are kept. */
  #last: Hub | null = null;
  readonly #changed = new Set<number>();
  readonly #most: number;

  /** `read`: the note of a number as a hub, null where there is none to be seen; `most`: so many of the first are kept. */
  constructor(read: (id: number) => Hub | null, most: number = KEPT) {
    this.#read = read;
    this.#most = most;
  }

  /** A note came, went, or has another degree, id, path or visibility. */
  touch(id: number): void {
    if (this.#kept === null) return;
    this.#changed.add(id);
    if (this.#changed.size > MAX_CHANGED) this.#kept = null;
  }

  /** The first of the notes whose numbers are below `end`; no more than are kept. */
  first(limit: number, end: number): readonly Hub[] {
    let kept = this.#kept === null ? null : this.#follow(this.#kept);
    if (kept === null || (kept.length < limit && this.#last !== null)) kept = this.#count(end);
    return kept.slice(0, limit).map(({ hub }) => hub);
  }

  #follow(kept: Numbered[]): Numbered[] {
    for (const id of this.#changed) {
      const known = kept.findIndex((one) => one.id === id);
      if (known >= 0) kept.splice(known, 1);
      const hub = this.#read(id);
      if (hub !== null && (this.#last === null || compareHubs(hub, this.#last) <= 0)) insert(kept, { id, hub });
    }
    this.#changed.clear();
    return kept;
  }

  #count(end: number): Numbered[] {
    const kept: Numbered[] = [];
    let seen = 0;
    for (let id = 0; id < end; id += 1) {
      const hub = this.#read(id);
      if (hub === null) continue;
      seen += 1;
      const last = kept.length < this.#most ? undefined : kept.at(-1);
      if (last !== undefined && compareHubs(hub, last.hub) > 0) continue;
      insert(kept, { id, hub });
      if (kept.length > this.#most) kept.pop();
    }
    this.#changed.clear();
    this.#last = seen > this.#most ? (kept.at(-1)?.hub ?? null) : null;
    this.#kept = kept;
    return kept;
  }
}

interface Numbered {
  readonly id: number;
  readonly hub: Hub;
}

function insert(kept: Numbered[], one: Numbered): void {
  const at = kept.findIndex(({ hub }) => compareHubs(one.hub, hub) < 0);
  kept.splice(at < 0 ? kept.length : at, 0, one);
}

function compareHubs(a: Hub, b: Hub): number {
  return b.score - a.score || compareText(a.entry.id, b.entry.id) || compareText(a.entry.path, b.entry.path);
}
