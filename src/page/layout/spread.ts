import type { Adjacency } from './adjacency.ts';
import type { Level } from './communities.ts';
import { createForces } from './forces.ts';
import type { Bodies } from './forces.ts';

/** One step of the work: progress from 0 to 1, and positions at the present level. */
export type Steps<T> = Generator<{ readonly done: number; readonly x: Float64Array; readonly y: Float64Array }, T>;

/** The golden angle of sunflower seeds: positions never coincide, in any number. */
export const GOLDEN = Math.PI * (3 - Math.sqrt(5));
/** Iterations at the coarsest level. */
const COARSE_ITERATIONS = 160;
/** Iterations at the finest level: of a small graph, and of one with a hundred thousand nodes. */
const FINE_ITERATIONS = { most: 260, least: 34, budget: 1_400_000 } as const;
/** Area per unit of mass. */
export const AREA_PER_MASS = 3.2;

/**
 * Computes a layout from scratch: the coarsest graph first, in which a node stands for many, then each finer one from the positions of the
 * coarser (a multilevel force layout, as by Walshaw 2001). Deterministic. Nodes without links stay at 0, 0.
 */
export function* spread(graph: Adjacency, levels: readonly Level[]): Steps<Bodies> {
  const graphs = [graph, ...levels.map((level) => level.graph)];
  const masses = massesOf(graph, levels);
  const work = graphs.map((each, at) => roundsOf(each, at, graphs.length) * (each.count + 200));
  const all = work.reduce((sum, each) => sum + each, 0);
  let [done, bodies] = [0, null as Bodies | null];
  for (let at = graphs.length - 1; at >= 0; at -= 1) {
    const level = graphs[at]!;
    const mass = masses[at]!;
    const before = bodies;
    bodies = before === null ? sunflower(mass) : expand(before, levels[at]!.memberOf, mass);
    const order = activeOf(level, mass);
    const total = order.reduce((sum, node) => sum + mass[node]!, 0);
    const radius = Math.sqrt(total * AREA_PER_MASS);
    const forces = createForces({ graph: level, bodies, order, longest: radius / 8, gravity: 1 / AREA_PER_MASS });
    const rounds = roundsOf(level, at, graphs.length);
    for (let round = 0; round < rounds; round += 1) {
      forces.step();
      done += level.count + 200;
      yield { done: Math.min(0.99, done / all), x: bodies.x, y: bodies.y };
    }
  }
  return bodies ?? sunflower(masses[0]!);
}

function roundsOf({ count }: Adjacency, at: number, of: number): number {
  if (at === of - 1 && at > 0) return COARSE_ITERATIONS;
  const fine = Math.round(Math.min(FINE_ITERATIONS.most, Math.max(FINE_ITERATIONS.least, FINE_ITERATIONS.budget / Math.max(1, count))));
  return at === 0 ? fine : Math.min(COARSE_ITERATIONS, fine);
}

/** Returns the masses of each level: more links need more room; a node that stands for many has their sum. */
function massesOf(graph: Adjacency, levels: readonly Level[]): readonly Float64Array[] {
  const masses = [Float64Array.from({ length: graph.count }, (_, node) => massOf(graph, node))];
  for (const { graph: smaller, memberOf } of levels) {
    const below = masses.at(-1)!;
    const mass = new Float64Array(smaller.count);
    for (let node = 0; node < memberOf.length; node += 1) mass[memberOf[node]!]! += below[node]!;
    masses.push(mass);
  }
  return masses;
}

/** Returns the mass of a node; 0 without links, so that no force applies. */
export function massOf({ first }: Adjacency, node: number): number {
  const degree = first[node + 1]! - first[node]!;
  return degree === 0 ? 0 : 1 + degree * 0.5;
}

export function activeOf({ count }: Pick<Adjacency, 'count'>, mass: Float64Array): Int32Array {
  return Int32Array.from({ length: count }, (_, node) => node).filter((node) => mass[node]! > 0);
}

function sunflower(mass: Float64Array): Bodies {
  const [x, y] = [new Float64Array(mass.length), new Float64Array(mass.length)];
  // Heaviest nodes in the middle.
  const order = Int32Array.from({ length: mass.length }, (_, node) => node).sort((a, b) => mass[b]! - mass[a]! || a - b);
  let held = 0;
  for (const [at, node] of order.entries()) {
    const radius = Math.sqrt((held + mass[node]! / 2) * AREA_PER_MASS);
    held += mass[node]!;
    if (mass[node] === 0) continue;
    x[node] = Math.cos(at * GOLDEN) * radius;
    y[node] = Math.sin(at * GOLDEN) * radius;
  }
  return { x, y, mass };
}

/** Places the members of a level in a sunflower around the node that stood for them. */
function expand(before: Bodies, memberOf: Int32Array, mass: Float64Array): Bodies {
  const [x, y] = [new Float64Array(mass.length), new Float64Array(mass.length)];
  const held = new Float64Array(before.mass.length);
  for (let node = 0; node < mass.length; node += 1) {
    if (mass[node] === 0) continue;
    const parent = memberOf[node]!;
    const radius = Math.sqrt((held[parent]! + mass[node]! / 2) * AREA_PER_MASS) * (held[parent] === 0 ? 0.2 : 0.8);
    held[parent]! += mass[node]!;
    x[node] = before.x[parent]! + Math.cos(node * GOLDEN) * radius;
    y[node] = before.y[parent]! + Math.sin(node * GOLDEN) * radius;
  }
  return { x, y, mass };
}
