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

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;

/** Made for the first text that is measured: making it takes a tenth of a short command. */
let segmenter: Intl.Segmenter | undefined;

function* graphemesOf(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const segment of graphemesOf(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** A text cut to columns of a terminal, with an ellipsis where something is missing. */
export function clipToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let left = columns - 1;
  for (const segment of graphemesOf(text)) {
    left -= WIDE.test(segment) ? 2 : 1;
    if (left < 0) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
