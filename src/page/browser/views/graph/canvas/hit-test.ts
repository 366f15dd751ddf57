import { getRadius } from '../../../../layout/layout.ts';
import { getNeighbors } from '../graph-model.ts';
import type { GraphData } from '../graph-model.ts';
import { getNodeScale } from './camera.ts';
import type { Camera } from './camera.ts';

/** The visible part of a graph. */
export interface Viewport {
  readonly graph: GraphData;
  readonly shown: Uint8Array;
  /** Four numbers per node: x, y, radius and padding. */
  readonly positions: Float32Array;
  readonly camera: Camera;
}

/** A point in pixels from the middle of the canvas. */
export interface Point {
  readonly left: number;
  readonly top: number;
}

/** Returns the point at which a node is drawn. */
export function toViewPoint({ positions, camera: { x, y, scale } }: Viewport, index: number): Point {
  return { left: ((positions[index * 4] ?? NaN) - x) * scale, top: ((positions[index * 4 + 1] ?? NaN) - y) * scale };
}

/** Returns the node at a point, or the nearest one whose edge is at most `reach` pixels away. */
export function findNodeAt(viewport: Viewport, { left, top }: Point, reach: number): number | null {
  const grow = getNodeScale(viewport.camera.scale);
  let [best, least] = [null as number | null, Infinity];
  for (let at = 0; at < viewport.shown.length; at += 1) {
    if (viewport.shown[at] !== 1) continue;
    const view = toViewPoint(viewport, at);
    const beyond = Math.hypot(view.left - left, view.top - top) - getRadius(viewport.graph.degree[at] ?? 0) * grow;
    if (beyond < reach && beyond < least) [best, least] = [at, beyond];
  }
  return best;
}

/**
 * Returns the neighbor of a node that is closest in a direction, or, without a node, the one of `among` nearest to the middle. Null for
 * none.
 */
export function findNodeToward(
  viewport: Viewport,
  start: { readonly from: number } | { readonly from: null; readonly among: Iterable<number> },
  [dx, dy]: readonly [number, number],
): number | null {
  const { from } = start;
  const origin = from === null ? { left: 0, top: 0 } : toViewPoint(viewport, from);
  const candidates = from === null ? start.among : Object.values(getNeighbors(viewport.graph, from)).flat();
  let [best, least] = [null as number | null, Infinity];
  for (const index of candidates) {
    if (viewport.shown[index] !== 1 || index === from) continue;
    const { left, top } = toViewPoint(viewport, index);
    const [x, y] = [left - origin.left, top - origin.top];
    const along = x * dx + y * dy;
    const aside = Math.abs(x * dy - y * dx);
    // Only neighbors within about 70 degrees of the direction.
    if (from !== null && (along <= 0 || aside > along * 2.7)) continue;
    const cost = from === null ? Math.hypot(x, y) : along + aside * 2;
    if (cost < least) [best, least] = [index, cost];
  }
  return best;
}
