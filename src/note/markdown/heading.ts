import type { BlockId, Heading, Span } from '../note.ts';
import { isBlank, isLineEnd } from '../text.ts';
import { blankQuoteMarks } from './destination.ts';

/** Reads the heading at `span`: one line of `#`s, or lines above `===` or `---`. */
export function readHeading(text: string, span: Span): { heading: Heading; block: BlockId | null } {
  let { end } = span;
  while (end > span.start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  const hashes = /^#{1,6}(?=[ \t\r\n]|$)/.exec(text.slice(span.start, Math.min(end, span.start + 7)))?.[0].length ?? 0;
  let start = span.start + hashes;
  let stop = end;
  if (hashes > 0) {
    const closing = /(?:^|[ \t])#+$/.exec(text.slice(start, end))?.[0];
    if (closing !== undefined) stop -= closing.length;
  } else {
    while (stop > start && !isLineEnd(text.charCodeAt(stop - 1))) stop -= 1;
    while (stop > start && (isLineEnd(text.charCodeAt(stop - 1)) || isBlank(text.charCodeAt(stop - 1)))) stop -= 1;
  }
  const level = hashes > 0 ? hashes : text.charCodeAt(end - 1) === 0x3d ? 1 : 2;
  while (start < stop && isBlank(text.charCodeAt(start))) start += 1;
  while (stop > start && isBlank(text.charCodeAt(stop - 1))) stop -= 1;
  const block = readBlockId(text, { start, end: stop });
  const shown = text.slice(start, block ? block.start : stop);
  return { heading: { level, text: oneLine(shown), start: span.start, end }, block };
}

function oneLine(text: string): string {
  return /[\r\n]/.test(text)
    ? blankQuoteMarks(text)
        .split(/\r\n|[\r\n]/)
        .map((line) => line.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''))
        .join(' ')
        .trim()
    : text.trim();
}

/** Returns the block id at the end of a paragraph, table row or heading; null for none. */
export function readBlockId(text: string, { start, end }: Span): BlockId | null {
  let stop = end;
  while (stop > start && isBlank(text.charCodeAt(stop - 1))) stop -= 1;
  let at = stop;
  while (at > start && isIdUnit(text.charCodeAt(at - 1))) at -= 1;
  if (at === stop || at === start || text.charCodeAt(at - 1) !== 0x5e) return null;
  at -= 1;
  const before = text.charCodeAt(at - 1);
  if (at > start && before !== 0x20 && before !== 0x09 && !/[\r\n][ \t>]*$/.test(text.slice(Math.max(start, at - 200), at))) return null;
  return { id: text.slice(at + 1, stop), start: at, end: stop };
}

function isIdUnit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x2d;
}
