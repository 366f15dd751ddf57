import type { LabelStyle } from './labels.ts';
import type { Colour } from './frame.ts';
import { GROUP_COLOURS } from '../groups.ts';

/** The colours that the graph is drawn in, as the theme has them at this moment. */
export interface Inks {
  readonly paper: Colour;
  readonly line: Colour;
  readonly ink: Colour;
  /** Of nodes that are in no group, and of what does not exist. */
  readonly plain: Colour;
  readonly ghost: Colour;
  readonly groups: readonly Colour[];
  readonly labels: LabelStyle;
}

/** Reads them from the tokens of the page. */
export function readInks(): Inks {
  const style = getComputedStyle(document.documentElement);
  const text = (name: string): string => style.getPropertyValue(name).trim();
  const colour = (name: string): Colour => parseColour(text(name));
  return {
    paper: colour('--paper'),
    line: colour('--graph-line'),
    ink: colour('--ink'),
    plain: colour('--graph-plain'),
    ghost: colour('--graph-ghost'),
    groups: Array.from({ length: GROUP_COLOURS }, (_, at) => colour(`--graph-${at}`)),
    labels: { ink: text('--ink'), soft: text('--ink-soft'), paper: text('--paper'), font: text('--font') },
  };
}

/** `#rrggbb`; grey for all else. */
export function parseColour(text: string): Colour {
  const digits = /^#([0-9a-f]{6})$/i.exec(text)?.[1];
  if (digits === undefined) return [0.5, 0.5, 0.5];
  const value = parseInt(digits, 16);
  return [((value >> 16) & 255) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}
