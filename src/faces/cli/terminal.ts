import { randomBytes } from 'node:crypto';
import { visible } from '../../terminal-text.ts';

/** Colours for a terminal, or none. */
export interface Painter {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

/** How text for people is written to a terminal or wherever else it goes. */
export interface Terminal {
  readonly paint: Painter;
  /** A text as it is written: its own colours, and everything else that a terminal acts on made visible. */
  readonly show: (text: string) => string;
}

/** Colours where the stream is a terminal and `NO_COLOR` is not set. */
export function openTerminal(stream: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): Terminal {
  const noColor = env['NO_COLOR'];
  const isColored = stream.isTTY === true && (noColor === undefined || noColor === '') && env['TERM'] !== 'dumb';
  // Only what was painted here becomes a colour: nobody who writes a note can know the mark.
  const mark = `<${randomBytes(8).toString('hex')} `;
  const marks = new RegExp(`${mark}(\\d+)>`, 'g');
  const wrap = (open: number, close: number) => (text: string) => (isColored ? `${mark}${open}>${text}${mark}${close}>` : text);
  return {
    paint: { bold: wrap(1, 22), dim: wrap(2, 22), red: wrap(31, 39), green: wrap(32, 39), yellow: wrap(33, 39), cyan: wrap(36, 39) },
    show: (text) => visible(text).replace(marks, '\u001B[$1m'),
  };
}

/** Two columns wide: East Asian scripts with their punctuation, full-width forms, and what is drawn as an emoji, be it by a selector. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u;

/** Made for the first text that is measured: making it takes a tenth of a short command. */
let segmenter: Intl.Segmenter | undefined;

/** What a reader takes for one character each, with its place in the text. */
export function graphemesOf(text: string): Iterable<{ readonly segment: string; readonly index: number }> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function columnsOf(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += columnsOf(segment);
  return width;
}

/** A text cut to columns of a terminal, with an ellipsis where something is missing. */
export function clipToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let left = columns - 1;
  for (const { segment } of graphemesOf(text)) {
    left -= columnsOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** A text without its beginning where it is too wide, with an ellipsis instead: of a path the end tells most. */
export function clipStartToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let left = columns - 1;
  for (const { segment } of [...graphemesOf(text)].reverse()) {
    left -= columnsOf(segment);
    if (left < 0) break;
    kept = segment + kept;
  }
  return `…${kept}`;
}
