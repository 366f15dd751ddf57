import type { Adjacency } from './adjacency.ts';
import type { Level } from './communities.ts';
import { openForces } from './forces.ts';
import type { Bodies } from './forces.ts';

/** One step of the work: how far it is, 0 to 1, and where the nodes of the present level are. */
export type Steps<T> = Generator<{ readonly done: number; readonly x: Float64Array; readonly y: Float64Array }, T>;

/** The angle by which seeds of a sunflower follow one another: places that never fall together, in whatever number. */
export const GOLDEN = Math.PI * (3 - Math.sqrt(5));
/** Iterations at the smallest graph, and at the largest by its size. */
const COARSE_ROUNDS = 160;
/** Work of the last level: iterations of a small graph, and of one of a hundred thousand nodes. */
const FINE_ROUNDS = { most: 260, least: 34, budget: 1_400_000 } as const;
/** The plane that one unit of mass takes. */
export const ROOM = 3.2;

/**
 * Lays a graph out from nothing: its smallest form first, where a node stands for many, then each larger one from the places of the
 * smaller (a multilevel force layout, as by Walshaw 2001). The same graph comes to the same places. Nodes without links are left at 0, 0.
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
    const radius = Math.sqrt(total * ROOM);
    const forces = openForces({ graph: level, bodies, order, longest: radius / 8, gravity: 1 / ROOM });
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
  if (at === of - 1 && at > 0) return COARSE_ROUNDS;
  const fine = Math.round(Math.min(FINE_ROUNDS.most, Math.max(FINE_ROUNDS.least, FINE_ROUNDS.budget / Math.max(1, count))));
  return at === 0 ? fine : Math.min(COARSE_ROUNDS, fine);
}

/** How heavy each node of each level is: more links, more room; one that stands for many weighs what they do. */
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

/** A node without links weighs nothing: no force finds it. */
export function massOf({ first }: Adjacency, node: number): number {
  const degree = first[node + 1]! - first[node]!;
  return degree === 0 ? 0 : 1 + degree * 0.5;
}

export function activeOf({ count }: Pick<Adjacency, 'count'>, mass: Float64Array): Int32Array {
  return Int32Array.from({ length: count }, (_, node) => node).filter((node) => mass[node]! > 0);
}

function sunflower(mass: Float64Array): Bodies {
  const [x, y] = [new Float64Array(mass.length), new Float64Array(mass.length)];
  // The heaviest in the middle.
  const order = Int32Array.from({ length: mass.length }, (_, node) => node).sort((a, b) => mass[b]! - mass[a]! || a - b);
  let held = 0;
  for (const [at, node] of order.entries()) {
    const radius = Math.sqrt((held + mass[node]! / 2) * ROOM);
    held += mass[node]!;
    if (mass[node] === 0) continue;
    x[node] = Math.cos(at * GOLDEN) * radius;
    y[node] = Math.sin(at * GOLDEN) * radius;
  }
  return { x, y, mass };
}

/** Around the place of the node that stood for them, the members of a level in a sunflower of their own. */
function expand(before: Bodies, memberOf: Int32Array, mass: Float64Array): Bodies {
  const [x, y] = [new Float64Array(mass.length), new Float64Array(mass.length)];
  const held = new Float64Array(before.mass.length);
  for (let node = 0; node < mass.length; node += 1) {
    if (mass[node] === 0) continue;
    const parent = memberOf[node]!;
    const radius = Math.sqrt((held[parent]! + mass[node]! / 2) * ROOM) * (held[parent] === 0 ? 0.2 : 0.8);
    held[parent]! += mass[node]!;
    x[node] = before.x[parent]! + Math.cos(node * GOLDEN) * radius;
    y[node] = before.y[parent]! + Math.sin(node * GOLDEN) * radius;
  }
  return { x, y, mass };
}
