import { compareText } from '../../note/text.ts';
import type { Entry } from '../entry.ts';

/** A note with its number of neighbors. */
export interface Hub {
  readonly entry: Entry;
  readonly score: number;
}

/** Cached hubs: more than anybody requests, so that some may drop out before all notes are counted again. */
const MAX_CACHED_HUBS = 256;
/** Changes above which counting all notes is cheaper. */
const MAX_CHANGED = 2_048;

/** Caches the notes with the most neighbors: by degree, then id, then path. Updates cost only what changed. */
export class Hubs {
  readonly #read: (id: number) => Hub | null;
  /** Hubs in order; null when they must be counted. */
  #kept: Numbered[] | null = null;
  /** The last hub of the count: all uncached notes come after it. Null when all notes are cached. */
  #last: Hub | null = null;
  readonly #changed = new Set<number>();
  readonly #most: number;

  /** `read`: returns the hub of a note number; null when it is not visible. `most`: number of cached hubs. */
  constructor(read: (id: number) => Hub | null, most: number = MAX_CACHED_HUBS) {
    this.#read = read;
    this.#most = most;
  }

  /** Handles a note that was added, removed, or changed its degree, id, path or visibility. */
  touch(id: number): void {
    if (this.#kept === null) return;
    this.#changed.add(id);
    if (this.#changed.size > MAX_CHANGED) this.#kept = null;
  }

  /** Makes the next call count all notes again. */
  forget(): void {
    this.#kept = null;
  }

  /** Returns the first hubs among notes with numbers below `end`, at most as many as are cached. */
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
  let [start, end] = [0, kept.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    const before = kept[middle];
    if (before !== undefined && compareHubs(one.hub, before.hub) < 0) end = middle;
    else start = middle + 1;
  }
  kept.splice(start, 0, one);
}

function compareHubs(a: Hub, b: Hub): number {
  return b.score - a.score || compareText(a.entry.id, b.entry.id) || compareText(a.entry.path, b.entry.path);
}
