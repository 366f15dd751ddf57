import type { Adjacency } from './adjacency.ts';
import { createForces } from './forces.ts';
import type { Bodies } from './forces.ts';
import { GOLDEN, AREA_PER_MASS, activeOf, massOf } from './spread.ts';
import type { Steps } from './spread.ts';

/** Previous positions, and which nodes may move. NaN positions are new nodes. */
export interface PreviousLayout {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** 1 for nodes whose links changed. */
  readonly isTouched: Uint8Array;
}

/** Mobility of new nodes, of those whose links changed, and of their neighbors. All others stay in place. */
const MOBILITY = { isNew: 1, touched: 0.4, beside: 0.12 } as const;
const ITERATIONS = 48;

/**
 * Updates a layout from previous positions: new nodes start beside their neighbors, and only what changed moves, with its neighbors a
 * little. Everything else stays exactly in place.
 */
export function* refine(graph: Adjacency, former: PreviousLayout): Steps<Bodies> {
  const mass = Float64Array.from({ length: graph.count }, (_, node) => massOf(graph, node));
  const [x, y] = [former.x.slice(), former.y.slice()];
  const order = activeOf(graph, mass);
  const mobility = mobilityOf(graph, { former, order });
  seat(graph, { x, y, order });
  const bodies = { x, y, mass, mobility };
  if (order.some((node) => mobility[node]! > 0)) {
    const meanMass = order.reduce((sum, node) => sum + mass[node]!, 0) / order.length;
    const forces = createForces({ graph, bodies, order, longest: Math.sqrt(meanMass * AREA_PER_MASS), gravity: 1 / AREA_PER_MASS });
    for (let round = 0; round < ITERATIONS; round += 1) {
      forces.step();
      yield { done: round / ITERATIONS, x, y };
    }
  }
  return bodies;
}

function mobilityOf({ first, target, count }: Adjacency, { former, order }: { former: PreviousLayout; order: Int32Array }): Float64Array {
  const mobility = new Float64Array(count);
  for (const node of order) {
    const own = Number.isNaN(former.x[node]!) ? MOBILITY.isNew : former.isTouched[node] === 1 ? MOBILITY.touched : 0;
    if (own === 0) continue;
    mobility[node] = own;
    for (let at = first[node]!; at < first[node + 1]!; at += 1) mobility[target[at]!] = Math.max(mobility[target[at]!]!, MOBILITY.beside);
  }
  return mobility;
}

/** Places new nodes in the middle of their placed neighbors, a little aside. Groups of new nodes start at the rim. */
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
    // A node of a group without links to placed nodes.
    const start = waiting[0]!;
    if (seated.length === 0)
      seated.push({ node: start, x: Math.cos(start * GOLDEN) * rim * 1.05, y: Math.sin(start * GOLDEN) * rim * 1.05 });
    for (const one of seated) [x[one.node], y[one.node]] = [one.x, one.y];
    waiting = waiting.filter((node) => Number.isNaN(x[node]!));
  }
}
