import { useEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import { shownTheme } from '../../theme.ts';
import type { Camera } from './canvas/camera.ts';
import { readInks } from './canvas/inks.ts';
import { Stage } from './canvas/stage.ts';
import type { Pick } from './canvas/seen-and-heard.ts';
import type { Chart } from './chart.ts';

/** What the canvas shows, and who hears what is done with it. Nodes are places in the chart. */
interface CanvasProps {
  readonly chart: Chart;
  readonly shown: Uint8Array;
  readonly lit: ReadonlySet<number> | null;
  readonly colourOf: Int8Array;
  readonly hasArrows: boolean;
  readonly focused: number | null;
  /** Under which the part that is looked at is remembered; null: all of it is shown. */
  readonly keep: string | null;
  /** Another one: another map, not the same one changed. */
  readonly mapKey: string;
  readonly stage: RefObject<Stage | null>;
  readonly describedBy: string;
  readonly onHover: (place: number | null) => void;
  readonly onPick: (place: number | null, pick: Pick) => void;
  readonly onFocus: (place: number | null) => void;
  readonly onOpen: (place: number, isLocal: boolean) => void;
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

/** Nothing moves by itself for those who asked for that. */
export function isStill(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** The drawing, by pointer, by touch and by keys. */
export function GraphCanvas(props: CanvasProps) {
  const { chart, shown, lit, colourOf, hasArrows, focused, keep, mapKey, stage } = props;
  const box = useRef<HTMLDivElement>(null);
  const map = useRef<HTMLCanvasElement>(null);
  const labels = useRef<HTMLCanvasElement>(null);
  const [life, setLife] = useState(0);
  const fitted = useRef('');
  const latest = useRef(props);
  latest.current = props;
  const theme = shownTheme.value;

  useEffect(() => {
    if (box.current === null || map.current === null || labels.current === null) return;
    let saving: ReturnType<typeof setTimeout> | undefined;
    const opened = Stage.open(
      box.current,
      { map: map.current, labels: labels.current },
      {
        onHover: (place) => latest.current.onHover(place),
        onPick: (place, pick) => latest.current.onPick(place, pick),
        onCamera(camera) {
          clearTimeout(saving);
          saving = setTimeout(() => saveCamera(latest.current.keep, camera), 200);
        },
      },
    );
    if (opened === null) return latest.current.onMissing();
    stage.current = opened;
    const lost = (event: Event): void => event.preventDefault();
    const restored = (): void => setLife((count) => count + 1);
    map.current.addEventListener('webglcontextlost', lost);
    map.current.addEventListener('webglcontextrestored', restored);
    const held = map.current;
    return () => {
      clearTimeout(saving);
      held.removeEventListener('webglcontextlost', lost);
      held.removeEventListener('webglcontextrestored', restored);
      stage.current = null;
      fitted.current = '';
      opened.close();
    };
  }, [life]);

  useEffect(() => {
    const current = stage.current;
    if (current === null) return;
    const isNewMap = fitted.current !== mapKey;
    current.setChart(chart, { shown, lit, colourOf, hasArrows, inks: readInks() }, isNewMap || isStill());
    const hasPlaces = chart.nodes.some(({ x }, at) => shown[at] === 1 && !Number.isNaN(x));
    if (!isNewMap || !hasPlaces) return;
    fitted.current = mapKey;
    const camera = loadCamera(keep);
    if (camera === null) current.fit(true);
    else current.setCamera(camera);
  }, [chart, life]);

  useEffect(() => {
    stage.current?.setLooks({ shown, lit, colourOf, hasArrows, inks: readInks() });
  }, [shown, lit, colourOf, hasArrows, theme, life]);

  useEffect(() => stage.current?.setFocused(focused), [focused, chart, life]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const current = stage.current;
    if (current === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = DIRECTIONS.get(event.key);
    if (direction !== undefined && event.shiftKey) current.pan(-direction[0] * STEP, -direction[1] * STEP);
    else if (direction !== undefined) {
      const place = current.nodeToward(focused, direction);
      if (place === null) return event.preventDefault();
      props.onFocus(place);
      if (current.isOutside(place)) current.goTo(place, isStill());
    } else if (event.key === '+' || event.key === '=') current.zoom(ZOOM, isStill());
    else if (event.key === '-') current.zoom(1 / ZOOM, isStill());
    else if (event.key === '0') current.fit(isStill());
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
        key={life}
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

function saveCamera(keep: string | null, camera: Camera): void {
  if (keep === null) return;
  try {
    localStorage.setItem(keep, JSON.stringify(camera));
  } catch {
    // Storage may be closed to the page: the next visit begins with all of it.
  }
}

function loadCamera(keep: string | null): Camera | null {
  if (keep === null) return null;
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keep) ?? 'null');
    if (typeof kept !== 'object' || kept === null || !('x' in kept) || !('y' in kept) || !('scale' in kept)) return null;
    const { x, y, scale } = kept;
    return [x, y, scale].every(Number.isFinite) && Number(scale) > 0 ? { x: Number(x), y: Number(y), scale: Number(scale) } : null;
  } catch {
    return null;
  }
}
