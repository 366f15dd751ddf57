import type { Chart } from '../chart.ts';
import { radiusOf } from '../chart.ts';
import type { Camera } from './camera.ts';
import { growOf } from './camera.ts';

/** What labels are drawn with. */
export interface LabelStyle {
  readonly ink: string;
  readonly soft: string;
  readonly paper: string;
  readonly font: string;
}

export interface LabelFrame {
  readonly chart: Chart;
  readonly places: Float32Array;
  readonly shown: Uint8Array;
  /** Nodes by the number of their links, the most first. */
  readonly ranked: Uint32Array;
  /** Nodes that are named whatever else is, and alone where they are `isOnly`. */
  readonly marked: readonly number[];
  readonly isOnly: boolean;
  readonly camera: Camera;
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  readonly style: LabelStyle;
}

const HEIGHT = 17;
/** Between a node and its label. */
const GAP = 3;
/** Cells of the net in which it is remembered where a label is, in pixels. */
const CELL = 4;
/** One label to so many square pixels, at most. */
const ROOM = 9_000;
const MAX_LABEL_CHARACTERS = 36;
/** Nodes that are smaller on the screen have no name, unless there are few. */
const MIN_LABEL_RADIUS = 3.4;
const FEW = 60;
/** Nodes from this size on are kept free of labels, all where there are few; the largest of them are looked at. */
const MIN_KEPT_CHARACTERS = 6;
const MAX_HUBS = 400;

/** Writes the names of nodes, the most linked first, where there is room: no label lies over another. */
export function drawLabels(canvas: HTMLCanvasElement, frame: LabelFrame): void {
  const { chart, places, shown, ranked, marked, isOnly, camera, width, height, ratio, style } = frame;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const size = [Math.round(width * ratio), Math.round(height * ratio)] as const;
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.textAlign = 'center';
  context.textBaseline = 'top';
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = style.paper;
  const columns = Math.ceil(width / CELL) + 1;
  const rows = Math.ceil(height / CELL) + 1;
  const taken = new Uint8Array(columns * rows);
  const grow = growOf(camera.scale);
  let left = Math.min(160, Math.max(14, Math.floor((width * height) / ROOM)));

  const leastKept = chart.nodes.length > FEW ? MIN_KEPT_CHARACTERS : 0;
  /** No label lies over a large node. */
  const keepFree = (place: number): void => {
    const radius = radiusOf(chart.degree[place] ?? 0) * grow - CELL;
    const x = ((places[place * 4] ?? NaN) - camera.x) * camera.scale + width / 2;
    const y = ((places[place * 4 + 1] ?? NaN) - camera.y) * camera.scale + height / 2;
    if (shown[place] === 0 || radius < leastKept || !(x > 0 && x < width && y > 0 && y < height)) return;
    take(taken, { columns, rows, left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }, true);
  };
  const write = (place: number, { isMarked, isSure }: { readonly isMarked: boolean; readonly isSure: boolean }): void => {
    if (shown[place] === 0) return;
    const x = ((places[place * 4] ?? NaN) - camera.x) * camera.scale + width / 2;
    const y = ((places[place * 4 + 1] ?? NaN) - camera.y) * camera.scale + height / 2;
    // Comparisons with what is not a number are false.
    if (!(x > -40 && x < width + 40 && y > -20 && y < height + 20)) return;
    const radius = radiusOf(chart.degree[place] ?? 0) * grow;
    if (!isMarked && radius < MIN_LABEL_RADIUS && chart.nodes.length > FEW) return;
    const text = labelOf(chart.nodes[place]?.title ?? '');
    context.font = `${isMarked ? '600 ' : ''}${radius > 14 ? 14 : 12}px ${style.font}`;
    const half = context.measureText(text).width / 2 + 3;
    const across = half * 2 > width ? x : Math.max(half, Math.min(width - half, x));
    // Below its node where there is room, else on another side of it.
    const below = [across, y + radius + GAP] as const;
    const beside = y - HEIGHT / 2;
    const sides = [
      below,
      [across, y - radius - GAP - HEIGHT],
      [x + radius + GAP + half, beside],
      [x - radius - GAP - half, beside],
    ] as const;
    const free = sides.find(
      ([at, up]) =>
        (at === across || (at - half >= 0 && at + half <= width)) &&
        take(taken, { columns, rows, left: at - half, right: at + half, top: up, bottom: up + HEIGHT }),
    );
    if (free === undefined && !isSure) return;
    const [middle, top] = free ?? below;
    context.strokeText(text, middle, top);
    context.fillStyle = isMarked || radius > 7 ? style.ink : style.soft;
    context.fillText(text, middle, top);
    left -= 1;
  };
  if (!isOnly) for (let at = 0; at < Math.min(ranked.length, MAX_HUBS); at += 1) keepFree(ranked[at] ?? 0);
  for (const [at, place] of marked.entries()) if (left > 0) write(place, { isMarked: true, isSure: at === 0 });
  if (isOnly) return;
  const isMarked = new Set(marked);
  for (let at = 0; at < ranked.length && left > 0; at += 1)
    if (!isMarked.has(ranked[at] ?? 0)) write(ranked[at] ?? 0, { isMarked: false, isSure: false });
}

/** Takes the cells of a rectangle; false, and nothing, where one is taken, unless it `mayOverlap`. */
function take(
  taken: Uint8Array,
  box: { columns: number; rows: number; left: number; right: number; top: number; bottom: number },
  mayOverlap = false,
): boolean {
  const { columns, rows } = box;
  const [first, last] = [Math.max(0, Math.floor(box.left / CELL)), Math.min(columns - 1, Math.floor(box.right / CELL))];
  const [top, bottom] = [Math.max(0, Math.floor(box.top / CELL)), Math.min(rows - 1, Math.floor(box.bottom / CELL))];
  for (let row = top; row <= bottom && !mayOverlap; row += 1)
    for (let column = first; column <= last; column += 1) if (taken[row * columns + column] === 1) return false;
  for (let row = top; row <= bottom; row += 1) taken.fill(1, row * columns + first, row * columns + last + 1);
  return true;
}

function labelOf(title: string): string {
  const line = title.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= MAX_LABEL_CHARACTERS) return line;
  return `${Array.from(line)
    .slice(0, MAX_LABEL_CHARACTERS - 1)
    .join('')}…`;
}
