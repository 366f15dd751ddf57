import { toAdjacency } from './adjacency.ts';
import type { Adjacency } from './adjacency.ts';

/** Nodes of one graph put together to those of a smaller one. */
export interface Level {
  readonly graph: Adjacency;
  /** By node of the graph before: its node here. */
  readonly memberOf: Int32Array;
}

/** Rounds in which nodes change sides; mostly a few do. */
const MAX_ROUNDS = 12;
const MAX_DEPTH = 12;
/** What a round has to gain, of all links, to be worth another. */
const MIN_GAIN = 1e-4;

/**
 * Puts nodes together that are linked more than chance would have it, then those in turn, until nothing is gained: the Louvain method
 * (Blondel and others 2008), in the order of the numbers, so that the same graph gives the same levels. Yields between rounds.
 */
export function* findLevels(graph: Adjacency): Generator<void, readonly Level[]> {
  const levels: Level[] = [];
  let current = graph;
  while (levels.length < MAX_DEPTH) {
    const memberOf = yield* gather(current);
    const smaller = put(current, memberOf);
    if (smaller.count === current.count) break;
    levels.push({ graph: smaller, memberOf });
    current = smaller;
  }
  return levels;
}

/** The community of each node by the last of the levels, the largest being 0; nodes without a link are in none: -1. */
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

/** For each node the number of its group, from 0 on, in the order in which they first stand there. */
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

/** The graph of the groups. */
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
