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
