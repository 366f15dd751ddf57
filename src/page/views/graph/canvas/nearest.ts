import { neighboursOf, radiusOf } from '../chart.ts';
import type { Chart } from '../chart.ts';
import { growOf } from './camera.ts';
import type { Camera } from './camera.ts';

/** What is seen of a chart. */
export interface Seen {
  readonly chart: Chart;
  readonly shown: Uint8Array;
  /** x, y, radius and nothing, by node. */
  readonly places: Float32Array;
  readonly camera: Camera;
}

/** A point of the drawing, from its middle in pixels. */
export interface Point {
  readonly left: number;
  readonly top: number;
}

/** Where a node is seen. */
export function viewOf({ places, camera: { x, y, scale } }: Seen, place: number): Point {
  return { left: ((places[place * 4] ?? NaN) - x) * scale, top: ((places[place * 4 + 1] ?? NaN) - y) * scale };
}

/** The node at a point, or the nearest one whose rim is no more than `reach` pixels away. */
export function nodeAt(seen: Seen, { left, top }: Point, reach: number): number | null {
  const grow = growOf(seen.camera.scale);
  let [best, least] = [null as number | null, Infinity];
  for (let at = 0; at < seen.shown.length; at += 1) {
    if (seen.shown[at] !== 1) continue;
    const view = viewOf(seen, at);
    const beyond = Math.hypot(view.left - left, view.top - top) - radiusOf(seen.chart.degree[at] ?? 0) * grow;
    if (beyond < reach && beyond < least) [best, least] = [at, beyond];
  }
  return best;
}

/** The neighbour of a node that is most in a direction, or, from nowhere, whatever of the given nodes is next to the middle; null for none. */
export function nodeToward(
  seen: Seen,
  start: { readonly from: number } | { readonly from: null; readonly among: Iterable<number> },
  [dx, dy]: readonly [number, number],
): number | null {
  const { from } = start;
  const origin = from === null ? { left: 0, top: 0 } : viewOf(seen, from);
  const candidates = from === null ? start.among : Object.values(neighboursOf(seen.chart, from)).flat();
  let [best, least] = [null as number | null, Infinity];
  for (const place of candidates) {
    if (seen.shown[place] !== 1 || place === from) continue;
    const { left, top } = viewOf(seen, place);
    const [x, y] = [left - origin.left, top - origin.top];
    const along = x * dx + y * dy;
    const aside = Math.abs(x * dy - y * dx);
    // Within some 70 degrees of the direction.
    if (from !== null && (along <= 0 || aside > along * 2.7)) continue;
    const cost = from === null ? Math.hypot(x, y) : along + aside * 2;
    if (cost < least) [best, least] = [place, cost];
  }
  return best;
}
