import type { BlockId, Heading, Span } from '../note.ts';
import { isBlank, isLineEnd } from '../text.ts';
import { readBlockId } from './block-id.ts';
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
