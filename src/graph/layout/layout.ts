import { toAdjacency } from './adjacency.ts';
import type { Adjacency, Links } from './adjacency.ts';
import { findLevels, toCommunities } from './communities.ts';
import { refine } from './refine.ts';
import type { Former } from './refine.ts';
import { separate } from './separate.ts';
import { GOLDEN, spread } from './spread.ts';

/** What is to be laid out. */
export interface LayoutAsk {
  readonly links: Links;
  /** Where nodes are, NaN for those that have no place yet, and 1 for those whose links changed since; null: from nothing. */
  readonly former: { readonly x: Float32Array; readonly y: Float32Array; readonly isTouched: Uint8Array } | null;
}

/** Places by node; y grows downwards, and notes lie some 30 units apart. */
export interface Places {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** A layout, with the group that each node belongs to by its links: 0 is the largest, -1 none. */
export interface Layout extends Places {
  readonly community: Int32Array;
}

/** How far the work is, 0 to 1, and where nodes are by now. */
export interface LayoutStep {
  readonly done: number;
  readonly places: () => Places;
}

/** Units of a place to one of the forces. */
const UNIT = 10;
/** The plane around a node without links. */
const LONELY_SPACING = 16;
/** From so many new ones among all nodes on, it is begun anew. */
const MAX_NEW_SHARE = 0.5;

/** How large a node is drawn at its own scale, in units; they are kept apart by that. */
export function radiusOf(degree: number): number {
  return Math.min(26, 3.2 + 1.7 * Math.sqrt(degree));
}

/** Lays out a graph, the same one always to the same places. Nodes without links stand in a ring around it. */
export function* layOut({ links, former }: LayoutAsk): Generator<LayoutStep, Layout> {
  const graph = toAdjacency(links);
  const start = startOf(graph, former);
  const levels = findLevels(graph);
  let step = levels.next();
  for (; step.done !== true; step = levels.next()) yield { done: 0, places: () => placesOf(graph, start, start) };
  const work = start === null ? spread(graph, step.value) : refine(graph, start);
  let bodies = work.next();
  for (; bodies.done !== true; bodies = work.next()) {
    const { done, x, y } = bodies.value;
    yield { done, places: () => placesOf(graph, x.length === graph.count ? { x, y } : start, start) };
  }
  const { x, y } = bodies.value;
  const { mobility } = bodies.value;
  const radius = Float64Array.from(
    { length: graph.count },
    (_, node) => (radiusOf(graph.first[node + 1]! - graph.first[node]!) * 1.15) / UNIT,
  );
  const apart = separate({ x, y, radius, ...(mobility === undefined ? {} : { mobility }) }, linkedOf(graph));
  while (apart.next().done !== true) yield { done: 0.99, places: () => placesOf(graph, { x, y }, start) };
  return { ...placesOf(graph, { x, y }, start), community: toCommunities(graph, step.value) };
}

/** Former places in units of the forces, or null where too little is known. */
function startOf(graph: Adjacency, former: LayoutAsk['former']): Former | null {
  if (former === null) return null;
  const linked = linkedOf(graph);
  const unknown = linked.filter((node) => Number.isNaN(former.x[node]!)).length;
  if (unknown > linked.length * MAX_NEW_SHARE) return null;
  return {
    x: Float64Array.from(former.x, (value) => value / UNIT),
    y: Float64Array.from(former.y, (value) => value / UNIT),
    isTouched: former.isTouched,
  };
}

function linkedOf({ count, first }: Adjacency): Int32Array {
  return Int32Array.from({ length: count }, (_, node) => node).filter((node) => first[node] !== first[node + 1]);
}

/** Places as they are told. Nodes without links that have none get theirs: in a ring that begins behind the others. */
function placesOf(
  { count, first }: Adjacency,
  bodies: { readonly x: Float64Array; readonly y: Float64Array } | null,
  former: Pick<Former, 'x' | 'y'> | null = null,
): Places {
  const [x, y] = [new Float32Array(count), new Float32Array(count)];
  const lonely: number[] = [];
  let [farthest, settled] = [0, 0];
  for (let node = 0; node < count; node += 1) {
    const isLinked = first[node] !== first[node + 1];
    const known = isLinked ? bodies : former;
    if (known === null || Number.isNaN(known.x[node]!)) {
      lonely.push(node);
      continue;
    }
    x[node] = known.x[node]! * UNIT;
    y[node] = known.y[node]! * UNIT;
    if (isLinked) farthest = Math.max(farthest, Math.hypot(x[node]!, y[node]!));
    else settled += 1;
  }
  const inner = farthest === 0 ? 0 : farthest + LONELY_SPACING * 2;
  for (const [at, node] of lonely.entries()) {
    const seed = settled + at;
    const radius = Math.sqrt(inner ** 2 + (seed * LONELY_SPACING ** 2) / 2);
    x[node] = Math.cos(seed * GOLDEN) * radius;
    y[node] = Math.sin(seed * GOLDEN) * radius;
  }
  return { x, y };
}
