/** Colours for a terminal, or none. */
export interface Painter {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** Colours where the stream is a terminal and `NO_COLOR` is not set. */
export function createPainter(stream: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): Painter {
  const noColor = env['NO_COLOR'];
  const isColored = stream.isTTY === true && (noColor === undefined || noColor === '') && env['TERM'] !== 'dumb';
  const wrap = (open: number, close: number) => (text: string) => (isColored ? `\u001B[${open}m${text}\u001B[${close}m` : text);
  return { bold: wrap(1, 22), dim: wrap(2, 22), red: wrap(31, 39), green: wrap(32, 39), yellow: wrap(33, 39), cyan: wrap(36, 39) };
}

/** Characters that a terminal does not show, but acts upon. */
export const HIDDEN = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const HIDDEN_ALL = new RegExp(HIDDEN, 'gu');

/** Text of notes made safe for a terminal: no control characters but line ends and tabs. */
export function plain(text: string): string {
  return text.replace(HIDDEN_ALL, (character) => (character === '\n' || character === '\t' ? character : ''));
}

/** JSON or TOML made safe for a terminal: what it does not show is escaped inside of the strings. */
export function plainJson(text: string): string {
  return text.replace(HIDDEN_ALL, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** A text cut to columns of a terminal, with an ellipsis where something is missing. */
export function clipToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let left = columns - 1;
  for (const { segment } of graphemes.segment(text)) {
    left -= WIDE.test(segment) ? 2 : 1;
    if (left < 0) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
