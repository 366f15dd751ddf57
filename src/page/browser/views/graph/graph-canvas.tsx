import { useEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import { shownTheme } from '../../theme.ts';
import type { Camera } from './canvas/camera.ts';
import { readPalette } from './canvas/palette.ts';
import { Scene } from './canvas/scene.ts';
import type { Pick } from './canvas/events.ts';
import type { GraphData } from './graph-model.ts';

/** Nodes are given as indices into the graph. */
interface CanvasProps {
  readonly graph: GraphData;
  readonly shown: Uint8Array;
  readonly matches: ReadonlySet<number> | null;
  readonly colorOf: Int8Array;
  readonly hasArrows: boolean;
  readonly focused: number | null;
  /** Key under which the camera is stored; null: it is not stored. */
  readonly storageKey: string | null;
  /** Changes when another map is shown, but not when the same map changes. */
  readonly mapKey: string;
  readonly scene: RefObject<Scene | null>;
  readonly describedBy: string;
  readonly onPick: (index: number | null, pick: Pick) => void;
  readonly onFocus: (index: number | null) => void;
  readonly onOpen: (index: number, isLocal: boolean) => void;
  readonly onMissing: () => void;
}

const STEP = 60;
const ZOOM = 1.35;
const DIRECTIONS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['ArrowLeft', [-1, 0]],
  ['ArrowRight', [1, 0]],
  ['ArrowUp', [0, -1]],
  ['ArrowDown', [0, 1]],
]);

/** Tells whether the user has asked the system for reduced motion. */
export function prefersReducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** The canvas of the graph, operated by pointer, touch and keyboard. */
export function GraphCanvas(props: CanvasProps) {
  const { graph, shown, matches, colorOf, hasArrows, focused, storageKey, mapKey, scene } = props;
  const box = useRef<HTMLDivElement>(null);
  const map = useRef<HTMLCanvasElement>(null);
  const labels = useRef<HTMLCanvasElement>(null);
  const [contextCount, setContextCount] = useState(0);
  const fitted = useRef('');
  const latest = useRef(props);
  latest.current = props;
  const theme = shownTheme.value;

  useEffect(() => {
    if (box.current === null || map.current === null || labels.current === null) return;
    let saving: ReturnType<typeof setTimeout> | undefined;
    const opened = Scene.open(
      box.current,
      { map: map.current, labels: labels.current },
      {
        onPick: (index, pick) => latest.current.onPick(index, pick),
        onCamera(camera) {
          clearTimeout(saving);
          saving = setTimeout(() => saveCamera(latest.current.storageKey, camera), 200);
        },
      },
    );
    if (opened === null) return latest.current.onMissing();
    scene.current = opened;
    const lost = (event: Event): void => event.preventDefault();
    const restored = (): void => setContextCount((count) => count + 1);
    map.current.addEventListener('webglcontextlost', lost);
    map.current.addEventListener('webglcontextrestored', restored);
    const canvas = map.current;
    return () => {
      clearTimeout(saving);
      canvas.removeEventListener('webglcontextlost', lost);
      canvas.removeEventListener('webglcontextrestored', restored);
      scene.current = null;
      fitted.current = '';
      opened.close();
    };
  }, [contextCount]);

  useEffect(() => {
    const current = scene.current;
    if (current === null) return;
    const isNewMap = fitted.current !== mapKey;
    current.setGraph(graph, { shown, matches, colorOf, hasArrows, palette: readPalette() }, isNewMap || prefersReducedMotion());
    const hasPlaces = graph.nodes.some(({ x }, at) => shown[at] === 1 && !Number.isNaN(x));
    if (!isNewMap || !hasPlaces) return;
    fitted.current = mapKey;
    const camera = loadCamera(storageKey);
    if (camera === null) current.fit(true);
    else current.setCamera(camera);
  }, [graph, contextCount]);

  useEffect(() => {
    scene.current?.setAppearance({ shown, matches, colorOf, hasArrows, palette: readPalette() });
  }, [shown, matches, colorOf, hasArrows, theme, contextCount]);

  useEffect(() => scene.current?.setFocused(focused), [focused, graph, contextCount]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const current = scene.current;
    if (current === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = DIRECTIONS.get(event.key);
    if (direction !== undefined && event.shiftKey) current.pan(-direction[0] * STEP, -direction[1] * STEP);
    else if (direction !== undefined) {
      const index = current.findNodeToward(focused, direction);
      if (index === null) return event.preventDefault();
      props.onFocus(index);
      if (current.isOutOfView(index)) current.goTo(index, prefersReducedMotion());
    } else if (event.key === '+' || event.key === '=') current.zoom(ZOOM, prefersReducedMotion());
    else if (event.key === '-') current.zoom(1 / ZOOM, prefersReducedMotion());
    else if (event.key === '0') current.fit(prefersReducedMotion());
    else if (event.key === 'Enter' && focused !== null) props.onOpen(focused, event.shiftKey);
    else if (event.key === 'l' && focused !== null) props.onOpen(focused, true);
    else if (event.key === 'Escape' && focused !== null) props.onFocus(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="graph-stage" ref={box}>
      <canvas
        key={contextCount}
        ref={map}
        class="graph-map"
        tabIndex={0}
        role="application"
        aria-label="Graph of the notes"
        aria-describedby={props.describedBy}
        onKeyDown={onKeyDown}
      />
      <canvas ref={labels} class="graph-labels" aria-hidden="true" />
    </div>
  );
}

function saveCamera(storageKey: string | null, camera: Camera): void {
  if (storageKey === null) return;
  try {
    localStorage.setItem(storageKey, JSON.stringify(camera));
  } catch {
    // Storage may be unavailable. The next visit then starts with the whole map.
  }
}

function loadCamera(storageKey: string | null): Camera | null {
  if (storageKey === null) return null;
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? 'null');
    if (typeof stored !== 'object' || stored === null || !('x' in stored) || !('y' in stored) || !('scale' in stored)) return null;
    const { x, y, scale } = stored;
    return [x, y, scale].every(Number.isFinite) && Number(scale) > 0 ? { x: Number(x), y: Number(y), scale: Number(scale) } : null;
  } catch {
    return null;
  }
}
