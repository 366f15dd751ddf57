const MAX_INLINE_MATH_CHARACTERS = 1000;

/**
 * Returns the end of inline math at the `$` at `at`; -1 for none. It is on one line; a single dollar is not followed by a space, and its
 * partner does not follow a space and is not followed by a digit, so that `$5 or $6` is money.
 */
export function inlineMathEnd(text: string, at: number, end: number): number {
  const isDouble = text.charCodeAt(at + 1) === 0x24;
  const start = at + (isDouble ? 2 : 1);
  const first = text.charCodeAt(start);
  if (first === 0x24 || (!isDouble && isBlank(first))) return -1;
  const limit = Math.min(end, start + MAX_INLINE_MATH_CHARACTERS);
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
 * Returns the end of the math block that a line opens with the `$$` at `at`; -1 for none. It ends at the next `$$` on a later line with
 * nothing after it. An unclosed one is text, so that it hides no links.
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
