import type { SmallGraph } from './small-graph.ts';

/** The position of a node, and the side on which its label is drawn. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly side: 'start' | 'middle' | 'end';
}

export interface Layout {
  readonly places: readonly Place[];
  readonly height: number;
}

const ROW_HEIGHT_PX = 30;

/** Lays out a small graph. `width` in pixels. */
export function layOut({ shape, nodes, links }: SmallGraph, width: number): Layout {
  if (shape === 'star') return star(nodes.length, width);
  if (shape === 'chain') return chain(nodes.length, width);
  return tree(nodes.length, { links, width });
}

/** Puts the first node in the middle and the others around it, on two circles if there are many. */
function star(count: number, width: number): Layout {
  const around = count - 1;
  const rings = around > 14 ? 2 : 1;
  const height = Math.min(560, Math.max(150, 130 + around * 16));
  const [middleX, middleY] = [width / 2, height / 2];
  const [wide, high] = [Math.max(50, Math.min(middleX - Math.min(130, width * 0.24), height)), middleY - 26];
  const places = Array.from({ length: around }, (_, at): Place => {
    const angle = ((at + 0.5) / around) * Math.PI * 2 - Math.PI / 2;
    const reach = rings === 2 && at % 2 === 0 ? 0.6 : 1;
    const [x, y] = [middleX + Math.cos(angle) * wide * reach, middleY + Math.sin(angle) * high * reach];
    return { x, y, side: Math.abs(Math.cos(angle)) < 0.25 ? 'middle' : Math.cos(angle) > 0 ? 'start' : 'end' };
  });
  return { places: [{ x: middleX, y: middleY, side: 'middle' }, ...places], height };
}

/** Puts the nodes from left to right, or from top to bottom if the width is too small. */
function chain(count: number, width: number): Layout {
  const step = count > 1 ? (width - 120) / (count - 1) : 0;
  if (step > 90)
    return {
      places: Array.from({ length: count }, (_, at): Place => ({ x: 60 + at * step, y: 44 + (at % 2) * 40, side: 'middle' })),
      height: 140,
    };
  return {
    places: Array.from({ length: count }, (_, at): Place => ({ x: 28, y: 24 + at * ROW_HEIGHT_PX * 1.3, side: 'start' })),
    height: Math.max(60, 24 + count * ROW_HEIGHT_PX * 1.3),
  };
}

/** Puts each node below its parent, indented like an outline. */
function tree(count: number, { links, width }: { readonly links: SmallGraph['links']; readonly width: number }): Layout {
  const depth = Array.from({ length: count }, () => 0);
  for (const { from, to } of links) depth[to] = (depth[from] ?? 0) + 1;
  const step = Math.min(34, (width * 0.4) / (Math.max(0, ...depth) + 1));
  return {
    places: depth.map((steps, at): Place => ({ x: 22 + steps * step, y: 24 + at * ROW_HEIGHT_PX, side: 'start' })),
    height: 24 + count * ROW_HEIGHT_PX,
  };
}
