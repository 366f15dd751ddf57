import { toAdjacency } from './adjacency.ts';
import type { Adjacency } from './adjacency.ts';

/** A coarser graph whose nodes group those of the previous one. */
export interface Level {
  readonly graph: Adjacency;
  /** Node of this graph by node of the previous one. */
  readonly memberOf: Int32Array;
}

/** Rounds in which nodes change communities; a few are usually enough. */
const MAX_ROUNDS = 12;
const MAX_LEVELS = 12;
/** Gain per round, relative to all links, below which the search stops. */
const MIN_GAIN = 1e-4;

/**
 * Groups nodes that are linked more than by chance, then the groups, until nothing is gained: the Louvain method (Blondel and others 2008).
 * Processes nodes in order, so that it is deterministic. Yields between rounds.
 */
export function* findLevels(graph: Adjacency): Generator<void, readonly Level[]> {
  const levels: Level[] = [];
  let current = graph;
  while (levels.length < MAX_LEVELS) {
    const memberOf = yield* gather(current);
    const smaller = put(current, memberOf);
    if (smaller.count === current.count) break;
    levels.push({ graph: smaller, memberOf });
    current = smaller;
  }
  return levels;
}

/** Returns the community of each node by the last level, 0 being the largest; -1 for nodes without links. */
export function toCommunities(graph: Adjacency, levels: readonly Level[]): Int32Array {
  const community = Int32Array.from({ length: graph.count }, (_, node) => node);
  for (const { memberOf } of levels) for (let node = 0; node < graph.count; node += 1) community[node] = memberOf[community[node]!]!;
  const size = new Map<number, number>();
  for (let node = 0; node < graph.count; node += 1) {
    if (graph.first[node] === graph.first[node + 1]) community[node] = -1;
    else size.set(community[node]!, (size.get(community[node]!) ?? 0) + 1);
  }
  const rank = new Map([...size].sort(([a, of], [b, than]) => than - of || a - b).map(([each], at) => [each, at]));
  return community.map((each) => rank.get(each) ?? -1);
}

/** Returns the group number of each node, numbered in order of first appearance. */
function* gather({ count, first, target, weight, self }: Adjacency): Generator<void, Int32Array> {
  const group = Int32Array.from({ length: count }, (_, node) => node);
  const degree = new Float64Array(count);
  for (let node = 0; node < count; node += 1) {
    degree[node] = self[node]! * 2;
    for (let at = first[node]!; at < first[node + 1]!; at += 1) degree[node]! += weight[at]!;
  }
  const total = degree.reduce((sum, each) => sum + each, 0);
  const groupDegree = degree.slice();
  const toGroup = new Float64Array(count);
  const seen: number[] = [];
  for (let round = 0; round < MAX_ROUNDS && total > 0; round += 1) {
    let gained = 0;
    for (let node = 0; node < count; node += 1) {
      const own = group[node]!;
      seen.length = 0;
      for (let at = first[node]!; at < first[node + 1]!; at += 1) {
        const other = group[target[at]!]!;
        if (toGroup[other] === 0) seen.push(other);
        toGroup[other]! += weight[at]!;
      }
      groupDegree[own]! -= degree[node]!;
      const gainOf = (other: number): number => toGroup[other]! - (groupDegree[other]! * degree[node]!) / total;
      const stay = gainOf(own);
      let [best, most] = [own, stay];
      for (const other of seen) {
        const gain = gainOf(other);
        if (gain > most + 1e-9 || (gain > most - 1e-9 && other < best && most > stay)) [best, most] = [other, gain];
      }
      group[node] = best;
      groupDegree[best]! += degree[node]!;
      gained += most - stay;
      for (const other of seen) toGroup[other] = 0;
    }
    yield;
    if (gained <= total * MIN_GAIN) break;
  }
  return renumber(group);
}

function renumber(group: Int32Array): Int32Array {
  const numbers = new Map<number, number>();
  return group.map((each) => {
    const known = numbers.get(each);
    if (known !== undefined) return known;
    numbers.set(each, numbers.size);
    return numbers.size - 1;
  });
}

/** Returns the graph of the groups. */
function put({ count, first, target, weight, self }: Adjacency, memberOf: Int32Array): Adjacency {
  const groups = memberOf.reduce((most, each) => Math.max(most, each + 1), 0);
  const [from, to, weights]: [number[], number[], number[]] = [[], [], []];
  for (let node = 0; node < count; node += 1) {
    if (self[node]! > 0) add(memberOf[node]!, memberOf[node]!, self[node]!);
    // Each pair once.
    for (let at = first[node]!; at < first[node + 1]!; at += 1)
      if (target[at]! > node) add(memberOf[node]!, memberOf[target[at]!]!, weight[at]!);
  }
  return toAdjacency({ count: groups, from: Int32Array.from(from), to: Int32Array.from(to), weight: Float64Array.from(weights) });

  function add(a: number, b: number, w: number): void {
    from.push(a);
    to.push(b);
    weights.push(w);
  }
}
