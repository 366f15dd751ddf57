import type { Span } from '../note.ts';
import { isBlank } from '../text.ts';

/** Returns the number of cells of a possible table header; 0 when it cannot be one. */
export function countHeadCells(text: string, start: number, end: number): number {
  let cells = 0;
  let nonspaces = 0;
  let isOpen = true;
  const startsWithPipe = text.charCodeAt(start) === 0x7c;
  if (!startsWithPipe) nonspaces = 1;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x20 || code === 0x09) continue;
    nonspaces += 1;
    if (isOpen && !(at === start && startsWithPipe)) cells += 1;
    isOpen = code === 0x7c;
    if (isOpen) continue;
    at = cellEnd(text, at, end, true) - 1;
  }
  return nonspaces > 1 ? cells : 0;
}

/** Returns the number of cells of a delimiter row (`|---|:-:|`); 0 for other lines. */
export function countDelimiterCells(line: string): number {
  if (!/^[|:-][|:\- \t]*$/.test(line) || !/[|:]/.test(line)) return 0;
  const cells = line
    .replace(/^\|/, '')
    .replace(/(?<![ \t])[ \t]+$/, '')
    .replace(/\|$/, '')
    .split('|');
  return cells.every((cell) => /^[ \t]*:?-+:?[ \t]*$/.test(cell)) ? cells.length : 0;
}

/** Yields the cells of a row, split at unescaped pipes. */
export function* cellsOf(text: string, start: number, end: number): Generator<Span> {
  let at = start;
  while (at < end) {
    const stop = cellEnd(text, at, end, false);
    let from = at;
    let to = stop;
    while (from < to && isBlank(text.charCodeAt(from))) from += 1;
    while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
    if (to > from) yield { start: from, end: to };
    at = stop + 1;
  }
}

/** Returns the end of the cell text at `at`: at a pipe, the end, or white space when `isWord`. */
function cellEnd(text: string, at: number, end: number, isWord: boolean): number {
  let index = at;
  for (; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x7c || (isWord && isBlank(code))) break;
    if (code === 0x5c && (text.charCodeAt(index + 1) === 0x7c || text.charCodeAt(index + 1) === 0x5c) && index + 1 < end) index += 1;
  }
  return Math.min(index, end);
}
