/** What part of the map is looked at: the place in the middle, and pixels to a unit. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** A map of few notes is not drawn larger than that by itself. */
const MAX_FIT_SCALE = 3.4;
const LEAST = 0.004;
const MOST = 12;

export function clampScale(scale: number): number {
  return Math.min(MOST, Math.max(LEAST, scale));
}

/** Zooms so that a point of the drawing, from its middle in pixels, stays where it is. */
export function zoomAt(
  { x, y, scale }: Camera,
  { factor, left, top }: { readonly factor: number; readonly left: number; readonly top: number },
): Camera {
  const next = clampScale(scale * factor);
  return { x: x + left / scale - left / next, y: y + top / scale - top / next, scale: next };
}

/** A camera that sees all places, with a margin; of a very large map its outermost few may lie outside. */
export function fit(
  places: Float32Array,
  { shown, width, height }: { readonly shown: Uint8Array; readonly width: number; readonly height: number },
): Camera {
  const [xs, ys]: [number[], number[]] = [[], []];
  for (let at = 0; at < shown.length; at += 1) {
    const [x, y] = [places[at * 4] ?? NaN, places[at * 4 + 1] ?? NaN];
    if (shown[at] === 0 || Number.isNaN(x)) continue;
    xs.push(x);
    ys.push(y);
  }
  if (xs.length === 0) return { x: 0, y: 0, scale: 1 };
  const range = (values: number[]): [number, number] => {
    const sorted = Float64Array.from(values).sort();
    const outside = sorted.length > 500 ? Math.floor(sorted.length * 0.002) : 0;
    return [sorted[outside] ?? 0, sorted[sorted.length - 1 - outside] ?? 0];
  };
  const [[left, right], [top, bottom]] = [range(xs), range(ys)];
  const margin = Math.min(60, width * 0.08);
  const scale = Math.min(
    (width - margin * 2) / Math.max(right - left, 1),
    (height - margin * 2) / Math.max(bottom - top, 1),
    MAX_FIT_SCALE,
  );
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale: clampScale(scale) };
}

/** The camera a part of the way, 0 to 1, from one to another: scales by factors, so that zooming feels even. */
export function between(from: Camera, to: Camera, part: number): Camera {
  const eased = 1 - (1 - part) ** 3;
  return {
    x: from.x + (to.x - from.x) * eased,
    y: from.y + (to.y - from.y) * eased,
    scale: from.scale * (to.scale / from.scale) ** eased,
  };
}

/** Pixels to a unit of a node's size: zooming in makes nodes larger, but less than the space between them. */
export function growOf(scale: number): number {
  return scale ** 0.55;
}
