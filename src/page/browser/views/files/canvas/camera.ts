import type { Box } from '../../../../site/canvas-bounds.ts';

/** What part of the plane is in view: the point in the middle, and how many pixels of the screen a unit of the plane takes. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export type Size = Pick<Box, 'width' | 'height'>;

const MAX_ZOOM = 4;
const MIN_ZOOM = 0.02;
/** Free space around everything, in pixels. */
const MARGIN_PX = 32;

/** Returns the camera that shows a whole rectangle, not enlarged. */
export function fit(box: Box, view: Size): Camera {
  const zoom = Math.min(1, (view.width - 2 * MARGIN_PX) / box.width, (view.height - 2 * MARGIN_PX) / box.height);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, zoom: Math.max(zoom, 0.0001) };
}

/** Zooms by a factor; the point of the view stays where it is. */
export function zoomAt(camera: Camera, factor: number, point: { readonly x: number; readonly y: number }, view: Size): Camera {
  // A canvas that only fits when it is smaller than the least zoom can still be enlarged.
  const zoom = Math.min(MAX_ZOOM, Math.max(Math.min(MIN_ZOOM, camera.zoom), camera.zoom * factor));
  const [dx, dy] = [point.x - view.width / 2, point.y - view.height / 2];
  return { x: camera.x + dx / camera.zoom - dx / zoom, y: camera.y + dy / camera.zoom - dy / zoom, zoom };
}

/** Moves the view by pixels. */
export function pan(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x + dx / camera.zoom, y: camera.y + dy / camera.zoom };
}

/** Returns the CSS transform of the plane. */
export function transformOf({ x, y, zoom }: Camera, view: Size): string {
  return `translate(${view.width / 2 - x * zoom}px, ${view.height / 2 - y * zoom}px) scale(${zoom})`;
}
