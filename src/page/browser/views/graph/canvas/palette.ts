import type { LabelStyle } from './labels.ts';
import type { Color } from './frame.ts';
import { GROUP_COLORS } from '../groups.ts';

/** The colors of the graph in the current theme. */
export interface Palette {
  readonly paper: Color;
  readonly line: Color;
  readonly ink: Color;
  /** Colors of nodes in no group, and of attachments and unresolved links. */
  readonly plain: Color;
  readonly ghost: Color;
  readonly groups: readonly Color[];
  readonly labels: LabelStyle;
}

/** How nodes and links are drawn. */
export interface Appearance {
  readonly shown: Uint8Array;
  /** Matches of a search, which are drawn in full; null: no search, all nodes are. */
  readonly matches: ReadonlySet<number> | null;
  readonly colorOf: Int8Array;
  readonly palette: Palette;
  readonly hasArrows: boolean;
}

/** Reads the palette from the page's CSS custom properties. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const text = (name: string): string => style.getPropertyValue(name).trim();
  const color = (name: string): Color => parseColor(text(name));
  return {
    paper: color('--paper'),
    line: color('--graph-line'),
    ink: color('--ink'),
    plain: color('--graph-plain'),
    ghost: color('--graph-ghost'),
    groups: Array.from({ length: GROUP_COLORS }, (_, at) => color(`--graph-${at}`)),
    labels: { ink: text('--ink'), soft: text('--ink-soft'), paper: text('--paper'), font: text('--font') },
  };
}

/** Parses `#rrggbb`. Anything else is gray. */
export function parseColor(text: string): Color {
  const digits = /^#([0-9a-f]{6})$/i.exec(text)?.[1];
  if (digits === undefined) return [0.5, 0.5, 0.5];
  const value = parseInt(digits, 16);
  return [((value >> 16) & 255) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}
