/** Red, green and blue, each 0 to 1. */
export type Color = readonly [number, number, number];

/** The parameters of one frame. */
export interface Frame {
  /** The point of the map in the middle, and CSS pixels per unit. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  /** Size in CSS pixels, and screen pixels per CSS pixel. */
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  /** Pixels per unit of a node's radius. */
  readonly grow: number;
  readonly paper: Color;
  readonly line: Color;
  readonly ink: Color;
  /** Opacity of links, 0 to 1, and the factor for links that do not match a search. */
  readonly linkAlpha: number;
  readonly fade: number;
  readonly hasArrows: boolean;
  /** Whether the camera is being moved: what takes long is drawn when it has come to rest. */
  readonly isMoving: boolean;
  /** Opacity factor of everything that is not marked, 0 to 1. */
  readonly dim: number;
}

/** Tells whether two frames show the same, except for what is marked. */
export function isSameView(a: Frame, b: Frame): boolean {
  const keys = ['x', 'y', 'scale', 'width', 'height', 'ratio', 'grow', 'linkAlpha', 'fade', 'hasArrows', 'paper', 'line'] as const;
  return keys.every((key) => a[key] === b[key]);
}
