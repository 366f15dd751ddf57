import type { Vault } from '../../../vault/vault.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { FoundFact, KnowledgeGroup } from '../stored/knowledge-group.ts';
import { startOf } from '../stored/shapes.ts';
import type { StoredFact } from '../stored/shapes.ts';
import { isVisible } from './validity.ts';
import type { Scope } from './validity.ts';

/** Entities, and the notes that facts lead to, as numbers, with the facts between them in both directions. */
interface FactGraph<Fact> {
  readonly numbers: ReadonlyMap<string, number>;
  /** Where the edges of each node begin in `ends` and `facts`; one more than there are nodes. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly facts: readonly Fact[];
  /** By edge, the time from which on its fact holds without an end, in milliseconds since 1970 UTC; NaN if that is not all to be said. */
  readonly opens: Float64Array;
}

/** Returns how near facts are to a centre by their uuids: 1 if it is one of their ends, less with each fact between, absent if none leads there. */
export function nearnessTo(
  vault: Vault,
  center: string,
  { groups, scope, facts }: { readonly groups: readonly KnowledgeGroup[]; readonly scope: Scope; readonly facts: readonly FoundFact[] },
): ReadonlyMap<string, number> {
  const index = knowledgeOf(vault);
  const ends = new Map(facts.map(({ fact, source }) => [fact.uuid, [source.uuid, index.targetOf(fact, source.path)?.uuid ?? '']]));
  const graph = graphOf(vault, groups);
  const distances = distancesFrom(center, graph, {
    wanted: new Set([...ends.values()].flat()),
    at: scope.moment.known === null ? Date.parse(scope.moment.valid) : NaN,
    accept: (fact) => isVisible(fact, scope),
  });
  const near = new Map<string, number>();
  for (const [uuid, both] of ends) {
    const distance = Math.min(...both.map((end) => distances.get(end) ?? Infinity));
    if (distance < Infinity) near.set(uuid, 1 / (1 + distance));
  }
  return near;
}

interface KnownGraphs {
  version: number;
  readonly byGroups: Map<string, FactGraph<StoredFact>>;
}

const createKnownGraphs = (): KnownGraphs => ({ version: -1, byGroups: new Map() });
/** Sets of groups whose facts are kept as a graph. */
const MAX_GRAPHS = 4;

/** Returns the facts of groups as a graph; cached until a note of the knowledge graph changes. */
function graphOf(vault: Vault, groups: readonly KnowledgeGroup[]): FactGraph<StoredFact> {
  const index = knowledgeOf(vault);
  const known = vault.derived(createKnownGraphs);
  const key = JSON.stringify(groups.map(({ id }) => id));
  const kept = known.version === index.version ? known.byGroups.get(key) : undefined;
  if (kept !== undefined) return kept;
  if (known.version !== index.version || known.byGroups.size >= MAX_GRAPHS) known.byGroups.clear();
  known.version = index.version;
  const edges = groups.flatMap((group) =>
    group.entities().flatMap((source) =>
      source.facts.flatMap((fact) => {
        const target = index.targetOf(fact, source.path);
        return target === null ? [] : [{ from: source.uuid, to: target.uuid, fact }];
      }),
    ),
  );
  const graph = buildGraph(edges, openFrom);
  known.byGroups.set(key, graph);
  return graph;
}

/** Returns from when on a fact is visible whatever is asked, as far as all that is known counts. */
function openFrom(fact: StoredFact): number {
  return fact.invalidAt === null && fact.expiredAt === null ? Date.parse(startOf(fact) ?? '') : NaN;
}

/** Builds the graph of facts, each of which leads from one node to another. */
export function buildGraph<Fact>(
  edges: readonly { readonly from: string; readonly to: string; readonly fact: Fact }[],
  openFrom: (fact: Fact) => number,
): FactGraph<Fact> {
  const numbers = new Map<string, number>();
  const numberOf = (uuid: string): number => {
    const number = numbers.get(uuid) ?? numbers.size;
    numbers.set(uuid, number);
    return number;
  };
  const pairs = edges.map(({ from, to }) => [numberOf(from), numberOf(to)] as const);
  const starts = new Uint32Array(numbers.size + 1);
  for (const pair of pairs) for (const node of pair) starts[node + 1]! += 1;
  for (let node = 0; node < numbers.size; node += 1) starts[node + 1]! += starts[node]!;
  const free = starts.slice();
  const ends = new Uint32Array(2 * edges.length);
  const facts = Array.from<Fact>({ length: ends.length });
  const opens = new Float64Array(ends.length);
  for (const [at, [from, to]] of pairs.entries())
    for (const [node, other] of [
      [from, to],
      [to, from],
    ] as const) {
      const place = free[node]!++;
      ends[place] = other;
      facts[place] = edges[at]!.fact;
      opens[place] = openFrom(edges[at]!.fact);
    }
  return { numbers, starts, ends, facts, opens };
}

export interface DistanceOptions<Fact> {
  readonly wanted: ReadonlySet<string>;
  /** Milliseconds since 1970 UTC: facts that are open by then are accepted; NaN to ask about each. */
  readonly at: number;
  readonly accept: (fact: Fact) => boolean;
}

/** Returns the number of accepted facts from a centre to nodes by the shortest way (S3-46). It ends once all `wanted` nodes are reached. */
export function distancesFrom<Fact>(
  center: string,
  { numbers, starts, ends, facts, opens }: FactGraph<Fact>,
  { wanted, at: now, accept }: DistanceOptions<Fact>,
): ReadonlyMap<string, number> {
  const first = numbers.get(center);
  if (first === undefined) return new Map(wanted.has(center) ? [[center, 0]] : []);
  const targets = new Map([...wanted].flatMap((uuid) => [[numbers.get(uuid) ?? -1, uuid]] as const));
  targets.delete(-1);
  const distances = new Map<string, number>();
  // Distances plus one; 0 where a node was not reached.
  const reached = new Uint32Array(numbers.size);
  const queue = new Uint32Array(numbers.size);
  let count = 0;
  const reach = (node: number, distance: number): void => {
    reached[node] = distance + 1;
    queue[count++] = node;
    const uuid = targets.get(node);
    if (uuid !== undefined) distances.set(uuid, distance);
  };
  reach(first, 0);
  for (let at = 0; at < count; at += 1) {
    const node = queue[at]!;
    for (let edge = starts[node]!; edge < starts[node + 1]!; edge += 1) {
      if (distances.size === targets.size) return distances;
      const to = ends[edge]!;
      // Most edges lead back, and most facts are open: looking at each of 20,000 facts in memory takes 50 ms.
      if (reached[to] === 0 && (opens[edge]! <= now || accept(facts[edge]!))) reach(to, reached[node]!);
    }
  }
  return distances;
}
