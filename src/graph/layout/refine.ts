import type { Adjacency } from './adjacency.ts';
import { openForces } from './forces.ts';
import type { Bodies } from './forces.ts';
import { GOLDEN, ROOM, activeOf, massOf } from './spread.ts';
import type { Steps } from './spread.ts';

/** Where nodes were, and which of them are to be looked at again. Places that are not a number: new nodes. */
export interface Former {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** 1: its links are others than they were. */
  readonly isTouched: Uint8Array;
}

/** What part of a step nodes take: new ones, those whose links changed, and those that are linked with either. All others stay where they are. */
const MOBILITY = { isNew: 1, touched: 0.4, beside: 0.12 } as const;
const ROUNDS = 48;

/**
 * Goes on from former places: new nodes begin beside those that they are linked with, and only what changed moves, with a little of what
 * is beside it. What nobody touched stays exactly where it was.
 */
export function* refine(graph: Adjacency, former: Former): Steps<Bodies> {
  const mass = Float64Array.from({ length: graph.count }, (_, node) => massOf(graph, node));
  const [x, y] = [former.x.slice(), former.y.slice()];
  const order = activeOf(graph, mass);
  const mobility = mobilityOf(graph, { former, order });
  seat(graph, { x, y, order });
  const bodies = { x, y, mass, mobility };
  if (order.some((node) => mobility[node]! > 0)) {
    const meanMass = order.reduce((sum, node) => sum + mass[node]!, 0) / order.length;
    const forces = openForces({ graph, bodies, order, longest: Math.sqrt(meanMass * ROOM), gravity: 1 / ROOM });
    for (let round = 0; round < ROUNDS; round += 1) {
      forces.step();
      yield { done: round / ROUNDS, x, y };
    }
  }
  return bodies;
}

function mobilityOf({ first, target, count }: Adjacency, { former, order }: { former: Former; order: Int32Array }): Float64Array {
  const mobility = new Float64Array(count);
  for (const node of order) {
    const own = Number.isNaN(former.x[node]!) ? MOBILITY.isNew : former.isTouched[node] === 1 ? MOBILITY.touched : 0;
    if (own === 0) continue;
    mobility[node] = own;
    for (let at = first[node]!; at < first[node + 1]!; at += 1) mobility[target[at]!] = Math.max(mobility[target[at]!]!, MOBILITY.beside);
  }
  return mobility;
}

/** Gives new nodes a place: in the middle of their neighbours that have one, a little aside. Whole groups of new ones begin at the rim. */
function seat({ first, target }: Adjacency, { x, y, order }: { x: Float64Array; y: Float64Array; order: Int32Array }): void {
  let waiting = order.filter((node) => Number.isNaN(x[node]!));
  const rim = order.reduce((most, node) => (Number.isNaN(x[node]!) ? most : Math.max(most, Math.hypot(x[node]!, y[node]!))), 4);
  while (waiting.length > 0) {
    const seated: { node: number; x: number; y: number }[] = [];
    for (const node of waiting) {
      let [sumX, sumY, known] = [0, 0, 0];
      for (let at = first[node]!; at < first[node + 1]!; at += 1) {
        if (Number.isNaN(x[target[at]!]!)) continue;
        sumX += x[target[at]!]!;
        sumY += y[target[at]!]!;
        known += 1;
      }
      const aside = 2 + Math.sqrt(node % 16);
      if (known > 0)
        seated.push({ node, x: sumX / known + Math.cos(node * GOLDEN) * aside, y: sumY / known + Math.sin(node * GOLDEN) * aside });
    }
    // One of a group that hangs together with nothing that is there.
    const start = waiting[0]!;
    if (seated.length === 0)
      seated.push({ node: start, x: Math.cos(start * GOLDEN) * rim * 1.05, y: Math.sin(start * GOLDEN) * rim * 1.05 });
    for (const one of seated) [x[one.node], y[one.node]] = [one.x, one.y];
    waiting = waiting.filter((node) => Number.isNaN(x[node]!));
  }
}
