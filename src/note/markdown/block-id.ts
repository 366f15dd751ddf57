import type { BlockId, Span } from '../note.ts';
import { isBlank } from '../text.ts';

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
