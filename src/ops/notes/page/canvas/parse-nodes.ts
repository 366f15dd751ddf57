import { listOf, numberOf, textOf } from '../../files/canvas-json.ts';
import type { CanvasPart } from '../../files/canvas-json.ts';
import type { Box } from '../../../../page/site/canvas-bounds.ts';
import type { Side } from '../../../../page/site/edge-path.ts';
import { shorten } from '../../../shorten.ts';

/** The place of a node in the plane, and how it is drawn. */
interface Frame extends Box {
  readonly id: string;
  /** A preset, `1` to `6`, or a colour `#rrggbb`. */
  readonly color?: string;
}

export type ParsedNode = Frame &
  (
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'file'; readonly file: string; readonly subpath: string }
    | { readonly kind: 'link'; readonly url: string }
    | { readonly kind: 'group'; readonly label: string }
  );

export interface ParsedEdge {
  /** Places in the list of nodes. */
  readonly from: number;
  readonly to: number;
  readonly from_side: Side | null;
  readonly to_side: Side | null;
  readonly has_start_arrow: boolean;
  readonly has_end_arrow: boolean;
  readonly color?: string;
  readonly label: string;
}

const MAX_NODES = 2_000;
const MAX_EDGES = 4_000;
const MAX_TEXT_CHARACTERS = 10_000;
const MAX_LABEL_CHARACTERS = 300;
const MAX_URL_CHARACTERS = 2_000;
/** Bounds of coordinates and sizes, so that the plane can be drawn whatever a file says. */
const MAX_COORDINATE = 1_000_000;
const MIN_SIZE = 10;
const MAX_SIZE = 20_000;

/** The nodes of a canvas from top to bottom, the edges between them, and what is left out. */
export interface ParsedNodes {
  readonly nodes: readonly ParsedNode[];
  readonly edges: readonly ParsedEdge[];
  readonly notices: readonly string[];
}

/** Reads the nodes and edges of a canvas. Values of other types are as if they were missing. */
export function parseNodes(canvas: CanvasPart): ParsedNodes {
  const [allNodes, allEdges] = [listOf(canvas['nodes']), listOf(canvas['edges'])];
  const byId = new Map<string, ParsedNode>();
  for (const part of allNodes.slice(0, MAX_NODES)) {
    const node = parseNode(part, byId.size);
    if (!byId.has(node.id)) byId.set(node.id, node);
  }
  const nodes = [...byId.values()].sort((a, b) => a.y - b.y || a.x - b.x);
  const places = new Map(nodes.map(({ id }, place) => [id, place] as const));
  const edges = allEdges.slice(0, MAX_EDGES).flatMap((part) => parseEdge(part, places) ?? []);
  const count = (number: number): string => number.toLocaleString('en');
  return {
    nodes,
    edges,
    notices: [
      ...(allNodes.length > MAX_NODES ? [`This canvas has ${count(allNodes.length)} items. The first ${count(MAX_NODES)} are shown.`] : []),
      ...(allEdges.length > MAX_EDGES
        ? [`This canvas has ${count(allEdges.length)} connections. The first ${count(MAX_EDGES)} are shown.`]
        : []),
    ],
  };
}

function parseNode(part: CanvasPart, place: number): ParsedNode {
  const [id, type, color] = [textOf(part, 'id'), textOf(part, 'type'), colorOf(part)];
  const frame: Frame = {
    id: id === '' ? `node ${place}` : shorten(id, MAX_LABEL_CHARACTERS),
    x: clamp(numberOf(part, 'x'), -MAX_COORDINATE, MAX_COORDINATE),
    y: clamp(numberOf(part, 'y'), -MAX_COORDINATE, MAX_COORDINATE),
    width: clamp(numberOf(part, 'width'), MIN_SIZE, MAX_SIZE),
    height: clamp(numberOf(part, 'height'), MIN_SIZE, MAX_SIZE),
    ...(color === undefined ? {} : { color }),
  };
  if (type === 'file') return { ...frame, kind: 'file', file: textOf(part, 'file'), subpath: textOf(part, 'subpath') };
  if (type === 'link') return { ...frame, kind: 'link', url: shorten(textOf(part, 'url'), MAX_URL_CHARACTERS) };
  if (type === 'group') return { ...frame, kind: 'group', label: shorten(textOf(part, 'label'), MAX_LABEL_CHARACTERS) };
  return { ...frame, kind: 'text', text: shorten(textOf(part, 'text'), MAX_TEXT_CHARACTERS) };
}

function parseEdge(part: CanvasPart, places: ReadonlyMap<string, number>): ParsedEdge | null {
  const [from, to] = [places.get(textOf(part, 'fromNode')), places.get(textOf(part, 'toNode'))];
  if (from === undefined || to === undefined) return null;
  const color = colorOf(part);
  return {
    from,
    to,
    from_side: sideOf(part, 'fromSide'),
    to_side: sideOf(part, 'toSide'),
    has_start_arrow: textOf(part, 'fromEnd') === 'arrow',
    has_end_arrow: textOf(part, 'toEnd') !== 'none',
    ...(color === undefined ? {} : { color }),
    label: shorten(textOf(part, 'label'), MAX_LABEL_CHARACTERS),
  };
}

function colorOf(part: CanvasPart): string | undefined {
  const color = textOf(part, 'color');
  return /^(?:[1-6]|#[\da-f]{6})$/i.test(color) ? color : undefined;
}

function sideOf(part: CanvasPart, key: string): Side | null {
  const side = textOf(part, key);
  return side === 'top' || side === 'right' || side === 'bottom' || side === 'left' ? side : null;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
