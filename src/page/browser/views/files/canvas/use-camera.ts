import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { boundsOf } from '../../../../site/canvas-bounds.ts';
import type { Box } from '../../../../site/canvas-bounds.ts';
import { fit, pan, transformOf, zoomAt } from './camera.ts';
import type { Camera } from './camera.ts';
import { followKeys } from './camera-keys.ts';
import { followPointers } from './pointers.ts';

/** Below this zoom, texts are too small to read, and names are shown instead. */
const FAR_ZOOM = 0.22;
/** Below this zoom, links are too small to be clicked, so that a click brings a node closer. */
const SMALL_ZOOM = 0.45;
const ZOOM_STEP = 1.25;

/** Where a reader has moved the view of a canvas. */
export interface MovedCamera {
  readonly path: string;
  readonly camera: Camera;
}

/** Moves the plane of a canvas by pointers, wheel and keys. */
export interface CameraControl {
  readonly stage: RefObject<HTMLDivElement | null>;
  readonly plane: RefObject<HTMLDivElement | null>;
  /** Whether everything is so small that the content of nodes is only a picture. */
  readonly isSmall: boolean;
  readonly zoomIn: () => void;
  readonly zoomOut: () => void;
  readonly fitAll: () => void;
  /** Brings a node into the middle, large enough to be read. */
  readonly show: (node: Box) => void;
}

/**
 * Moves the plane of a canvas. `isEmbedded`: the wheel and a finger scroll the page, so that only pinching and Ctrl with the wheel zoom.
 * `moved`: where the reader has moved the view of the canvas `path`. Until then all of it is fitted into the window.
 */
export function useCamera(
  nodes: readonly Box[],
  { path, moved, isEmbedded }: { readonly path: string; readonly moved: RefObject<MovedCamera | null>; readonly isEmbedded: boolean },
): CameraControl {
  const stage = useRef<HTMLDivElement>(null);
  const plane = useRef<HTMLDivElement>(null);
  const camera = useRef<Camera>({ x: 0, y: 0, zoom: 1 });
  const shown = useRef({ path, nodes });
  shown.current = { path, nodes };
  const [isSmall, setSmall] = useState(false);

  const control = useMemo(() => {
    const sizeOf = (): { width: number; height: number } => ({
      width: stage.current?.clientWidth ?? 0,
      height: stage.current?.clientHeight ?? 0,
    });
    const set = (next: Camera): void => {
      camera.current = next;
      if (plane.current === null || stage.current === null) return;
      plane.current.style.transform = transformOf(next, sizeOf());
      plane.current.style.setProperty('--zoom', String(next.zoom));
      stage.current.dataset['far'] = String(next.zoom < FAR_ZOOM);
      setSmall(next.zoom < SMALL_ZOOM);
    };
    const move = (change: (now: Camera) => Camera): void => {
      set(change(camera.current));
      moved.current = { path: shown.current.path, camera: camera.current };
    };
    const zoom = (factor: number, point?: { readonly x: number; readonly y: number }): void => {
      const size = sizeOf();
      move((now) => zoomAt(now, factor, point ?? { x: size.width / 2, y: size.height / 2 }, size));
    };
    const fitAll = (): void => {
      const size = sizeOf();
      const bounds = boundsOf(shown.current.nodes);
      if (bounds === null || size.width === 0) return;
      set(fit(bounds, size));
      moved.current = null;
    };
    const redraw = (): void => (moved.current?.path === shown.current.path ? set(moved.current.camera) : fitAll());
    return {
      zoom,
      fitAll,
      panBy: (dx: number, dy: number) => move((now) => pan(now, dx, dy)),
      zoomIn: () => zoom(ZOOM_STEP),
      zoomOut: () => zoom(1 / ZOOM_STEP),
      show: (node: Box) =>
        move(() => ({ x: node.x + node.width / 2, y: node.y + node.height / 2, zoom: Math.min(1, fit(node, sizeOf()).zoom) })),
      redraw,
    };
  }, []);

  // In a layout effect, as the canvas would otherwise be drawn once where it is not.
  useLayoutEffect(control.redraw, [path]);
  useLayoutEffect(() => {
    const element = stage.current;
    if (element === null) return;
    const observer = new ResizeObserver(control.redraw);
    observer.observe(element);
    const stopKeys = followKeys(element, control);
    const stopPointers = followPointers(element, { isEmbedded, panBy: control.panBy, zoom: control.zoom });
    // The browser scrolls to what gets the focus, but the camera decides what is in view.
    const onScroll = (): void => {
      element.scrollLeft = 0;
      element.scrollTop = 0;
    };
    const onFocus = (event: FocusEvent): void => {
      if (!(event.target instanceof HTMLElement) || event.target === element || !event.target.matches(':focus-visible')) return;
      const [inner, outer] = [event.target.getBoundingClientRect(), element.getBoundingClientRect()];
      const isInside = inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom;
      if (!isInside)
        control.panBy(
          inner.left + inner.width / 2 - outer.left - outer.width / 2,
          inner.top + inner.height / 2 - outer.top - outer.height / 2,
        );
    };
    element.addEventListener('scroll', onScroll);
    element.addEventListener('focusin', onFocus);
    return () => {
      observer.disconnect();
      stopPointers();
      stopKeys();
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('focusin', onFocus);
    };
  }, [isEmbedded]);
  return { stage, plane, isSmall, zoomIn: control.zoomIn, zoomOut: control.zoomOut, fitAll: control.fitAll, show: control.show };
}
