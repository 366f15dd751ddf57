import type { Adjacency } from './adjacency.ts';
import { Quadtree } from './quadtree.ts';

/** Positions of nodes by number. */
export interface Bodies {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Strength of a node's repulsion and gravity. */
  readonly mass: Float64Array;
  /** Share of a step that a node may move, 0 to 1; default 1. */
  readonly mobility?: Float64Array;
}

/** Parameters of the forces. */
export interface Pull {
  readonly graph: Adjacency;
  readonly bodies: Bodies;
  /** The nodes with forces; others neither move nor push. */
  readonly order: Int32Array;
  /** Longest step. */
  readonly longest: number;
  /** Strength of the pull to the center; its inverse is the area per unit of mass. */
  readonly gravity: number;
}

/** Approximation of far nodes; below 1 hardly anything changes. */
const THETA = 1.1;
/** Allowed oscillation relative to progress (Jacomy and others 2014). */
const TOLERANCE = 1;

/** Creates a force layout: nodes repel each other and links attract, until they come to rest. Each step is one iteration. */
export function createForces({ graph, bodies, order, longest, gravity }: Pull): { step(): number } {
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
    /** Runs one iteration; returns how far nodes moved on average. */
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
