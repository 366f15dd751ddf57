/** The colours of the page, by their names in `tokens.css`, and its font. */
export interface DiagramStyle {
  readonly isDark: boolean;
  readonly font: string;
  readonly colors: Readonly<Record<ColorName, string>>;
}

export const COLOR_NAMES = [
  ...(['paper', 'surface', 'sunken', 'ink', 'ink-soft', 'line-strong', 'accent', 'accent-soft', 'bad', 'bad-soft', 'warn-soft'] as const),
  ...(['agent-0', 'agent-1', 'agent-2', 'agent-3', 'agent-4', 'agent-5', 'agent-6', 'agent-7'] as const),
] as const;
export type ColorName = (typeof COLOR_NAMES)[number];

/** What the page asks of the frame: to draw a diagram. */
export interface DrawRequest {
  readonly id: number;
  readonly source: string;
  readonly style: DiagramStyle;
}

/** What the frame answers: that it is ready, a picture with its size in CSS pixels, or why there is none. */
export type FrameReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'drawn'; readonly id: number; readonly drawing: Drawing }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

/** Why a diagram was given up, as it is told to the reader. */
export const TOO_LONG = 'Drawing it takes too long.';

export interface Drawing {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  /** The title of the diagram, or its type. */
  readonly title: string;
}
