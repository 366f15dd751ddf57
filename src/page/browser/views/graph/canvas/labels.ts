import type { GraphData } from '../graph-model.ts';
import { getRadius } from '../../../../layout/layout.ts';
import type { Camera } from './camera.ts';
import { getNodeScale } from './camera.ts';

/** Colors and font of the labels. */
export interface LabelStyle {
  readonly ink: string;
  readonly soft: string;
  readonly paper: string;
  readonly font: string;
}

export interface LabelFrame {
  readonly graph: GraphData;
  readonly positions: Float32Array;
  readonly shown: Uint8Array;
  /** Nodes in descending order of their number of links. */
  readonly ranked: Uint32Array;
  /** Nodes that are labeled first, and exclusively if `isOnly`. */
  readonly marked: readonly number[];
  readonly isOnly: boolean;
  readonly camera: Camera;
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  readonly style: LabelStyle;
}

const LABEL_HEIGHT_PX = 17;
/** Distance between a node and its label. */
const GAP_PX = 3;
/** Cell size of the grid that records which parts of the canvas have labels. */
const CELL_PX = 4;
/** At most one label per this many square pixels. */
const MIN_LABEL_AREA_PX = 9_000;
const MAX_LABEL_CHARACTERS = 36;
/** Nodes with a smaller radius in pixels get no label, unless there are few. */
const MIN_LABEL_RADIUS = 3.4;
const MAX_LABELLED_NODES = 60;
/** Labels do not cover nodes of at least this radius in pixels (with few nodes, any node). Only the most linked ones are checked. */
const MIN_COVERED_RADIUS = 6;
const MAX_RESERVED_NODES = 400;

/** Draws the names of nodes, the most linked first, where they do not overlap another label. */
export function drawLabels(canvas: HTMLCanvasElement, frame: LabelFrame): void {
  const { graph, positions, shown, ranked, marked, isOnly, camera, width, height, ratio, style } = frame;
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
  const columns = Math.ceil(width / CELL_PX) + 1;
  const rows = Math.ceil(height / CELL_PX) + 1;
  const taken = new Uint8Array(columns * rows);
  const grow = getNodeScale(camera.scale);
  let left = Math.min(160, Math.max(14, Math.floor((width * height) / MIN_LABEL_AREA_PX)));

  const isTooSmall = (radius: number): boolean => radius < MIN_LABEL_RADIUS && graph.nodes.length > MAX_LABELLED_NODES;
  const minRadius = graph.nodes.length > MAX_LABELLED_NODES ? MIN_COVERED_RADIUS : 0;
  /** Reserves the cells of a large node, so that no label covers it. */
  const reserveNode = (index: number): void => {
    const radius = getRadius(graph.degree[index] ?? 0) * grow - CELL_PX;
    const x = ((positions[index * 4] ?? NaN) - camera.x) * camera.scale + width / 2;
    const y = ((positions[index * 4 + 1] ?? NaN) - camera.y) * camera.scale + height / 2;
    if (shown[index] === 0 || radius < minRadius || !(x > 0 && x < width && y > 0 && y < height)) return;
    reserve(taken, { columns, rows, left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }, true);
  };
  const write = (index: number, { isMarked, isSure }: { readonly isMarked: boolean; readonly isSure: boolean }): void => {
    if (shown[index] === 0) return;
    const x = ((positions[index * 4] ?? NaN) - camera.x) * camera.scale + width / 2;
    const y = ((positions[index * 4 + 1] ?? NaN) - camera.y) * camera.scale + height / 2;
    // Comparisons with NaN are false, so nodes without a position return here.
    if (!(x > -40 && x < width + 40 && y > -20 && y < height + 20)) return;
    const radius = getRadius(graph.degree[index] ?? 0) * grow;
    if (!isMarked && isTooSmall(radius)) return;
    const text = shortenTitle(graph.nodes[index]?.title ?? '');
    context.font = `${isMarked ? '600 ' : ''}${radius > 14 ? 14 : 12}px ${style.font}`;
    const half = context.measureText(text).width / 2 + 3;
    const across = half * 2 > width ? x : Math.max(half, Math.min(width - half, x));
    // Below the node if there is room, else above, right or left of it.
    const below = [across, y + radius + GAP_PX] as const;
    const beside = y - LABEL_HEIGHT_PX / 2;
    const sides = [
      below,
      [across, y - radius - GAP_PX - LABEL_HEIGHT_PX],
      [x + radius + GAP_PX + half, beside],
      [x - radius - GAP_PX - half, beside],
    ] as const;
    const free = sides.find(
      ([at, up]) =>
        (at === across || (at - half >= 0 && at + half <= width)) &&
        reserve(taken, { columns, rows, left: at - half, right: at + half, top: up, bottom: up + LABEL_HEIGHT_PX }),
    );
    if (free === undefined && !isSure) return;
    const [middle, top] = free ?? below;
    context.strokeText(text, middle, top);
    context.fillStyle = isMarked || radius > 7 ? style.ink : style.soft;
    context.fillText(text, middle, top);
    left -= 1;
  };
  if (!isOnly) for (let at = 0; at < Math.min(ranked.length, MAX_RESERVED_NODES); at += 1) reserveNode(ranked[at] ?? 0);
  for (const [at, index] of marked.entries()) if (left > 0) write(index, { isMarked: true, isSure: at === 0 });
  if (isOnly) return;
  const isMarked = new Set(marked);
  for (let at = 0; at < ranked.length && left > 0; at += 1) {
    const index = ranked[at] ?? 0;
    // All that follow have fewer links, and so are smaller.
    if (isTooSmall(getRadius(graph.degree[index] ?? 0) * grow)) break;
    if (!isMarked.has(index)) write(index, { isMarked: false, isSure: false });
  }
}

/** Reserves the cells of a rectangle. Returns false and reserves none if one is taken, unless `mayOverlap`. */
function reserve(
  taken: Uint8Array,
  box: { columns: number; rows: number; left: number; right: number; top: number; bottom: number },
  mayOverlap = false,
): boolean {
  const { columns, rows } = box;
  const [first, last] = [Math.max(0, Math.floor(box.left / CELL_PX)), Math.min(columns - 1, Math.floor(box.right / CELL_PX))];
  const [top, bottom] = [Math.max(0, Math.floor(box.top / CELL_PX)), Math.min(rows - 1, Math.floor(box.bottom / CELL_PX))];
  for (let row = top; row <= bottom && !mayOverlap; row += 1)
    for (let column = first; column <= last; column += 1) if (taken[row * columns + column] === 1) return false;
  for (let row = top; row <= bottom; row += 1) taken.fill(1, row * columns + first, row * columns + last + 1);
  return true;
}

function shortenTitle(title: string): string {
  const line = title.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= MAX_LABEL_CHARACTERS) return line;
  return `${Array.from(line)
    .slice(0, MAX_LABEL_CHARACTERS - 1)
    .join('')}…`;
}
