const maxInlineMath = 1000;

/**
 * The end of inline math that starts with the `$` at `at`, or -1. It stays on its line; one dollar is followed by no space,
 * and its partner follows no space and is followed by no digit, so that `$5 or $6` is money.
 */
export function inlineMathEnd(text: string, at: number, end: number): number {
  const isDouble = text.charCodeAt(at + 1) === 0x24;
  const start = at + (isDouble ? 2 : 1);
  const first = text.charCodeAt(start);
  if (first === 0x24 || (!isDouble && isBlank(first))) return -1;
  const limit = Math.min(end, start + maxInlineMath);
  for (let index = start; index < limit; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x0a || code === 0x0d) return -1;
    if (code === 0x5c && !isBlank(text.charCodeAt(index + 1))) index += 1;
    else if (code === 0x24) {
      if (isDouble) {
        if (text.charCodeAt(index + 1) === 0x24 && index > start) return index + 2;
      } else if (!isBlank(text.charCodeAt(index - 1)) && !isDigit(text.charCodeAt(index + 1))) return index + 1;
    }
  }
  return -1;
}

/**
 * Where the block of math that a line opens with the `$$` at `at` ends, or -1: the next `$$`, on a later line and with nothing
 * after it. One that is never closed is text, so that it hides no links.
 */
export function mathBlockEnd(text: string, at: number): number {
  if (!text.startsWith('$$', at) || text.charCodeAt(at + 2) === 0x24) return -1;
  const close = text.indexOf('$$', at + 2);
  if (close === -1) return -1;
  let index = close + 2;
  while (index < text.length && (text.charCodeAt(index) === 0x20 || text.charCodeAt(index) === 0x09)) index += 1;
  const isLineEnd = index === text.length || text.charCodeAt(index) === 0x0a || text.charCodeAt(index) === 0x0d;
  return isLineEnd && hasLineEnd(text, at, close) ? close + 2 : -1;
}

function hasLineEnd(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || code === 0x0d) return true;
  }
  return false;
}

function isBlank(code: number): boolean {
  return Number.isNaN(code) || code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
