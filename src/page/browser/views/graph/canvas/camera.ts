/** The visible part of the map: the point in the middle, and pixels per unit. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** `fit` zooms in no further than this, so that a few notes do not fill the screen. */
const MAX_FIT_SCALE = 3.4;
const MIN_SCALE = 0.004;
const MAX_SCALE = 12;

export function clampScale(scale: number): number {
  return Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale));
}

/** Zooms around a fixed point, given in pixels from the middle of the canvas. */
export function zoomAt(
  { x, y, scale }: Camera,
  { factor, left, top }: { readonly factor: number; readonly left: number; readonly top: number },
): Camera {
  const next = clampScale(scale * factor);
  return { x: x + left / scale - left / next, y: y + top / scale - top / next, scale: next };
}

/** Returns a camera that shows all positions with a margin. On a large map a few outliers may be outside. */
export function fit(
  positions: Float32Array,
  { shown, width, height }: { readonly shown: Uint8Array; readonly width: number; readonly height: number },
): Camera {
  const [xs, ys]: [number[], number[]] = [[], []];
  for (let at = 0; at < shown.length; at += 1) {
    const [x, y] = [positions[at * 4] ?? NaN, positions[at * 4 + 1] ?? NaN];
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

/** Returns the camera a fraction (0 to 1) of the way between two. Scales are interpolated geometrically, so that zooming feels even. */
export function interpolate(from: Camera, to: Camera, part: number): Camera {
  const eased = 1 - (1 - part) ** 3;
  return {
    x: from.x + (to.x - from.x) * eased,
    y: from.y + (to.y - from.y) * eased,
    scale: from.scale * (to.scale / from.scale) ** eased,
  };
}

/** Returns pixels per unit of a node's radius. Nodes grow more slowly than the space between them. */
export function getNodeScale(scale: number): number {
  return scale ** 0.55;
}
