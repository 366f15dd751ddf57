import type { Adjacency } from './adjacency.ts';
import { Quadtree } from './quadtree.ts';

/** Nodes in a plane, by their numbers. */
export interface Bodies {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** How much a node pushes others away and is held by the middle. */
  readonly mass: Float64Array;
  /** What part of a step a node may take, 0 to 1; without it each may take the whole. */
  readonly mobility?: Float64Array;
}

/** How a graph is pulled apart and together. */
export interface Pull {
  readonly graph: Adjacency;
  readonly bodies: Bodies;
  /** The nodes that there are to the forces; others neither move nor push. */
  readonly order: Int32Array;
  /** No step is longer than this. */
  readonly longest: number;
  /** How strongly all are drawn to the middle; the plane that a mass takes is its inverse. */
  readonly gravity: number;
}

/** How coarsely far nodes are seen: below 1 hardly anything changes any more. */
const THETA = 1.1;
/** How much a node may swing, against how much it gets on (Jacomy and others 2014). */
const TOLERANCE = 1;

/** Steps of a layout: nodes push each other away, links pull, until they come to rest. Each step is one iteration. */
export function openForces({ graph, bodies, order, longest, gravity }: Pull): { step(): number } {
  const { x, y, mass, mobility } = bodies;
  const tree = new Quadtree();
  const [fx, fy, lastX, lastY] = [0, 0, 0, 0].map(() => new Float64Array(graph.count)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  let speed = 1;

  function sumForces(): void {
    tree.build({ x, y, mass, order });
    for (let at = 0; at < order.length; at += 1) {
      const node = order[at]!;
      if (mobility !== undefined && mobility[node] === 0) continue;
      const [px, py, own] = [x[node]!, y[node]!, mass[node]!];
      tree.push(node, px, py, THETA);
      let sumX = tree.forceX * own - px * gravity * own;
      let sumY = tree.forceY * own - py * gravity * own;
      for (let link = graph.first[node]!; link < graph.first[node + 1]!; link += 1) {
        const other = graph.target[link]!;
        const strength = graph.weight[link]!;
        sumX += (x[other]! - px) * strength;
        sumY += (y[other]! - py) * strength;
      }
      fx[node] = sumX;
      fy[node] = sumY;
    }
  }

  return {
    /** One iteration; gives how far nodes moved on average. */
    step() {
      sumForces();
      let [swinging, traction] = [0, 0];
      for (let at = 0; at < order.length; at += 1) {
        const node = order[at]!;
        swinging += mass[node]! * Math.hypot(fx[node]! - lastX[node]!, fy[node]! - lastY[node]!);
        traction += (mass[node]! * Math.hypot(fx[node]! + lastX[node]!, fy[node]! + lastY[node]!)) / 2;
      }
      const wanted = swinging === 0 ? speed : (TOLERANCE * traction) / swinging;
      speed = Math.min(wanted, speed * 1.5);
      let moved = 0;
      for (let at = 0; at < order.length; at += 1) {
        const node = order[at]!;
        const share = mobility?.[node] ?? 1;
        if (share === 0) continue;
        const swing = mass[node]! * Math.hypot(fx[node]! - lastX[node]!, fy[node]! - lastY[node]!);
        const factor = (speed / (1 + Math.sqrt(speed * swing))) * share;
        const length = Math.hypot(fx[node]!, fy[node]!) * factor;
        const scale = length > longest * share ? (longest * share) / length : 1;
        x[node]! += fx[node]! * factor * scale;
        y[node]! += fy[node]! * factor * scale;
        moved += Math.min(length, longest * share);
        lastX[node] = fx[node]!;
        lastY[node] = fy[node]!;
      }
      return order.length === 0 ? 0 : moved / order.length;
    },
  };
}
