import { randomBytes } from 'node:crypto';
import { visible } from '../../terminal-text.ts';

/** Styles for text on a terminal; each returns the text unchanged if the output is not colored. */
export interface Painter {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly italic: (text: string) => string;
  readonly underline: (text: string) => string;
  readonly inverse: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

/** How text for people is written to a stream. */
export interface Terminal {
  readonly paint: Painter;
  /** Returns the text to write: styles become escape sequences, and all other control characters are made visible. */
  readonly show: (text: string) => string;
}

/** Creates a terminal; it uses colors if the stream is a terminal and `NO_COLOR` is not set. */
export function createTerminal(stream: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): Terminal {
  const noColor = env['NO_COLOR'];
  const isColored = stream.isTTY === true && (noColor === undefined || noColor === '') && env['TERM'] !== 'dumb';
  // Styles are marked with a random value until they are written, so that no text in a note can imitate one.
  const mark = `<${randomBytes(8).toString('hex')} `;
  const marks = new RegExp(`${mark}(\\d+)>`, 'g');
  const wrap = (open: number, close: number) => (text: string) => (isColored ? `${mark}${open}>${text}${mark}${close}>` : text);
  return {
    paint: {
      bold: wrap(1, 22),
      dim: wrap(2, 22),
      italic: wrap(3, 23),
      underline: wrap(4, 24),
      inverse: wrap(7, 27),
      red: wrap(31, 39),
      green: wrap(32, 39),
      yellow: wrap(33, 39),
      cyan: wrap(36, 39),
    },
    show: (text) => visible(text).replace(marks, '\u001B[$1m'),
  };
}

/** Characters two columns wide: East Asian scripts and punctuation, full-width forms, and emoji, also by a variation selector. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u;

/** Created on first use, since that takes a tenth of the time of a short command. */
let segmenter: Intl.Segmenter | undefined;

/** Splits a text into graphemes, with their offsets. */
export function graphemesOf(text: string): Iterable<{ readonly segment: string; readonly index: number }> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function columnsOf(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}

/** Returns how many terminal columns a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += columnsOf(segment);
  return width;
}

/** Truncates a text at its end to a number of columns, with an ellipsis. */
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

/** Truncates a text at its start to a number of columns, with an ellipsis. For paths, whose end matters most. */
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
