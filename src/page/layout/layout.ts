import { toAdjacency } from './adjacency.ts';
import type { Adjacency, Links } from './adjacency.ts';
import { findLevels, toCommunities } from './communities.ts';
import { refine } from './refine.ts';
import type { PreviousLayout } from './refine.ts';
import { separate } from './separate.ts';
import { GOLDEN, spread } from './spread.ts';

/** A layout request. */
export interface LayoutAsk {
  readonly links: Links;
  /** Present positions, NaN for new nodes, and 1 for nodes whose links changed; null to start from scratch. */
  readonly former: { readonly x: Float32Array; readonly y: Float32Array; readonly isTouched: Uint8Array } | null;
}

/** Positions by node; y grows downwards, with about 30 units between notes. */
export interface Places {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** A layout, with the community of each node by its links: 0 is the largest, -1 none. */
export interface Layout extends Places {
  readonly community: Int32Array;
}

/** Progress from 0 to 1, with present positions. */
export interface LayoutStep {
  readonly done: number;
  readonly places: () => Places;
}

/** Layout units per unit of the forces. */
const UNITS_PER_FORCE_UNIT = 10;
/** Spacing of nodes without links. */
const LONELY_SPACING = 16;
/** Share of new nodes from which the layout starts from scratch. */
const MAX_NEW_SHARE = 0.5;

/** Returns the radius of a node in units: nodes are drawn as large, and kept apart. */
export function getRadius(degree: number): number {
  return Math.min(26, 3.2 + 1.7 * Math.sqrt(degree));
}

/** Computes a layout deterministically. Nodes without links form a ring around it. */
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
    (_, node) => (getRadius(graph.first[node + 1]! - graph.first[node]!) * 1.15) / UNITS_PER_FORCE_UNIT,
  );
  const apart = separate({ x, y, radius, ...(mobility === undefined ? {} : { mobility }) }, linkedOf(graph));
  while (apart.next().done !== true) yield { done: 0.99, places: () => placesOf(graph, { x, y }, start) };
  return { ...placesOf(graph, { x, y }, start), community: toCommunities(graph, step.value) };
}

/** Returns previous positions in units of the forces; null when too few are known. */
function startOf(graph: Adjacency, former: LayoutAsk['former']): PreviousLayout | null {
  if (former === null) return null;
  const linked = linkedOf(graph);
  const unknown = linked.filter((node) => Number.isNaN(former.x[node]!)).length;
  if (unknown > linked.length * MAX_NEW_SHARE) return null;
  return {
    x: Float64Array.from(former.x, (value) => value / UNITS_PER_FORCE_UNIT),
    y: Float64Array.from(former.y, (value) => value / UNITS_PER_FORCE_UNIT),
    isTouched: former.isTouched,
  };
}

function linkedOf({ count, first }: Adjacency): Int32Array {
  return Int32Array.from({ length: count }, (_, node) => node).filter((node) => first[node] !== first[node + 1]);
}

/** Converts positions for the result. New nodes without links are placed in a ring outside. */
function placesOf(
  { count, first }: Adjacency,
  bodies: { readonly x: Float64Array; readonly y: Float64Array } | null,
  former: Pick<PreviousLayout, 'x' | 'y'> | null = null,
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
    x[node] = known.x[node]! * UNITS_PER_FORCE_UNIT;
    y[node] = known.y[node]! * UNITS_PER_FORCE_UNIT;
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
