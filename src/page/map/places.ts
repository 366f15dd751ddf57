import type { Layout, Places } from '../layout/layout.ts';
import type { StoredLayout } from './stored-layout.ts';

/** Positions and groups of the nodes of a map by number, with the version at which they last changed. */
export class MapPlaces {
  #x = new Float32Array(0);
  #y = new Float32Array(0);
  #community = new Int32Array(0);
  #placedAt = new Int32Array(0);
  #version = 1;

  /** Increases when something moves. */
  get version(): number {
    return this.#version;
  }

  /** NaN when it has no position yet. */
  xOf(id: number): number {
    return this.#x[id] ?? NaN;
  }

  yOf(id: number): number {
    return this.#y[id] ?? NaN;
  }

  /** -1 for none. */
  communityOf(id: number): number {
    return this.#community[id] ?? -1;
  }

  hasPlace(id: number): boolean {
    return !Number.isNaN(this.xOf(id));
  }

  /** Returns whether a node moved or changed its group after a version. */
  hasMoved(id: number, since: number): boolean {
    return (this.#placedAt[id] ?? 0) > since;
  }

  /** Restores the stored positions of nodes with these keys. */
  restore(kept: StoredLayout, idOf: (key: string) => number | null): void {
    for (const [at, key] of kept.keys.entries()) {
      const id = idOf(key);
      if (id !== null) this.#put(id, { x: kept.x[at] ?? NaN, y: kept.y[at] ?? NaN, community: kept.community[at] ?? -1 });
    }
  }

  /** Applies positions of an unfinished layout; `ids` is the node of each. */
  move(ids: Int32Array, { x, y }: Places): void {
    this.#version += 1;
    for (let at = 0; at < ids.length; at += 1) {
      const id = ids[at] ?? 0;
      this.#put(id, { x: x[at] ?? NaN, y: y[at] ?? NaN, community: this.communityOf(id) });
    }
  }

  /** Applies a finished layout. Each group keeps the number that most of its members had. */
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

/**
 * Assigns a number to each group: that of the previous group of most of its members, largest overlap first; new groups get free numbers.
 */
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
