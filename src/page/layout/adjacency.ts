/** Links as pairs of numbers below `count`, in any order, possibly with duplicates and self links. */
export interface Links {
  readonly count: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Weight per pair; default 1. */
  readonly weight?: Float64Array;
}

/** An undirected graph: the neighbors of `node` are `target.slice(first[node], first[node + 1])`, in order of their numbers. */
export interface Adjacency {
  readonly count: number;
  readonly first: Int32Array;
  readonly target: Int32Array;
  /** Number of links between two nodes, in both directions. */
  readonly weight: Float64Array;
  /** Self links, which result from merging nodes. */
  readonly self: Float64Array;
}

/** Builds the undirected graph of links. */
export function toAdjacency({ count, from, to, weight }: Links): Adjacency {
  const self = new Float64Array(count);
  const byTarget = sortBy(count, { length: from.length * 2, keyAt: (at) => (at & 1 ? from[at >> 1]! : to[at >> 1]!) });
  // Sorted by target, then stably by source: neighbors are in order, duplicates adjacent.
  const sourceAt = (at: number): number => (byTarget.order[at]! & 1 ? to[byTarget.order[at]! >> 1]! : from[byTarget.order[at]! >> 1]!);
  const bySource = sortBy(count, { length: byTarget.order.length, keyAt: sourceAt });
  const first = new Int32Array(count + 1);
  const target = new Int32Array(bySource.order.length);
  const sums = new Float64Array(bySource.order.length);
  let end = 0;
  for (let node = 0; node < count; node += 1) {
    first[node] = end;
    for (let at = bySource.first[node]!; at < bySource.first[node + 1]!; at += 1) {
      const half = byTarget.order[bySource.order[at]!]!;
      const other = half & 1 ? from[half >> 1]! : to[half >> 1]!;
      const own = weight?.[half >> 1] ?? 1;
      if (other === node) self[node]! += own / 2;
      else if (end > first[node]! && target[end - 1] === other) sums[end - 1]! += own;
      else {
        target[end] = other;
        sums[end] = own;
        end += 1;
      }
    }
  }
  first[count] = end;
  return { count, first, target: target.slice(0, end), weight: sums.slice(0, end), self };
}

/** Sorts indexes by a key below `count`, stably. */
function sortBy(count: number, { length, keyAt }: { length: number; keyAt: (at: number) => number }) {
  const first = new Int32Array(count + 1);
  for (let at = 0; at < length; at += 1) first[keyAt(at) + 1]! += 1;
  for (let key = 0; key < count; key += 1) first[key + 1]! += first[key]!;
  const next = first.slice();
  const order = new Int32Array(length);
  for (let at = 0; at < length; at += 1) order[next[keyAt(at)]!++] = at;
  return { first, order };
}
