import type { Layout, Places } from '../../graph/layout/layout.ts';
import type { KeptPlaces } from './kept-places.ts';

/** Where the nodes of a map stand and which group each belongs to, by their numbers, and since when. */
export class MapPlaces {
  #x = new Float32Array(0);
  #y = new Float32Array(0);
  #community = new Int32Array(0);
  #placedAt = new Int32Array(0);
  #version = 1;

  /** Grows when something moves. */
  get version(): number {
    return this.#version;
  }

  /** Not a number: it has no place yet. */
  xOf(id: number): number {
    return this.#x[id] ?? NaN;
  }

  yOf(id: number): number {
    return this.#y[id] ?? NaN;
  }

  /** -1: none. */
  communityOf(id: number): number {
    return this.#community[id] ?? -1;
  }

  hasPlace(id: number): boolean {
    return !Number.isNaN(this.xOf(id));
  }

  /** Whether it moved, or changed its group, since a version. */
  hasMoved(id: number, since: number): boolean {
    return (this.#placedAt[id] ?? 0) > since;
  }

  /** Takes over what was kept, for the nodes of these names. */
  restore(kept: KeptPlaces, idOf: (key: string) => number | null): void {
    for (const [at, key] of kept.keys.entries()) {
      const id = idOf(key);
      if (id !== null) this.#put(id, { x: kept.x[at] ?? NaN, y: kept.y[at] ?? NaN, community: kept.community[at] ?? -1 });
    }
  }

  /** Takes over places as a layout comes along; `ids`: the node of each. */
  move(ids: Int32Array, { x, y }: Places): void {
    this.#version += 1;
    for (let at = 0; at < ids.length; at += 1) {
      const id = ids[at] ?? 0;
      this.#put(id, { x: x[at] ?? NaN, y: y[at] ?? NaN, community: this.communityOf(id) });
    }
  }

  /** Takes over a layout. Groups go on under the numbers that most of their members had. */
  settle(ids: Int32Array, layout: Layout): void {
    this.move(ids, layout);
    const numbers = matchGroups(layout.community, (at) => this.communityOf(ids[at] ?? 0));
    for (let at = 0; at < ids.length; at += 1) {
      const id = ids[at] ?? 0;
      this.#put(id, { x: this.xOf(id), y: this.yOf(id), community: numbers.get(layout.community[at] ?? -1) ?? -1 });
    }
  }

  #put(id: number, { x, y, community }: { x: number; y: number; community: number }): void {
    if (id >= this.#x.length) this.#grow(id + 1);
    if (this.#x[id] === x && this.#y[id] === y && this.#community[id] === community) return;
    this.#x[id] = x;
    this.#y[id] = y;
    this.#community[id] = community;
    this.#placedAt[id] = this.#version;
  }

  #grow(length: number): void {
    const size = Math.max(256, length, Math.ceil(this.#x.length * 1.5));
    const [x, y, community, placedAt] = [
      new Float32Array(size).fill(NaN),
      new Float32Array(size).fill(NaN),
      new Int32Array(size).fill(-1),
      new Int32Array(size),
    ];
    x.set(this.#x);
    y.set(this.#y);
    community.set(this.#community);
    placedAt.set(this.#placedAt);
    [this.#x, this.#y, this.#community, this.#placedAt] = [x, y, community, placedAt];
  }
}

/** A number for each group: that of the former group which most of its members were in, the largest first; new ones get what is free. */
function matchGroups(community: Int32Array, formerOf: (at: number) => number): ReadonlyMap<number, number> {
  const shared = new Map<string, { group: number; former: number; size: number }>();
  const groups = new Set<number>();
  for (let at = 0; at < community.length; at += 1) {
    const [group, former] = [community[at] ?? -1, formerOf(at)];
    if (group < 0) continue;
    groups.add(group);
    if (former < 0) continue;
    const key = `${group} ${former}`;
    const one = shared.get(key) ?? { group, former, size: 0 };
    one.size += 1;
    shared.set(key, one);
  }
  const numbers = new Map<number, number>();
  const taken = new Set<number>();
  for (const { group, former } of [...shared.values()].sort((a, b) => b.size - a.size || a.group - b.group || a.former - b.former)) {
    if (numbers.has(group) || taken.has(former)) continue;
    numbers.set(group, former);
    taken.add(former);
  }
  let free = 0;
  for (const group of [...groups].sort((a, b) => a - b)) {
    if (numbers.has(group)) continue;
    while (taken.has(free)) free += 1;
    numbers.set(group, free);
    taken.add(free);
  }
  return numbers;
}
