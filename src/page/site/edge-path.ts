import type { Box } from './canvas-bounds.ts';

export type Side = 'top' | 'right' | 'bottom' | 'left';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The line of an edge as data of an SVG path, its arrow heads, and where its label is. */
export interface EdgePath {
  readonly line: string;
  readonly startArrow: string;
  readonly endArrow: string;
  readonly middle: Point;
}

const OUTWARD: Readonly<Record<Side, Point>> = {
  top: { x: 0, y: -1 },
  right: { x: 1, y: 0 },
  bottom: { x: 0, y: 1 },
  left: { x: -1, y: 0 },
};
const ARROW_LENGTH = 12;
const ARROW_WIDTH = 10;
const MIN_BEND = 30;
const MAX_BEND = 250;

/** Draws an edge as a curve that leaves and enters its nodes at right angles. */
export function edgePath(from: Box, to: Box, sides: { readonly from_side: Side | null; readonly to_side: Side | null }): EdgePath {
  const startSide = sides.from_side ?? facingSide(from, to);
  const endSide = sides.to_side ?? facingSide(to, from);
  const [start, end] = [middleOf(from, startSide), middleOf(to, endSide)];
  const [out, into] = [OUTWARD[startSide], OUTWARD[endSide]];
  const bend = Math.min(MAX_BEND, Math.max(MIN_BEND, Math.hypot(end.x - start.x, end.y - start.y) / 2));
  const first = { x: start.x + out.x * bend, y: start.y + out.y * bend };
  const second = { x: end.x + into.x * bend, y: end.y + into.y * bend };
  return {
    line: `M${start.x} ${start.y}C${first.x} ${first.y} ${second.x} ${second.y} ${end.x} ${end.y}`,
    startArrow: arrow(start, out),
    endArrow: arrow(end, into),
    middle: { x: (start.x + 3 * first.x + 3 * second.x + end.x) / 8, y: (start.y + 3 * first.y + 3 * second.y + end.y) / 8 },
  };
}

function arrow(tip: Point, out: Point): string {
  const [x, y] = [tip.x + out.x * ARROW_LENGTH, tip.y + out.y * ARROW_LENGTH];
  const half = ARROW_WIDTH / 2;
  return `M${tip.x} ${tip.y}L${x - out.y * half} ${y + out.x * half}L${x + out.y * half} ${y - out.x * half}Z`;
}

/** Returns the side of a box that looks toward another one. */
function facingSide(box: Box, other: Box): Side {
  const dx = other.x + other.width / 2 - (box.x + box.width / 2);
  const dy = other.y + other.height / 2 - (box.y + box.height / 2);
  if (Math.abs(dx) > Math.abs(dy)) return dx > 0 ? 'right' : 'left';
  return dy > 0 ? 'bottom' : 'top';
}

function middleOf({ x, y, width, height }: Box, side: Side): Point {
  const out = OUTWARD[side];
  return { x: x + (width / 2) * (1 + out.x), y: y + (height / 2) * (1 + out.y) };
}
