/** Red, green and blue from 0 to 1. */
export type Colour = readonly [number, number, number];

/** What a frame shows. */
export interface Frame {
  /** The place in the middle, and pixels of the page to a unit. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  /** Size of the drawing in pixels of the page, and pixels of the screen to one of them. */
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  /** Radius in pixels to a unit of a node's. */
  readonly grow: number;
  readonly paper: Colour;
  readonly line: Colour;
  readonly ink: Colour;
  /** How strongly links are drawn, 0 to 1, and what is left of that where nothing is looked for. */
  readonly linkAlpha: number;
  readonly fade: number;
  readonly hasArrows: boolean;
  /** What is left of everything that is not marked, 0 to 1. */
  readonly dim: number;
}

/** Whether two frames show the same, but for what is marked. */
export function isSameView(a: Frame, b: Frame): boolean {
  const keys = ['x', 'y', 'scale', 'width', 'height', 'ratio', 'grow', 'linkAlpha', 'fade', 'hasArrows', 'paper', 'line'] as const;
  return keys.every((key) => a[key] === b[key]);
}
